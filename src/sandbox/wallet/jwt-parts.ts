// A part of a JWT, read without verifying anything.

import { decodeBase64url } from '../../codec/base64url.ts'
import { decodeUtf8 } from '../../codec/bytes.ts'
import { type JsonObject, parseJsonObject } from '../../codec/json.ts'

/** The JSON object that is part `index` of a compact JWS, 0 its header, 1 its payload; `undefined` where it is none. */
export function partOf(compact: string, index: number): JsonObject | undefined {
  const bytes = decodeBase64url(compact.trim().split('.')[index] ?? '')
  const text = bytes && decodeUtf8(bytes)
  const parsed = text === undefined ? undefined : parseJsonObject(text, { length: 262_144, depth: 24 })
  return parsed?.ok ? parsed.value : undefined
}
