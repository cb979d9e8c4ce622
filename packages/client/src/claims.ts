// `encrypted_claims` opened (CONTRACT 4): a compact JWE (ECDH-ES, A256GCM) for your key, around a JWS (ES256) by the service's.
// Nothing is believed before both have been checked.

import { decodeBase64url } from '../../../src/codec/base64url.ts'
import { concatBytes, decodeUtf8, utf8 } from '../../../src/codec/bytes.ts'
import { err, ok, type Result } from '../../../src/result.ts'
import { type JwsError, readJson, type ServiceKeys, verifyServiceJws } from './service-jws.ts'

/** What the claims must come from and be for. */
export type ClaimsChecks = {
  /** Your private P-256 key. */
  readonly privateJwk: JsonWebKey
  /** The service's keys: the body of `{baseUrl}/.well-known/jwks.json`. */
  readonly jwks: ServiceKeys
  /** The service's base URL. */
  readonly issuer: string
  /** Your `relying_party_id`. */
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

/** Why claims are not opened. */
export type ClaimsFault =
  | JwsError
  | 'unsupported_encryption'
  | 'decryption_failed'
  /** Another issuer, relying party or verification than yours. */
  | 'not_for_you'

/** Decrypts and verifies. */
export async function decryptClaims(
  encryptedClaims: string,
  checks: ClaimsChecks,
): Promise<Result<Claims, ClaimsFault>> {
  const plaintext = await decrypt(encryptedClaims, checks.privateJwk)
  if (!plaintext.ok) return plaintext
  const verified = await verifyServiceJws(plaintext.value, checks.jwks)
  if (!verified.ok) return verified
  const claims = verified.value.claims as Claims
  const { iss, aud, verification_id } = claims
  const isOurs = iss === checks.issuer && aud === checks.audience && verification_id === checks.verificationId
  return isOurs ? ok(claims) : err('not_for_you')
}

/** RFC 7516 §5.2 for direct key agreement. */
async function decrypt(jwe: string, privateJwk: JsonWebKey): Promise<Result<string, ClaimsFault>> {
  const parts = jwe.split('.')
  const [encodedHeader = '', , encodedIv = '', encodedCiphertext = '', encodedTag = ''] = parts
  const header = readJson(encodedHeader)
  const [iv, ciphertext, tag] = [encodedIv, encodedCiphertext, encodedTag].map(decodeBase64url)
  if (parts.length !== 5 || !header || !iv || !ciphertext || !tag) return err('malformed')
  const { alg, enc, epk } = header
  if (alg !== 'ECDH-ES' || enc !== 'A256GCM' || tag.length !== 16) return err('unsupported_encryption')
  try {
    const key = await agree(privateJwk, epk as JsonWebKey) // whatever it is: WebCrypto refuses what is no point on P-256
    const algorithm = { name: 'AES-GCM', iv, additionalData: utf8(encodedHeader) }
    const opened = await crypto.subtle.decrypt(algorithm, key, concatBytes(ciphertext, tag))
    const text = decodeUtf8(new Uint8Array(opened))
    return text === undefined ? err('malformed') : ok(text)
  } catch {
    return err('decryption_failed')
  }
}

/** RFC 7518 §4.6.2: one round of Concat KDF, for a key of 256 bits. The service sends neither `apu` nor `apv`. */
async function agree(privateJwk: JsonWebKey, ephemeralJwk: JsonWebKey): Promise<CryptoKey> {
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const { kty = '', crv = '', x = '', y = '', d = '' } = privateJwk
  const [own, theirs] = await Promise.all([
    crypto.subtle.importKey('jwk', { kty, crv, x, y, d }, curve, false, ['deriveBits']),
    crypto.subtle.importKey('jwk', ephemeralJwk, curve, false, []),
  ])
  // The Workers types call the member `$public`; the standard and every runtime call it `public`.
  const agreement = { name: 'ECDH', public: theirs }
  const shared = await crypto.subtle.deriveBits(agreement, own, 256)
  const enc = utf8('A256GCM')
  const otherInfo = concatBytes(uint32(enc.length), enc, uint32(0), uint32(0), uint32(256))
  const hash = await crypto.subtle.digest(
    'SHA-256',
    concatBytes(uint32(1), new Uint8Array(shared), otherInfo),
  )
  return crypto.subtle.importKey('raw', hash, 'AES-GCM', false, ['decrypt'])
}

function uint32(value: number): Uint8Array {
  return new Uint8Array([value >>> 24, value >>> 16, value >>> 8, value])
}
