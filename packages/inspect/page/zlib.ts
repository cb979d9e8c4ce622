// Inflation in the page. The build puts it in the place of `node:zlib`.

import { Inflate } from 'fflate'

export { gunzipSync, inflateSync } from '../../verify/src/zlib.ts'

/** Bytes that are inflated at once. They become at most about four million bytes. */
const STEP = 4096

/**
 * Inflates a raw stream (RFC 1951), with the result of `node:zlib` for `info`. `bytesWritten` is the length
 * of the data only if the stream needs all of it. Throws a `RangeError` over the limit, else an `Error`.
 */
export function inflateRawSync(data: Uint8Array, { maxOutputLength }: { readonly maxOutputLength: number }) {
  const buffer = inflateRaw(data, maxOutputLength)
  return { buffer, engine: { bytesWritten: needsAll(data, maxOutputLength) ? data.length : data.length - 1 } }
}

/** Returns true if the stream does not end without its last byte. */
function needsAll(data: Uint8Array, limit: number): boolean {
  try {
    inflateRaw(data.subarray(0, -1), limit)
    return false
  } catch {
    return true
  }
}

function inflateRaw(data: Uint8Array, limit: number): Uint8Array {
  if (data.length === 0) throw new Error('unexpected end of file')
  const chunks: Uint8Array[] = []
  let length = 0
  const stream = new Inflate((chunk) => {
    length += chunk.length
    if (length > limit) throw new RangeError('the inflated bytes exceed the limit')
    chunks.push(chunk)
  })
  for (let i = 0; i < data.length; i += STEP) stream.push(data.subarray(i, i + STEP), i + STEP >= data.length)
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
