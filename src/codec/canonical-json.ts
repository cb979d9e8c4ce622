// Canonical JSON (RFC 8785, JSON Canonicalization Scheme). A value always has the same text, so anyone can
// recompute a hash of it years later. Numbers and strings are written as ECMAScript writes them.

import type { Json } from './json.ts'

/**
 * Returns the canonical text: no white space, members sorted by the UTF-16 code units of their names
 * (§3.2.3).
 *
 * @example
 * canonicalJson({ b: [1, 'x y'], a: {} }) // '{"a":{},"b":[1,"x y"]}'
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`).join(',')}}`
}
