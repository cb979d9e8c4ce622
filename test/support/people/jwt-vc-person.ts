// A person whose wallet holds W3C credentials as JWTs, and the authority that issued them, both known by
// DIDs. Every option changes one thing of a good credential or of a good presentation.

import type { KeyPair, SigningKey } from './issuer.ts'
import { makeKey } from './issuer.ts'
import { CONTEXT, didJwkOf, signJose } from './jwt-vc.ts'
import { queryFor } from './person.ts'
import type { Presentations, ReceivedRequest } from './wallet.ts'

export type JwtVcPerson = {
  readonly issuer: KeyPair
  readonly holder: KeyPair
  /** A trust anchor of the `did` kind, with changes. */
  readonly anchor: (changes?: object) => Readonly<Record<string, unknown>>
}

/**
 * How a credential and its presentation differ from a good credential and presentation; what is `undefined`
 * is left out.
 */
export type JwtVcTelling = {
  /** Claims of the VC JWT. */
  readonly claims?: object
  /** Properties of `vc`. */
  readonly vc?: object
  /** Claims about the person. */
  readonly subject?: object
  readonly issuer?: SigningKey
  /** Claims of the VP JWT. */
  readonly presentation?: object
  readonly holder?: SigningKey
  /** The credential alone, as it is presented if no holder binding was asked for. */
  readonly alone?: boolean
}

export async function makeJwtVcPerson(): Promise<JwtVcPerson> {
  const issuer = await makeKey()
  const anchor = (changes: object = {}) => ({
    name: 'Test issuer by DID',
    credential_types: ['age_attestation', 'pid'],
    assurance_level: 'substantial',
    did: didJwkOf(issuer).did,
    ...changes,
  })
  return { issuer, holder: await makeKey(), anchor }
}

export const JWT_VC_AGE = 'AgeAttestationCredential'

/** A presentation of one credential for a request. */
export async function jwtVcOf(
  { issuer, holder }: JwtVcPerson,
  type: string,
  subject: object,
  { payload }: ReceivedRequest,
  telling: JwtVcTelling = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const credentialSubject = { ...subject, ...telling.subject }
  const vc = { '@context': [CONTEXT], type: ['VerifiableCredential', type], credentialSubject, ...telling.vc }
  const by = didJwkOf(issuer)
  const of = didJwkOf(holder)
  const claims = { iss: by.did, sub: of.did, nbf: now - 3600, exp: now + 86_400, vc, ...telling.claims }
  const credential = await signJose(claims, telling.issuer ?? issuer, { kid: by.kid })
  if (telling.alone) return credential
  const vp = { '@context': [CONTEXT], type: ['VerifiablePresentation'], verifiableCredential: [credential] }
  const bound = { iss: of.did, aud: payload.client_id, nonce: payload.nonce, iat: now, exp: now + 300, vp }
  return signJose({ ...bound, ...telling.presentation }, telling.holder ?? holder, { kid: of.kid })
}

/** The answer to a request for an age attestation. */
export async function jwtVcAgeOf(
  person: JwtVcPerson,
  request: ReceivedRequest,
  telling: JwtVcTelling = {},
): Promise<Presentations> {
  const presentation = await jwtVcOf(person, JWT_VC_AGE, { age_over_18: true }, request, telling)
  return { [queryFor(request, JWT_VC_AGE)]: [presentation] }
}
