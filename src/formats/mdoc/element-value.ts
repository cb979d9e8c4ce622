// Converts values of data elements to JSON (RFC 8949 §6.1). Byte strings become base64url. Dates stay text.

import { encodeBase64url } from '../../codec/base64url.ts'
import type { CborItem } from '../../codec/cbor.ts'
import type { Json } from '../../codec/json.ts'

/**
 * Converts an item to JSON. Returns `undefined` for an integer beyond 2^53 and a float that is not finite.
 * Returns `undefined` too for a map key or a date that is not text.
 */
export function toJson(item: CborItem): Json | undefined {
  switch (item.type) {
    case 'text':
      return item.value
    case 'integer':
      return typeof item.value === 'number' ? item.value : undefined
    case 'float':
      return Number.isFinite(item.value) ? item.value : undefined
    case 'bytes':
      return encodeBase64url(item.value)
    case 'simple':
      return item.value ?? null
    case 'array':
      return allPresent(item.items.map(toJson))
    case 'map':
      return toObject(item)
    case 'tag':
      return toTagged(item)
  }
}

function allPresent(values: readonly (Json | undefined)[]): readonly Json[] | undefined {
  return values.every((value) => value !== undefined) ? values : undefined
}

/** Converts a map to an object. The CBOR decoder has already rejected duplicate keys. */
function toObject({ entries }: CborItem & { readonly type: 'map' }): Json | undefined {
  const members: [string, Json][] = []
  for (const { key, value } of entries) {
    const json = toJson(value)
    if (key.type !== 'text' || json === undefined) return undefined
    members.push([key.value, json])
  }
  return Object.fromEntries(members)
}

/**
 * Converts a tagged item. A tdate and a full-date (RFC 8949 §3.4.1, RFC 8943) must be tags around a text. Any
 * other tag is dropped, and only its content is converted.
 */
function toTagged({ tag, content }: CborItem & { readonly type: 'tag' }): Json | undefined {
  if ((tag === 0 || tag === 1004) && content.type !== 'text') return undefined
  return toJson(content)
}
