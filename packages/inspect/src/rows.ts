// Rows of decoded JSON and CBOR: one for each value, named by its path.

import { encodeHex } from '../../../src/codec/bytes.ts'
import { type CborItem, decodeCbor, readEmbedded } from '../../../src/codec/cbor.ts'
import { isJsonObject, type Json } from '../../../src/codec/json.ts'
import { INPUT, REPORT } from './limits.ts'
import type { Meanings } from './meanings.ts'
import { type Row, row } from './report.ts'

/** Returns a row for each value of a JSON value. `names`: meanings of the names. */
export function jsonRows(value: Json, names: Meanings = {}): readonly Row[] {
  const rows: Row[] = []
  addJson(value, '', names, rows)
  return rows
}

function addJson(value: Json, path: string, names: Meanings, rows: Row[]): void {
  if (rows.length > REPORT.rows) return
  const entries: readonly (readonly [string, Json])[] = isJsonObject(value)
    ? Object.entries(value).map(([name, inner]) => [path === '' ? name : `${path}.${name}`, inner])
    : Array.isArray(value)
      ? value.map((inner: Json, i) => [`${path}[${i}]`, inner])
      : []
  if (entries.length === 0) {
    rows.push(row(path, textOf(path, value), meaningOf(path, names, rows)))
    return
  }
  // A list of plain values is one row.
  if (Array.isArray(value) && value.length <= 20 && value.every((inner: Json) => !isNested(inner))) {
    rows.push(row(path, JSON.stringify(value), meaningOf(path, names, rows)))
    return
  }
  for (const [name, inner] of entries) addJson(inner, name, names, rows)
}

function isNested(value: Json): boolean {
  return (typeof value === 'object' && value !== null) || (typeof value === 'string' && value.length > 200)
}

/** Members whose number is a time in Unix seconds (RFC 7519 §4.1). */
const TIMES: ReadonlySet<string> = new Set(['iat', 'exp', 'nbf', 'auth_time', 'updated_at', 'sigT'])

function textOf(path: string, value: Json): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && TIMES.has(path.slice(path.lastIndexOf('.') + 1)))
    return `${value} (${timeText(value)})`
  return JSON.stringify(value)
}

/** Returns Unix seconds as text. */
export function timeText(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? 'no time' : date.toISOString().replace('.000Z', 'Z')
}

/**
 * Returns the meaning of a path: that of the path without indexes, or of its first name at the first row of
 * this name.
 */
function meaningOf(path: string, names: Meanings, rows: readonly Row[]) {
  const plain = path.replaceAll(/\[\d+\]/g, '')
  if (Object.hasOwn(names, plain)) return names[plain]
  const [first = ''] = plain.split('.')
  const isFirst = !rows.some(({ name }) => name.split(/[.[]/, 1)[0] === first)
  return isFirst && Object.hasOwn(names, first) ? names[first] : undefined
}

/** Returns a row for each value of a CBOR item. Embedded CBOR (tag 24) is decoded. */
export function cborRows(item: CborItem, names: Meanings = {}): readonly Row[] {
  const rows: Row[] = []
  addCbor(item, '', names, rows, 0)
  return rows
}

/** Levels of embedded CBOR that are decoded. */
const EMBEDDED_DEPTH = 8

function addCbor(item: CborItem, path: string, names: Meanings, rows: Row[], embedded: number): void {
  if (rows.length > REPORT.rows) return
  const bytes = readEmbedded(item)
  const inner = bytes && embedded < EMBEDDED_DEPTH ? decodeCbor(bytes, INPUT.cbor) : undefined
  if (inner?.ok) {
    addCbor(inner.value, path, names, rows, embedded + 1)
    return
  }
  if (item.type === 'map' && item.entries.length > 0) {
    for (const { key, value } of item.entries) {
      const name = keyText(key)
      addCbor(value, path === '' ? name : `${path}.${name}`, names, rows, embedded)
    }
    return
  }
  if (item.type === 'array' && item.items.length > 0) {
    for (const [i, value] of item.items.entries()) addCbor(value, `${path}[${i}]`, names, rows, embedded)
    return
  }
  rows.push(row(path, cborText(item), meaningOf(path, names, rows)))
}

function keyText(key: CborItem): string {
  return key.type === 'text' || key.type === 'integer' ? String(key.value) : cborText(key)
}

/** Returns a CBOR item as a short text, in the manner of diagnostic notation (RFC 8949 §8). */
export function cborText(item: CborItem): string {
  if (item.type === 'text') return item.value
  if (item.type === 'bytes')
    return `h'${encodeHex(item.value.subarray(0, 256))}' (${item.value.length} bytes)`
  if (item.type === 'tag') return `${item.tag}(${cborText(item.content)})`
  if (item.type === 'map') return `{${item.entries.length} entries}`
  return item.type === 'array' ? `[${item.items.length} items]` : String(item.value)
}
