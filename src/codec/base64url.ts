// base64 and base64url, strictly (RFC 4648 §3.5, §4, §5): the platform's decoder skips white space and accepts
// non-zero pad bits, so two texts could mean the same bytes. Here one text means one value.

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const URL_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Encodes without padding (RFC 7515 §2). */
export function encodeBase64url(bytes: Uint8Array): string {
  return encode(bytes, URL_SAFE)
}

/** Decodes base64url without padding; `undefined` for any other text, non-canonical pad bits included. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  return decode(text, text.length, URL_SAFE_VALUES)
}

/** Encodes with the standard alphabet and padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = encode(bytes, STANDARD)
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
}

/** Decodes standard base64 with its padding; `undefined` for any other text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return decode(text, text.length - padding, STANDARD_VALUES)
}

const NO_VALUE = 0xff
const STANDARD_VALUES = valuesOf(STANDARD)
const URL_SAFE_VALUES = valuesOf(URL_SAFE)

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(128).fill(NO_VALUE)
  for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i
  return values
}

/** Eight bits in, six out; the last character is filled up with zeros. */
function encode(bytes: Uint8Array, alphabet: string): string {
  let text = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = ((buffer & 0x3f) << 8) | byte
    bits += 8
    while (bits >= 6) {
      bits -= 6
      text += alphabet[(buffer >> bits) & 0x3f]
    }
  }
  return bits === 0 ? text : text + alphabet[(buffer << (6 - bits)) & 0x3f]
}

/** One pass over the first `length` characters: six bits in, eight out; what is left over must be zero (RFC 4648 §3.5). */
function decode(text: string, length: number, values: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const bytes = new Uint8Array((length * 3) >> 2)
  let buffer = 0
  let bits = 0
  let next = 0
  for (let i = 0; i < length; i++) {
    const value = values[text.charCodeAt(i)] ?? NO_VALUE
    if (value === NO_VALUE) return undefined
    buffer = ((buffer & 0x3f) << 6) | value
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[next++] = buffer >> bits
  }
  const leftOver = buffer & ((1 << bits) - 1)
  return bits < 6 && leftOver === 0 ? bytes : undefined
}
