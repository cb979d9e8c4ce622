// Schemas of the bodies that the console's own page sends (docs/console.md).

import * as z from 'zod/mini'
import { text } from '../codec/schema.ts'
import { RELYING_PARTY_ID } from './identifiers.ts'

/** Limit of a body, in bytes. */
export const SIGN_IN_BYTES = 4096

const relyingParty = z.string().check(z.regex(RELYING_PARTY_ID, 'must be the id of a relying party'))

/**
 * Relying party of the sign-in, and the parameters that the OpenID Provider added to the redirect URL (RFC
 * 6749 §4.1.2, RFC 9207).
 */
const personSignIn = z.strictObject({
  relying_party_id: relyingParty,
  code: text(2048),
  state: text(100),
  iss: z.exactOptional(text(2048)),
})
export type PersonSignIn = z.infer<typeof personSignIn>

/** Body of `POST /console/session`: a token, a code, or the response of the OpenID Provider. */
export const signInRequest = z
  .strictObject({
    token: z.exactOptional(text(SIGN_IN_BYTES)),
    code: z.exactOptional(text(SIGN_IN_BYTES)),
    person: z.exactOptional(personSignIn),
  })
  .check(
    z.refine((body) => Object.keys(body).length === 1, {
      path: ['token'],
      error: 'must be sent, or else `code` or `person`, and only one of them',
    }),
  )

/** Body of `POST /console/people`. `fresh`: the person must authenticate at the provider again. */
export const startRequest = z.strictObject({
  relying_party_id: relyingParty,
  fresh: z._default(z.boolean(), false),
})

/** Body of `POST /console/codes`. */
export const codeRequest = z.strictObject({ api_key: text(300) })
