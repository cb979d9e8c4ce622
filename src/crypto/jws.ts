// Decodes and verifies a compact JWS (RFC 7515 §5.2). The `alg` of the header must be in our table of
// algorithms. The caller chooses the key.

import { decodeBase64url } from '../codec/base64url.ts'
import { utf8 } from '../codec/bytes.ts'
import { isTooMuchJson, type JsonLimits, type JsonObject, member, parseJsonObject } from '../codec/json.ts'
import { err, ok, type Result } from '../result.ts'
import { type SignatureAlgorithm, signatureAlgorithm } from './algorithms.ts'
import { type PublicJwk, verifySignature } from './jwk.ts'

/** A decoded JWS. Nothing is verified yet. */
export type DecodedJws = {
  readonly header: JsonObject
  readonly payload: JsonObject
  readonly algorithm: SignatureAlgorithm
  readonly signingInput: Uint8Array<ArrayBuffer>
  readonly signature: Uint8Array<ArrayBuffer>
}

/** Reasons to reject a text as JWS. `too_large`: longer or nested deeper than the limits allow. */
export type JwsError = 'malformed' | 'too_large' | 'unsupported_algorithm' | 'unsupported_critical_header'

/**
 * Decodes a compact JWS with a JSON object payload. Rejects algorithms outside the table, duplicate members
 * and non-canonical base64url. Rejects a `crit` with an extension that `understood` does not contain (RFC
 * 7515 §4.1.11). `understood` is empty by default. `limits` apply to the header and to the payload
 * separately. `length` limits the bytes, and is checked before they are decoded.
 *
 * @example
 * decodeJws('eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJhIn0.AA', { length: 1000, depth: 4 })
 * // { ok: true, value: { header: { alg: 'ES256' }, payload: { iss: 'a' }, … } }
 */
export function decodeJws(
  compact: string,
  limits: JsonLimits,
  understood: readonly string[] = [],
): Result<DecodedJws, JwsError> {
  const parts = compact.split('.', 4)
  const [encodedHeader, encodedPayload, encodedSignature] = parts
  if (parts.length !== 3 || !encodedHeader || !encodedPayload || encodedSignature === undefined) {
    return err('malformed')
  }
  const header = decodeObject(encodedHeader, limits)
  if (!header.ok) return header
  // `b64` is not supported. RFC 7797 §6 requires that `crit` names it. A `b64` that `crit` does not name is
  // rejected too.
  if (!isUnderstood(header.value, understood) || Object.hasOwn(header.value, 'b64')) {
    return err('unsupported_critical_header')
  }
  const algorithm = signatureAlgorithm(member(header.value, 'alg'))
  if (algorithm === undefined) return err('unsupported_algorithm')
  const payload = decodeObject(encodedPayload, limits)
  if (!payload.ok) return payload
  const signature = decodeBase64url(encodedSignature)
  if (signature === undefined || signature.length === 0) return err('malformed')
  const signingInput = utf8(`${encodedHeader}.${encodedPayload}`)
  return ok({ header: header.value, payload: payload.value, algorithm, signingInput, signature })
}

/**
 * Verifies the signature with one key. Returns false also for a key that does not fit the header's algorithm.
 */
export function verifyJws(jws: DecodedJws, jwk: PublicJwk): Promise<boolean> {
  return verifySignature(jws, jws.signingInput, jwk)
}

/**
 * Returns true if `crit` is absent, or names only extensions that are understood and present, each once (RFC
 * 7515 §4.1.11).
 */
function isUnderstood(header: JsonObject, understood: readonly string[]): boolean {
  if (!Object.hasOwn(header, 'crit')) return true
  const crit = member(header, 'crit')
  if (!Array.isArray(crit) || crit.length === 0 || new Set(crit).size !== crit.length) return false
  return crit.every(
    (name) => typeof name === 'string' && understood.includes(name) && Object.hasOwn(header, name),
  )
}

function decodeObject(encoded: string, limits: JsonLimits): Result<JsonObject, JwsError> {
  if (encoded.length > Math.ceil((limits.length * 4) / 3)) return err('too_large')
  const parsed = parseJsonObject(decodeBase64url(encoded), limits)
  if (parsed.ok) return parsed
  return err(isTooMuchJson(parsed.error) ? 'too_large' : 'malformed')
}
