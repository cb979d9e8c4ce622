// Responses of the console's sign-in, as schemas.

import * as z from 'zod/mini'
import { SCOPES } from '../../relying-party/document/settings.ts'
import { list, maybe, time } from './parts.ts'

/** Response of `GET /console/session`. */
export const consoleSession = z.object({
  owner: z.enum(['relying_party', 'operator']),
  /** `BASE_URL`: the issuer of receipts. The page may be under another host name. */
  base_url: z.string(),
  expires_at: time,
  relying_party: maybe(z.object({ relying_party_id: z.string(), name: z.string(), livemode: z.boolean() })),
  scopes: list(z.enum(SCOPES)),
  /**
   * The person who signed in through the organisation's provider. Null if the sign-in was by an API key or by
   * the operator's token.
   */
  person: maybe(z.object({ subject: z.string(), name: maybe(z.string()), email: maybe(z.string()) })),
})

/** Response of `POST /console/session`. */
export const consoleSignIn = z.extend(consoleSession, {
  /** Value for the header `Console-Token` of each call that uses this sign-in. */
  change_token: z.string(),
})

/** Response of `POST /console/people`. */
export const consoleStart = z.object({ authorization_url: z.string() })

/** Response of `DELETE /console/session` to a person whose provider has a page for signing out. */
export const consoleSignOut = z.object({ end_session_url: z.string() })

/** Response of `POST /console/codes`. */
export const consoleCode = z.object({ code: z.string() })

export type ConsoleSessionView = z.infer<typeof consoleSession>
export type ConsoleSignInView = z.infer<typeof consoleSignIn>
export type ConsoleStartView = z.infer<typeof consoleStart>
export type ConsoleSignOutView = z.infer<typeof consoleSignOut>
