// The list itself: a compressed stream of entries of 1, 2, 4 or 8 bits (draft-ietf-oauth-status-list §4), or of bits (W3C
// Bitstring Status List §2.2). A few hundred bytes can inflate to a million, so how far it may is said before it begins.

import { gunzipSync, inflateSync } from 'node:zlib'
import { STATUS_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CompressedStatusList, StatusListError } from './status-token.ts'

/**
 * Inflates a whole list. `too_large` beyond `limit`; `malformed_list` where it is not a stream of its kind, or is shorter than
 * its layout allows. Called once for a new list, before an entry of it is used.
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

/** The entry at `index`, a number from 0 to 2^bits − 1, of a list that is held or else inflated anew. */
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
 * The whole list, of at most `limit` bytes. By `node:zlib`, which stops there: a `DecompressionStream` in workerd inflates all
 * that it is handed before anything of it can be read, so that nobody who reads can stop it.
 */
function inflate(
  { layout, compressed }: CompressedStatusList,
  limit: number,
): Result<Uint8Array, StatusListError> {
  const unpack = layout === 'bitstring' ? gunzipSync : inflateSync
  try {
    return ok(unpack(compressed, { maxOutputLength: limit }))
  } catch (error) {
    // Beyond the limit it is a RangeError; everything else is the platform's word for what is no such stream.
    return err(error instanceof RangeError ? 'too_large' : 'malformed_list')
  }
}
