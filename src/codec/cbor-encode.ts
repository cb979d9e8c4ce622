// CBOR encoder (RFC 8949 §4.2.1: shortest heads, definite lengths). The encoder is used for our own messages.
// It is also used for data that is hashed, signed or authenticated together with a received structure. Floats
// are not encoded.

import { concatBytes, utf8 } from './bytes.ts'

/** Values that can be encoded. `encoded` is an item as received, copied byte for byte. */
export type CborValue =
  | null
  | boolean
  /** A whole number from -2^32 to 2^32 - 1. */
  | number
  | string
  | Uint8Array<ArrayBuffer>
  | readonly CborValue[]
  | { readonly tag: number; readonly content: CborValue }
  /** Entries in the order in which they are written. */
  | { readonly map: readonly (readonly [CborValue, CborValue])[] }
  | { readonly encoded: Uint8Array<ArrayBuffer> }

/** Returns the encoding of a value. Map entries keep their order. */
export function encodeCbor(value: CborValue): Uint8Array<ArrayBuffer> {
  if (value === null) return Uint8Array.of(0xf6)
  if (typeof value === 'boolean') return Uint8Array.of(value ? 0xf5 : 0xf4)
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
  if (typeof value === 'string') return withHead(3, utf8(value))
  if (value instanceof Uint8Array) return withHead(2, value)
  if (isArray(value)) return concatBytes(cborHead(4, value.length), ...value.map(encodeCbor))
  if ('encoded' in value) return value.encoded
  if ('map' in value) {
    return concatBytes(cborHead(5, value.map.length), ...value.map.flat().map(encodeCbor))
  }
  return concatBytes(cborHead(6, value.tag), encodeCbor(value.content))
}

/** Returns embedded CBOR (§3.4.5.1): tag 24 around the encoding of an item. */
export function embedCbor(encoded: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return encodeCbor({ tag: 24, content: encoded })
}

function withHead(major: number, content: Uint8Array): Uint8Array<ArrayBuffer> {
  return concatBytes(cborHead(major, content.length), content)
}

/** Returns the initial byte of an item, and the argument in its shortest form (§3). */
export function cborHead(major: number, argument: number): Uint8Array<ArrayBuffer> {
  const initial = major << 5
  if (argument < 24) return Uint8Array.of(initial | argument)
  if (argument < 0x100) return Uint8Array.of(initial | 24, argument)
  if (argument < 0x10000) return Uint8Array.of(initial | 25, argument >> 8, argument & 0xff)
  const wide = new Uint8Array(5)
  wide[0] = initial | 26
  new DataView(wide.buffer).setUint32(1, argument)
  return wide
}

/** `Array.isArray` does not narrow a readonly array in this union. */
function isArray(value: CborValue): value is readonly CborValue[] {
  return Array.isArray(value)
}
