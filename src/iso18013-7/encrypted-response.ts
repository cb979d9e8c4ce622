// EncryptedResponse of ISO/IEC TS 18013-7 Annex C: HPKE around a DeviceResponse. The response does not name
// its request. So the keys of several requests are tried: the right key is the key that decrypts the
// response.

import { decodeBase64url } from '../codec/base64url.ts'
import { type CborItem, decodeCbor, findEntry, isTooMuch, readBytes, readText } from '../codec/cbor.ts'
import { type JsonObject, member } from '../codec/json.ts'
import { type HpkeMessage, isHpkePoint } from '../crypto/hpke.ts'
import { ANNEX_C } from '../limits.ts'
import type { EnvelopeRefusal } from '../openid4vp/response/refusal.ts'
import { err, ok, type Result } from '../result.ts'

/** Bytes of the tag of AES-GCM. */
const TAG_BYTES = 16

/**
 * Parses `data` of the browser's `DigitalCredential` object. The caller decrypts the message with `openHpke`,
 * with the session transcript as `info`. Unknown members are ignored.
 */
export function parseEncryptedResponse(data: JsonObject): Result<HpkeMessage, EnvelopeRefusal> {
  const text = member(data, 'response')
  if (typeof text !== 'string') return err({ reason: 'malformed_response' })
  if (text.length > ANNEX_C.characters) return err({ reason: 'limit_exceeded' })
  const bytes = decodeBase64url(text)
  if (bytes === undefined) return err({ reason: 'malformed_response' })
  const decoded = decodeCbor(bytes, ANNEX_C.encryptedResponse)
  if (!decoded.ok) return err({ reason: isTooMuch(decoded.error) ? 'limit_exceeded' : 'malformed_response' })
  const message = parseMessage(decoded.value)
  if (message === undefined || message.cipherText.length < TAG_BYTES)
    return err({ reason: 'malformed_response' })
  return isHpkePoint(message.enc) ? ok(message) : err({ reason: 'unsupported_encryption' })
}

function parseMessage(item: CborItem): HpkeMessage | undefined {
  if (item.type !== 'array' || item.items.length !== 2) return undefined
  const [name, envelope] = item.items
  if (readText(name) !== 'dcapi' || envelope === undefined) return undefined
  const enc = readBytes(findEntry(envelope, 'enc'))
  const cipherText = readBytes(findEntry(envelope, 'cipherText'))
  return enc && cipherText && { enc, cipherText }
}
