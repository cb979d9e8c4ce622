// Compact JWS (RFC 7515 §5.2), split strictly and verified with an algorithm and a key that the caller decided on.

import { decodeBase64url } from '../codec/base64url.ts'
import { decodeUtf8, utf8 } from '../codec/bytes.ts'
import { type JsonLimits, type JsonObject, member, parseJsonObject } from '../codec/json.ts'
import { err, ok, type Result } from '../result.ts'
import { type SignatureAlgorithm, signatureAlgorithm } from './algorithms.ts'
import { importVerificationKey, type PublicJwk } from './jwk.ts'

/** A JWS taken apart; nothing about it is verified yet. */
export type DecodedJws = {
  readonly header: JsonObject
  readonly payload: JsonObject
  readonly algorithm: SignatureAlgorithm
  readonly signingInput: Uint8Array<ArrayBuffer>
  readonly signature: Uint8Array<ArrayBuffer>
}

/** Why a text is not a JWS we can judge. */
export type JwsFault = 'malformed' | 'unsupported_algorithm' | 'unsupported_critical_header'

/**
 * Decodes a compact JWS with a JSON object payload. Refuses algorithms outside the table, any `crit`
 * (RFC 7515 §4.1.11: we understand no extension), duplicate members and non-canonical base64url.
 */
export function decodeJws(compact: string, limits: JsonLimits): Result<DecodedJws, JwsFault> {
  const parts = compact.split('.')
  const [encodedHeader, encodedPayload, encodedSignature] = parts
  if (parts.length !== 3 || !encodedHeader || !encodedPayload || !encodedSignature) return err('malformed')
  const header = decodeObject(encodedHeader, limits)
  const payload = decodeObject(encodedPayload, limits)
  const signature = decodeBase64url(encodedSignature)
  if (header === undefined || payload === undefined || signature === undefined) return err('malformed')
  // `b64` needs `crit` (RFC 7797 §6), so refusing `crit` refuses it too; a stray one is refused by name.
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64')) return err('unsupported_critical_header')
  const algorithm = signatureAlgorithm(member(header, 'alg'))
  if (algorithm === undefined) return err('unsupported_algorithm')
  return ok({
    header,
    payload,
    algorithm,
    signingInput: utf8(`${encodedHeader}.${encodedPayload}`),
    signature,
  })
}

/** Verifies the signature with one key. False also where the key does not fit the header's algorithm. */
export async function verifyJws(jws: DecodedJws, jwk: PublicJwk): Promise<boolean> {
  if (jws.signature.length !== jws.algorithm.signatureBytes) return false
  const key = await importVerificationKey(jwk, jws.algorithm)
  if (key === undefined) return false
  return crypto.subtle.verify(jws.algorithm.verifyParameters, key, jws.signature, jws.signingInput)
}

function decodeObject(encoded: string, limits: JsonLimits): JsonObject | undefined {
  if (encoded.length > limits.length * 2) return undefined
  const bytes = decodeBase64url(encoded)
  const text = bytes === undefined ? undefined : decodeUtf8(bytes)
  if (text === undefined) return undefined
  const parsed = parseJsonObject(text, limits)
  return parsed.ok ? parsed.value : undefined
}
