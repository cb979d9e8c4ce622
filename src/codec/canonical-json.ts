// JSON in one spelling (RFC 8785, JSON Canonicalization Scheme), so that anyone can recompute a hash of it
// years later. The scheme prescribes ECMAScript's own numbers and strings.

import type { Json } from './json.ts'

/**
 * The canonical text: no white space, members sorted by the UTF-16 code units of their names (§3.2.3).
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
