// Inflation of compressed status lists. A Token Status List has entries of 1, 2, 4 or 8 bits
// (draft-ietf-oauth-status-list §4). A Bitstring Status List has entries of one bit (W3C Bitstring Status
// List §2.2). A list can inflate to about a thousand times its size, so the output has a fixed limit.

import { gunzipSync, inflateSync } from 'node:zlib'
import { STATUS_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CompressedStatusList, StatusListError } from './status-token.ts'

/**
 * Inflates a whole list. The error is `too_large` if the result exceeds `limit` bytes. The error is
 * `malformed_list` if the compressed bytes are invalid, or if the result is shorter than the minimum of its
 * layout. This function is called once for each new list, before an entry of the list is read.
 */
export function inflateStatusList(
  list: CompressedStatusList,
  limit: number = STATUS_LIST.inflatedBytes,
): Result<Uint8Array, StatusListError> {
  const inflated = inflate(list, limit)
  if (!inflated.ok) return inflated
  const minimum = list.layout === 'bitstring' ? STATUS_LIST.bitstringBytes : 1
  return inflated.value.length >= minimum ? inflated : err('malformed_list')
}

/**
 * Returns the entry at `index`. The entry is a number from 0 to 2^bits − 1. `held` is the inflated list.
 * Without `held` the list is inflated again.
 */
export function readStatus(
  list: CompressedStatusList,
  index: number,
  held?: Uint8Array,
): Result<number, StatusListError> {
  if (!Number.isSafeInteger(index) || index < 0) return err('index_out_of_range')
  const { layout, bits } = list
  const perByte = 8 / bits
  const target = Math.floor(index / perByte)
  if (target >= STATUS_LIST.inflatedBytes) return err('index_out_of_range')
  const whole = held === undefined ? inflate(list, STATUS_LIST.inflatedBytes) : ok(held)
  if (!whole.ok) return whole
  const byte = whole.value[target]
  if (byte === undefined) return err('index_out_of_range')
  const place = layout === 'bitstring' ? perByte - 1 - (index % perByte) : index % perByte
  return ok((byte >> (place * bits)) & (2 ** bits - 1))
}

/**
 * Inflates at most `limit` bytes. `node:zlib` stops at the limit. A `DecompressionStream` in workerd inflates
 * its whole input before the first read, so a reader cannot stop it.
 */
function inflate(
  { layout, compressed }: CompressedStatusList,
  limit: number,
): Result<Uint8Array, StatusListError> {
  const unpack = layout === 'bitstring' ? gunzipSync : inflateSync
  try {
    return ok(unpack(compressed, { maxOutputLength: limit }))
  } catch (error) {
    // A RangeError means that the limit is exceeded. Any other error means that the compressed bytes are
    // invalid.
    return err(error instanceof RangeError ? 'too_large' : 'malformed_list')
  }
}
