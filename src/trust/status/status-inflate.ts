// The compressed list: entries of 1, 2, 4 or 8 bits (draft-ietf-oauth-status-list §4), or bits (W3C Bitstring
// Status List §2.2). A few hundred bytes can inflate to a million, so the limit is set in advance.

import { gunzipSync, inflateSync } from 'node:zlib'
import { STATUS_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CompressedStatusList, StatusListError } from './status-token.ts'

/**
 * Inflates a whole list. `too_large` beyond `limit`; `malformed_list` if it is not a stream of its kind, or
 * is shorter than its layout allows. Called once for a new list, before an entry of it is used.
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
 * Returns the entry at `index`, a number from 0 to 2^bits − 1. `held` is the inflated list; without it the
 * list is inflated again.
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
    // Beyond the limit the error is a RangeError. Every other error means that this is not such a stream.
    return err(error instanceof RangeError ? 'too_large' : 'malformed_list')
  }
}
