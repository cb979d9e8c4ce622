// Strict CBOR (RFC 8949): definite lengths only, text in UTF-8, no duplicate key in a map, nothing after the
// end. Every item keeps its encoded bytes, because digests and signatures cover the received bytes.

import { err, ok, type Result } from '../result.ts'
import { decodeUtf8, encodeHex } from './bytes.ts'

/** One data item. `encoded` is a view of its whole encoding. */
export type CborItem = { readonly encoded: Uint8Array<ArrayBuffer> } & CborContent

type CborContent =
  /** A number beyond 2^53 is a bigint. */
  | { readonly type: 'integer'; readonly value: number | bigint }
  | { readonly type: 'bytes'; readonly value: Uint8Array<ArrayBuffer> }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'array'; readonly items: readonly CborItem[] }
  | { readonly type: 'map'; readonly entries: readonly CborEntry[] }
  | { readonly type: 'tag'; readonly tag: number; readonly content: CborItem }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'simple'; readonly value: boolean | null | undefined }

type CborEntry = { readonly key: CborItem; readonly value: CborItem }

/** Limits of one decoding: bytes of input, levels of nesting, items in all. */
type CborLimits = { readonly bytes: number; readonly depth: number; readonly items: number }

/** Reasons to reject bytes as CBOR. */
export type CborError = 'too_large' | 'too_deep' | 'too_many_items' | 'malformed' | 'duplicate_key'

/** True if the bytes exceed a limit; false if they are not strict CBOR. */
export function isTooMuch(error: CborError): boolean {
  return error === 'too_large' || error === 'too_deep' || error === 'too_many_items'
}

/** Decodes one item. The item must fill `bytes` completely. */
export function decodeCbor(bytes: Uint8Array<ArrayBuffer>, limits: CborLimits): Result<CborItem, CborError> {
  if (bytes.length > limits.bytes) return err('too_large')
  const reader: Reader = { bytes, offset: 0, itemsLeft: limits.items }
  const item = readItem(reader, limits.depth)
  if (!item.ok) return item
  return reader.offset === bytes.length ? item : err('malformed')
}

/**
 * Returns the value of a text or integer key of a map. Returns `undefined` if the key is absent, or if the
 * item is not a map.
 */
export function findEntry(item: CborItem, key: string | number): CborItem | undefined {
  if (item.type !== 'map') return undefined
  return item.entries.find((entry) => {
    const { key: candidate } = entry
    return (candidate.type === 'text' || candidate.type === 'integer') && candidate.value === key
  })?.value
}

/** State of one decoding. */
type Reader = { readonly bytes: Uint8Array<ArrayBuffer>; offset: number; itemsLeft: number }

type Head = { readonly major: number; readonly info: number; readonly argument: number | bigint }

function readItem(reader: Reader, depth: number): Result<CborItem, CborError> {
  if (depth === 0) return err('too_deep')
  if (reader.itemsLeft === 0) return err('too_many_items')
  reader.itemsLeft -= 1
  const start = reader.offset
  const head = readHead(reader)
  if (head === undefined) return err('malformed')
  const content = readContent(reader, head, depth)
  if (!content.ok) return content
  return ok({ ...content.value, encoded: reader.bytes.subarray(start, reader.offset) })
}

/**
 * Reads the major type and the argument (§3). Returns `undefined` for indefinite lengths (31), reserved
 * values (28–30) and missing bytes.
 */
function readHead(reader: Reader): Head | undefined {
  const initial = takeBytes(reader, 1)?.[0]
  if (initial === undefined) return undefined
  const major = initial >> 5
  const info = initial & 0x1f
  if (info < 24) return { major, info, argument: info }
  if (info > 27) return undefined
  const bytes = takeBytes(reader, 2 ** (info - 24))
  if (bytes === undefined) return undefined
  const wide = bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
  return { major, info, argument: wide <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(wide) : wide }
}

function readContent(reader: Reader, head: Head, depth: number): Result<CborContent, CborError> {
  const { major, argument } = head
  if (major === 0) return ok({ type: 'integer', value: argument })
  if (major === 1) return ok({ type: 'integer', value: negative(argument) })
  if (major === 7) return readSimple(reader, head)
  // Rejects lengths and tags beyond 2^53. No input is that long, and the service reads no such tag.
  if (typeof argument !== 'number') return err('malformed')
  if (major === 4) return readArray(reader, argument, depth)
  if (major === 5) return readMap(reader, argument, depth)
  if (major === 6) {
    const content = readItem(reader, depth - 1)
    return content.ok ? ok({ type: 'tag', tag: argument, content: content.value }) : content
  }
  const value = takeBytes(reader, argument)
  if (value === undefined) return err('malformed')
  if (major === 2) return ok({ type: 'bytes', value })
  const text = decodeUtf8(value)
  return text === undefined ? err('malformed') : ok({ type: 'text', value: text })
}

function readArray(reader: Reader, length: number, depth: number): Result<CborContent, CborError> {
  // Each item has at least one byte. So an array cannot have more items than the bytes that are left.
  if (length > reader.bytes.length - reader.offset) return err('malformed')
  const items: CborItem[] = []
  for (let i = 0; i < length; i++) {
    const item = readItem(reader, depth - 1)
    if (!item.ok) return item
    items.push(item.value)
  }
  return ok({ type: 'array', items })
}

function readMap(reader: Reader, length: number, depth: number): Result<CborContent, CborError> {
  if (length * 2 > reader.bytes.length - reader.offset) return err('malformed')
  const entries: CborEntry[] = []
  const seen = new Set<string>()
  for (let i = 0; i < length; i++) {
    const key = readItem(reader, depth - 1)
    if (!key.ok) return key
    const identity = encodeKey(key.value)
    if (seen.has(identity)) return err('duplicate_key')
    seen.add(identity)
    const value = readItem(reader, depth - 1)
    if (!value.ok) return value
    entries.push({ key: key.value, value: value.value })
  }
  return ok({ type: 'map', entries })
}

/**
 * Returns a text that is equal for equal keys (§5.6). Text, integer and byte string keys are compared by
 * their values, whatever their encoding. Other keys are compared by their encoded bytes.
 */
function encodeKey(key: CborItem): string {
  if (key.type === 'text' || key.type === 'integer') return `${key.type}:${key.value}`
  if (key.type === 'bytes') return `bytes:${encodeHex(key.value)}`
  return `other:${encodeHex(key.encoded)}`
}

/** Reads a boolean, null, undefined or a float (§3.3). Rejects other simple values. */
function readSimple(reader: Reader, { info, argument }: Head): Result<CborContent, CborError> {
  if (info >= 25) return ok({ type: 'float', value: readFloat(reader, info) })
  // Simple values from 32 on have their own argument byte. The standard gives none of them a meaning.
  if (info === 24 || typeof argument !== 'number' || !SIMPLE.has(argument)) return err('malformed')
  return ok({ type: 'simple', value: SIMPLE.get(argument) })
}

const SIMPLE: ReadonlyMap<number, boolean | null | undefined> = new Map([
  [20, false],
  [21, true],
  [22, null],
  [23, undefined],
])

/** Decodes the argument bytes before `offset` as an IEEE 754 number of 16, 32 or 64 bits. */
function readFloat({ bytes, offset }: Reader, info: number): number {
  const width = 2 ** (info - 24)
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset - width, width)
  if (width === 8) return view.getFloat64(0)
  return width === 4 ? view.getFloat32(0) : halfFloat(view.getUint16(0))
}

/** Decodes a half-precision number (Appendix D). */
function halfFloat(half: number): number {
  const exponent = (half >> 10) & 0x1f
  const fraction = half & 0x3ff
  const sign = half & 0x8000 ? -1 : 1
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1024 + fraction) * 2 ** (exponent - 25)
}

function negative(argument: number | bigint): number | bigint {
  if (typeof argument === 'number' && argument < Number.MAX_SAFE_INTEGER) return -1 - argument
  return -1n - BigInt(argument)
}

function takeBytes(reader: Reader, length: number): Uint8Array<ArrayBuffer> | undefined {
  const end = reader.offset + length
  if (end > reader.bytes.length) return undefined
  const taken = reader.bytes.subarray(reader.offset, end)
  reader.offset = end
  return taken
}

/** Returns the text of a text item; `undefined` for any other item. */
export function readText(item: CborItem | undefined): string | undefined {
  return item?.type === 'text' ? item.value : undefined
}

/** Returns the value of an integer up to 2^53; `undefined` for a larger integer and for any other item. */
export function readInteger(item: CborItem | undefined): number | undefined {
  return item?.type === 'integer' && typeof item.value === 'number' ? item.value : undefined
}

/** Returns the content of a byte string; `undefined` for any other item. */
export function readBytes(item: CborItem | undefined): Uint8Array<ArrayBuffer> | undefined {
  return item?.type === 'bytes' ? item.value : undefined
}

/**
 * Returns the undecoded bytes of embedded CBOR (§3.4.5.1: tag 24 around a byte string); `undefined` for any
 * other item.
 */
export function readEmbedded(item: CborItem | undefined): Uint8Array<ArrayBuffer> | undefined {
  return item?.type === 'tag' && item.tag === 24 ? readBytes(item.content) : undefined
}

/** Returns true if an item is a map and each of its keys is one of `names`. */
export function isMapOf(item: CborItem | undefined, ...names: readonly string[]): boolean {
  return (
    item?.type === 'map' && item.entries.every(({ key }) => key.type === 'text' && names.includes(key.value))
  )
}
