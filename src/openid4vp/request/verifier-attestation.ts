// A Verifier Attestation JWT (OpenID4VP 1.0 §12): a party that wallets trust attests the owner of a key. The
// settings reject an attestation that wallets would refuse. The signature is not checked here, because only
// wallets know which parties they trust.

import { member } from '../../codec/json.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { decodeJws } from '../../crypto/jws.ts'
import { confirmationKey } from '../../formats/verification/holder-proof.ts'
import { VERIFIER_ATTESTATION } from '../../limits.ts'
import { err, ok } from '../../result.ts'

/** Errors of an attestation, each with its message. */
export const ATTESTATION_ERRORS = {
  malformed: 'must be a compact JWS with a supported algorithm',
  wrong_type: 'its typ must be verifier-attestation+jwt',
  issuer_missing: 'its iss must name the attesting party',
  invalid_subject: 'its sub must be 1 to 200 printable ASCII characters without spaces',
  invalid_times: 'its exp, and its nbf if present, must be numbers',
  wrong_key: 'its cnf.jwk must be the public half of signing_jwk',
  redirect_uris:
    'must not have redirect_uris: each verification has its own response_uri, which a wallet would have to find there',
} as const

/**
 * Parses an attestation of a key. Does not verify its signature and does not compare its times (Unix seconds)
 * with the current time. `subject` is the Client Identifier without its prefix.
 */
export function parseVerifierAttestation(jwt: string, signingKey: PublicJwk) {
  const jws = jwt.length <= VERIFIER_ATTESTATION.length ? decodeJws(jwt, VERIFIER_ATTESTATION) : undefined
  if (!jws?.ok) return err('malformed')
  const { header, payload } = jws.value
  const [subject, expiresAt] = [member(payload, 'sub'), member(payload, 'exp')]
  const notBefore = Object.hasOwn(payload, 'nbf') ? member(payload, 'nbf') : 0
  if (member(header, 'typ') !== 'verifier-attestation+jwt') return err('wrong_type')
  if (typeof member(payload, 'iss') !== 'string') return err('issuer_missing')
  if (typeof subject !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(subject)) return err('invalid_subject')
  if (typeof expiresAt !== 'number' || typeof notBefore !== 'number') return err('invalid_times')
  if (!isSameKey(confirmationKey(payload), signingKey)) return err('wrong_key')
  if (Object.hasOwn(payload, 'redirect_uris')) return err('redirect_uris')
  return ok({ subject, notBefore, expiresAt })
}

/** Returns true if the key of `cnf` is the key that signs requests (§12). */
function isSameKey(confirmed: PublicJwk | undefined, { crv, x, y }: PublicJwk): boolean {
  return confirmed?.crv === crv && confirmed.x === x && confirmed.y === y
}
