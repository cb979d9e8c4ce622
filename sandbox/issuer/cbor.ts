// CBOR encoding for an issuer of mdocs (RFC 8949 §4.2.1), with maps and numbers that the verifier never
// encodes.

import { concatBytes, utf8 } from '../../src/codec/bytes.ts'
import { cborHead } from '../../src/codec/cbor-encode.ts'

/** Values that can be encoded. */
export type Cbor =
  | null
  | boolean
  | number
  | string
  | Uint8Array<ArrayBuffer>
  | readonly Cbor[]
  | ReadonlyMap<string | number, Cbor>
  | Tagged

/** A tag and its content. */
export type Tagged = { readonly tag: number; readonly content: Cbor }

export function tagged(tag: number, content: Cbor): Tagged {
  return { tag, content }
}

/** Embedded CBOR (§3.4.5.1). */
export function embedded(value: Cbor): Tagged {
  return tagged(24, cbor(value))
}

/** Map of an object's members. `undefined` members are left out. */
export function mapOf(members: Readonly<Record<string, Cbor | undefined>>): ReadonlyMap<string, Cbor> {
  return new Map(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Encodes a value. Numbers are integers. */
export function cbor(value: Cbor): Uint8Array<ArrayBuffer> {
  if (value === null) return Uint8Array.of(0xf6)
  if (typeof value === 'boolean') return Uint8Array.of(value ? 0xf5 : 0xf4)
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
  if (typeof value === 'string') return concatBytes(cborHead(3, utf8(value).length), utf8(value))
  if (value instanceof Uint8Array) return concatBytes(cborHead(2, value.length), value)
  if (value instanceof Map) {
    const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)])
    return concatBytes(cborHead(5, value.size), ...entries)
  }
  if (isTagged(value)) return concatBytes(cborHead(6, value.tag), cbor(value.content))
  const items = value as readonly Cbor[] // what is left of the union
  return concatBytes(cborHead(4, items.length), ...items.map(cbor))
}

function isTagged(value: object): value is Tagged {
  return 'tag' in value
}
