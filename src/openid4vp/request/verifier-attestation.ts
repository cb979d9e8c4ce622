// A Verifier Attestation JWT (OpenID4VP 1.0 §12): a party that wallets trust says whose a key is. We only carry it; wallets verify
// its signature. What makes them refuse it, and can be seen without their trust, is refused where it is set.

import { isJsonObject, member } from '../../codec/json.ts'
import { type PublicJwk, parsePublicJwk } from '../../crypto/jwk.ts'
import { decodeJws } from '../../crypto/jws.ts'
import { VERIFIER_ATTESTATION } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'

/** What an attestation says. Times are Unix seconds. */
export type VerifierAttestation = {
  /** The Client Identifier without its prefix. */
  readonly subject: string
  readonly notBefore: number
  readonly expiresAt: number
}

/** What is wrong with an attestation, as a sentence about it. */
export const ATTESTATION_ERRORS = {
  malformed: 'must be a compact JWS with an algorithm that is in use here',
  wrong_type: 'its typ must be verifier-attestation+jwt',
  issuer_missing: 'its iss must say who attests',
  invalid_subject: 'its sub must be 1 to 200 printable ASCII characters without spaces',
  invalid_times: 'its exp, and its nbf where it has one, must be numbers',
  wrong_key: 'its cnf.jwk must be the public half of signing_jwk',
  redirect_uris:
    'must not have redirect_uris: each verification has a response_uri of its own, and a wallet must find it there exactly',
} as const
export type AttestationError = keyof typeof ATTESTATION_ERRORS

/** Reads an attestation of a key. Its signature is not verified, and its times are not compared. */
export function parseVerifierAttestation(
  jwt: string,
  signingKey: PublicJwk,
): Result<VerifierAttestation, AttestationError> {
  const jws = jwt.length <= VERIFIER_ATTESTATION.length ? decodeJws(jwt, VERIFIER_ATTESTATION) : undefined
  if (!jws?.ok) return err('malformed')
  const { header, payload } = jws.value
  const [subject, expiresAt] = [member(payload, 'sub'), member(payload, 'exp')]
  const notBefore = Object.hasOwn(payload, 'nbf') ? member(payload, 'nbf') : 0
  if (member(header, 'typ') !== 'verifier-attestation+jwt') return err('wrong_type')
  if (typeof member(payload, 'iss') !== 'string') return err('issuer_missing')
  if (typeof subject !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(subject)) return err('invalid_subject')
  if (typeof expiresAt !== 'number' || typeof notBefore !== 'number') return err('invalid_times')
  if (!confirms(member(payload, 'cnf'), signingKey)) return err('wrong_key')
  if (Object.hasOwn(payload, 'redirect_uris')) return err('redirect_uris')
  return ok({ subject, notBefore, expiresAt })
}

/** §12: the key that requests are signed with. */
function confirms(cnf: unknown, { crv, x, y }: PublicJwk): boolean {
  const jwk = isJsonObject(cnf) ? parsePublicJwk(member(cnf, 'jwk')) : undefined
  return jwk?.crv === crv && jwk.x === x && jwk.y === y
}
