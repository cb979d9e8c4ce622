// Converts a presentation to a file of the container, and back. The file has the decrypted presentation: an
// SD-JWT or a JWT as text, an mdoc as CBOR, a JSON object as canonical JSON.

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { decodeUtf8, utf8 } from '../../codec/bytes.ts'
import { canonicalJson } from '../../codec/canonical-json.ts'
import { type JsonObject, parseJsonObject } from '../../codec/json.ts'
import { RESPONSE_DEPTH, RESPONSE_LIMIT } from '../../openid4vp/response/response-encryption.ts'

/** A presentation as a file. `readPresentation` reads the bytes by their `media_type`. */
export type PresentationFile = {
  readonly extension: 'sd-jwt' | 'cbor' | 'jwt' | 'json'
  readonly media_type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const SD_JWT = 'application/dc+sd-jwt'
const CBOR = 'application/cbor'
const JWT = 'application/jwt'
const JSON_TYPE = 'application/json'

/** Writes a presentation. For an mdoc query, a text that is not canonical base64url is written as text. */
export function writePresentation(format: string, presentation: string | JsonObject): PresentationFile {
  if (typeof presentation !== 'string')
    return { extension: 'json', media_type: JSON_TYPE, bytes: utf8(canonicalJson(presentation)) }
  const decoded = format === 'mso_mdoc' ? decodeBase64url(presentation) : undefined
  if (decoded !== undefined && encodeBase64url(decoded) === presentation)
    return { extension: 'cbor', media_type: CBOR, bytes: decoded }
  const isSdJwt = format.endsWith('sd-jwt')
  return {
    extension: isSdJwt ? 'sd-jwt' : 'jwt',
    media_type: isSdJwt ? SD_JWT : JWT,
    bytes: utf8(presentation),
  }
}

/** Reads a presentation from its file; `undefined` if the bytes do not fit the media type. */
export function readPresentation({
  media_type,
  bytes,
}: Pick<PresentationFile, 'media_type' | 'bytes'>): string | JsonObject | undefined {
  if (media_type === CBOR) return encodeBase64url(bytes)
  const text = decodeUtf8(bytes)
  if (text === undefined || media_type !== JSON_TYPE) return text
  const parsed = parseJsonObject(text, { length: RESPONSE_LIMIT, depth: RESPONSE_DEPTH })
  return parsed.ok ? parsed.value : undefined
}
