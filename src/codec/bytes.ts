// Conversion between text and bytes. Bytes that are not UTF-8 are rejected.

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Returns the UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text) as Uint8Array<ArrayBuffer> // never a shared buffer (Encoding Standard §8.2)
}

/** Returns the text of UTF-8 bytes; `undefined` for other bytes. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined // a fatal decoder throws only if the bytes are not UTF-8
  }
}

/** Returns the bytes of all parts, in order. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

/**
 * Returns true if public values (certificates, digests) have equal bytes. Use `timingSafeEqual` for secrets.
 */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Returns lower-case hexadecimal digits of bytes. */
export function encodeHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEXADECIMAL[byte]
  return text
}

const HEXADECIMAL = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * Decodes an even number of hexadecimal digits. Returns `undefined` for any other text.
 *
 * @example
 * decodeHex('000F10ff') // bytes 0, 15, 16, 255
 */
export function decodeHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined
  const bytes = new Uint8Array(text.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = (digitAt(text, 2 * i) << 4) | digitAt(text, 2 * i + 1)
  return bytes
}

/**
 * Returns the value of a hexadecimal digit. For a letter, the low four bits of the code are the value minus
 * 9. Upper and lower case have the same low bits.
 */
function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return (code & 0x0f) + (code > 0x39 ? 9 : 0)
}

/** Bytes as they are stored: parts of at most `PART_BYTES`. */
export type Parts = readonly Uint8Array<ArrayBuffer>[]

/** Limit of one part, in bytes. The platform stores values of at most 2 MiB. */
const PART_BYTES = 1_900_000

/** Splits bytes into parts, at least one. */
export function splitParts(bytes: Uint8Array<ArrayBuffer>): Parts {
  const count = Math.max(1, Math.ceil(bytes.length / PART_BYTES))
  return Array.from({ length: count }, (_, i) => bytes.slice(i * PART_BYTES, (i + 1) * PART_BYTES))
}

/** Reads and joins stored parts. `parts`: number of the parts. Throws if `read` does not find a part. */
export function joinParts(
  parts: number,
  read: (index: number) => Uint8Array<ArrayBuffer> | undefined,
): Uint8Array<ArrayBuffer> {
  const slices = Array.from({ length: parts }, (_, i) => read(i))
  return concatBytes(
    ...slices.map((part) => {
      if (part === undefined) throw new Error('a part of stored bytes is missing')
      return part
    }),
  )
}
