// The list itself: a compressed stream of entries of 1, 2, 4 or 8 bits (draft-ietf-oauth-status-list §4), or of bits (W3C
// Bitstring Status List §2.2). It is read as a stream, for a few hundred bytes can inflate to a million; held whole are only
// lists whose size is known to be small.

import { STATUS_LIST } from '../limits.ts'
import { err, ok, type Result } from '../result.ts'
import type { CompressedStatusList, StatusListFault } from './status-token.ts'

/**
 * Bytes the whole list inflates to. `too_large` beyond `limit`, seen while inflating; `malformed_list` where it is no such
 * stream, or shorter than its layout allows. To be asked once of a new list, before any entry of it is believed.
 */
export async function measureStatusList(
  list: CompressedStatusList,
  limit: number = STATUS_LIST.inflatedBytes,
): Promise<Result<number, StatusListFault>> {
  let size = 0
  const whole = await inflate(list, (chunk) => {
    size += chunk.length
    return size <= limit
  })
  if (size > limit) return err('too_large')
  const minimum = list.layout === 'bitstring' ? STATUS_LIST.bitstringBytes : 1
  return whole && size >= minimum ? ok(size) : err('malformed_list')
}

/** The whole list, whose `size` was measured; `undefined` where it is too large to be held. */
export async function holdStatusList(
  list: CompressedStatusList,
  size: number,
): Promise<Uint8Array | undefined> {
  if (size > STATUS_LIST.heldBytes) return undefined
  const held = new Uint8Array(size)
  let offset = 0
  await inflate(list, (chunk) => {
    held.set(chunk, offset)
    offset += chunk.length
    return true
  })
  return held
}

/** The entry at `index`, a number from 0 to 2^bits − 1, of a list that is held or else inflated no further than to it. */
export async function readStatus(
  list: CompressedStatusList,
  index: number,
  held?: Uint8Array,
): Promise<Result<number, StatusListFault>> {
  if (!Number.isSafeInteger(index) || index < 0) return err('index_out_of_range')
  const { layout, bits } = list
  const perByte = 8 / bits
  const target = Math.floor(index / perByte)
  if (target >= STATUS_LIST.inflatedBytes) return err('index_out_of_range')
  const byte = held === undefined ? await inflateTo(list, target) : ok(held[target])
  if (!byte.ok) return byte
  if (byte.value === undefined) return err('index_out_of_range')
  const place = layout === 'bitstring' ? perByte - 1 - (index % perByte) : index % perByte
  return ok((byte.value >> (place * bits)) & (2 ** bits - 1))
}

/** The byte at `target`; `undefined` where the list ends before it. */
async function inflateTo(
  list: CompressedStatusList,
  target: number,
): Promise<Result<number | undefined, StatusListFault>> {
  let offset = 0
  let byte: number | undefined
  const whole = await inflate(list, (chunk) => {
    byte = chunk[target - offset]
    offset += chunk.length
    return byte === undefined
  })
  return whole || byte !== undefined ? ok(byte) : err('malformed_list')
}

/** Inflates until `wants` says no more. True where the stream was well-formed up to its end. */
async function inflate(
  { layout, compressed }: CompressedStatusList,
  wants: (chunk: Uint8Array) => boolean,
): Promise<boolean> {
  const format = layout === 'bitstring' ? 'gzip' : 'deflate'
  const reader = slices(compressed).pipeThrough(new DecompressionStream(format)).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return true
      if (wants(value)) continue
      await reader.cancel()
      return false
    }
  } catch {
    return false // the platform's word for what is not DEFLATE, or ends too early (Compression Standard §5)
  }
}

/** Small pieces, each handed over when it is asked for: what is never inflated needs no room. */
function slices(compressed: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let offset = 0
  return new ReadableStream({
    pull(controller) {
      const end = Math.min(offset + STATUS_LIST.sliceBytes, compressed.length)
      if (offset < end) controller.enqueue(compressed.slice(offset, end))
      offset = end
      if (offset === compressed.length) controller.close()
    },
  })
}
