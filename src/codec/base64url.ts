// Strict base64 and base64url (RFC 4648 §3.5, §4, §5). The platform's decoder skips white space and accepts
// non-zero pad bits, so two texts could decode to the same bytes. Here only one text decodes to each sequence
// of bytes.

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const URL_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Encodes bytes in base64url without padding (RFC 7515 §2).
 *
 * @example
 * encodeBase64url(Uint8Array.of(251, 255)) // '-_8'
 */
export function encodeBase64url(bytes: Uint8Array): string {
  return encode(bytes, URL_SAFE_CODES)
}

/**
 * Decodes base64url without padding. Returns `undefined` for any other text, and for pad bits that are not
 * zero.
 *
 * @example
 * decodeBase64url('-_8') // bytes 251, 255; '-_9' and '-_8=' are undefined
 */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  return decode(text, text.length, URL_SAFE_VALUES)
}

/** Encodes bytes in base64 with the standard alphabet and padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = encode(bytes, STANDARD_CODES)
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
}

/** Decodes standard base64 with its padding. Returns `undefined` for any other text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return decode(text, text.length - padding, STANDARD_VALUES)
}

/**
 * Value of a character outside the alphabet. The bitwise OR of shifted values is negative if one of these
 * values is -1.
 */
const NO_VALUE = -1
const STANDARD_CODES = Uint8Array.from(STANDARD, (character) => character.charCodeAt(0))
const URL_SAFE_CODES = Uint8Array.from(URL_SAFE, (character) => character.charCodeAt(0))
const STANDARD_VALUES = buildValues(STANDARD)
const URL_SAFE_VALUES = buildValues(URL_SAFE)

function buildValues(alphabet: string): Int8Array {
  const values = new Int8Array(128).fill(NO_VALUE)
  for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i
  return values
}

/**
 * Encodes each three bytes as four characters, without padding. Absent bytes at the end count as zero.
 * `codes`: the character codes of an alphabet.
 */
function encode(bytes: Uint8Array, codes: Uint8Array): string {
  const at = (value: number) => codes[value & 0x3f] ?? 0
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const three = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    text += String.fromCharCode(at(three >> 18), at(three >> 12), at(three >> 6), at(three))
  }
  return text.slice(0, Math.ceil((bytes.length * 4) / 3))
}

/**
 * Decodes the first `length` characters. Four characters give three bytes. Remaining bits at the end must be
 * zero (RFC 4648 §3.5).
 */
function decode(text: string, length: number, values: Int8Array): Uint8Array<ArrayBuffer> | undefined {
  const at = (i: number) => values[text.charCodeAt(i)] ?? NO_VALUE
  const bytes = new Uint8Array((length * 3) >> 2)
  const left = length % 4
  let next = 0
  for (let i = 0; i < length - left; i += 4) {
    const four = (at(i) << 18) | (at(i + 1) << 12) | (at(i + 2) << 6) | at(i + 3)
    if (four < 0) return undefined
    bytes[next++] = four >> 16
    bytes[next++] = four >> 8
    bytes[next++] = four
  }
  if (left === 0) return bytes
  const start = length - left
  const last = (at(start) << 18) | (at(start + 1) << 12) | (left === 3 ? at(start + 2) << 6 : 0)
  const leftOver = left === 3 ? last & 0xff : last & 0xffff
  if (left === 1 || last < 0 || leftOver !== 0) return undefined
  bytes[next++] = last >> 16
  if (left === 3) bytes[next] = last >> 8
  return bytes
}
