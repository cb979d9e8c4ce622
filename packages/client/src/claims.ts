// Decrypts `encrypted_claims`: a compact JWE (ECDH-ES, A256GCM) to the relying party's key, around a JWS of
// the service. Claims are returned only after decryption and signature verification.

import { compactDecrypt, errors, type JWK } from 'jose'
import { err, ok, type Result } from './result.ts'
import { type Jwk, type JwsError, type ServiceKeys, verifyServiceJws } from './service-jws.ts'

/** Expected origin and recipient of the claims, and the keys to open them. */
export type ClaimsChecks = {
  /** Private P-256 key of the relying party. */
  readonly privateJwk: Jwk
  /** Keys of the service: the body of `{baseUrl}/.well-known/jwks.json`. */
  readonly jwks: ServiceKeys
  /** Base URL of the service. */
  readonly issuer: string
  /** `relying_party_id` of the relying party. */
  readonly audience: string
  readonly verificationId: string
}

/** The requested claims, by credential. */
export type Claims = {
  readonly iss: string
  readonly aud: string
  readonly iat: number
  readonly verification_id: string
  readonly credentials: readonly {
    readonly id: string
    readonly credential_type: string
    readonly format: string
    readonly issuer: string | null
    readonly claims: Readonly<Record<string, unknown>>
  }[]
}

/** Reasons why claims are refused. */
export type ClaimsError =
  | JwsError
  | 'unsupported_encryption'
  | 'decryption_failed'
  /** Another kind of object signed by the service. */
  | 'not_claims'
  /** Issuer, relying party or verification differs from the checks. */
  | 'wrong_audience'

/** Decrypts the claims, verifies their signature, and checks type, issuer, audience and verification. */
export async function decryptClaims(
  encryptedClaims: string,
  checks: ClaimsChecks,
): Promise<Result<Claims, ClaimsError>> {
  const plaintext = await decrypt(encryptedClaims, checks.privateJwk)
  if (!plaintext.ok) return plaintext
  const verified = await verifyServiceJws(plaintext.value, checks.jwks)
  if (!verified.ok) return verified
  if (!TYPES.includes(verified.value.header.typ)) return err('not_claims')
  const claims = verified.value.claims as Claims
  const { iss, aud, verification_id } = claims
  const isOurs = iss === checks.issuer && aud === checks.audience && verification_id === checks.verificationId
  return isOurs ? ok(claims) : err('wrong_audience')
}

/** `JWT` is the type of services before version 0.3. The same keys sign access tokens and receipts. */
const TYPES: readonly unknown[] = ['verification-claims+jwt', 'JWT']

const ALGORITHMS = { keyManagementAlgorithms: ['ECDH-ES'], contentEncryptionAlgorithms: ['A256GCM'] }

async function decrypt(jwe: string, privateJwk: Jwk): Promise<Result<string, ClaimsError>> {
  const { kty, crv, x, y, d } = privateJwk
  try {
    const { plaintext } = await compactDecrypt(jwe, { kty, crv, x, y, d } as JWK, ALGORITHMS)
    return ok(new TextDecoder().decode(plaintext))
  } catch (error) {
    if (error instanceof errors.JWEInvalid) return err('malformed')
    const isUnsupported =
      error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported
    return err(isUnsupported ? 'unsupported_encryption' : 'decryption_failed')
  }
}
