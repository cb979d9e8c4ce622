// Reads a part of a JWT without verification.

import { decodeBase64url } from '../../codec/base64url.ts'
import { decodeUtf8 } from '../../codec/bytes.ts'
import { type JsonObject, parseJsonObject } from '../../codec/json.ts'

/**
 * Returns a part of a compact JWS as a JSON object: 0 its header, 1 its payload. `undefined` for anything
 * else.
 */
export function decodePart(compact: string, index: number): JsonObject | undefined {
  const bytes = decodeBase64url(compact.trim().split('.')[index] ?? '')
  const text = bytes && decodeUtf8(bytes)
  const parsed = text === undefined ? undefined : parseJsonObject(text, { length: 262_144, depth: 24 })
  return parsed?.ok ? parsed.value : undefined
}
