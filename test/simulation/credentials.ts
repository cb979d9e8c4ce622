// Issuer and holder of all histories. A library of another project issues the credentials once. Each response
// has a key binding JWT of its own.

import { createHash } from 'node:crypto'
import { digestOf, issueSdJwtVc, type KeyPair, makeKey, signJwt } from '../support/people/issuer.ts'

const ISSUER = 'https://issuer.example'
const AGE_TYPE = 'urn:eu.europa.ec.av:1'

export type Credentials = Awaited<ReturnType<typeof makeCredentials>>

/** Makes the keys, the credentials of an adult and of a minor, and the anchor that covers them. */
export async function makeCredentials() {
  const [issuer, holder] = await Promise.all([makeKey(), makeKey()])
  const issue = (isAdult: boolean) =>
    issueSdJwtVc({
      issuer,
      holder,
      claims: { iss: ISSUER, vct: AGE_TYPE, iat: 1_700_000_000, exp: 2_500_000_000, age_over_18: isAdult },
      disclosable: { _sd: ['age_over_18'] },
    })
  const anchor = {
    name: 'Test issuer',
    credential_types: ['age_attestation'],
    assurance_level: 'substantial' as const,
    issuer: ISSUER,
    jwks: { keys: [issuer.publicJwk] },
  }
  return { holder, adult: await issue(true), minor: await issue(false), anchor }
}

/** Binds a credential to a request. No two presentations are equal. */
export function present(
  { holder }: { readonly holder: KeyPair },
  credential: string,
  bound: { readonly nonce: string; readonly audience: string; readonly iat: number; readonly jti: string },
): string {
  const { nonce, audience: aud, iat, jti } = bound
  const claims = { iat, nonce, aud, jti, sd_hash: digestOf(credential) }
  return credential + signJwt({ alg: holder.alg, typ: 'kb+jwt' }, claims, holder)
}

/** SHA-256 of the body of a response, as the edge computes it. */
export function digestOfBody(body: string): string {
  return createHash('sha256').update(body).digest('base64url')
}
