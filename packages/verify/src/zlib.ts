// Inflation on platforms without `node:zlib`, such as browsers. The build puts it in the place of `node:zlib`
// there. Like `node:zlib`, it stops at a limit and compares the checksum.

import { Gunzip, Unzlib } from 'fflate'

type Limit = { readonly maxOutputLength: number }

/** Inflates a zlib stream (RFC 1950). Throws a `RangeError` over the limit, else an `Error` for bad bytes. */
export function inflateSync(compressed: Uint8Array, { maxOutputLength }: Limit): Uint8Array {
  const inflated = inflate((onData) => new Unzlib(onData), compressed, maxOutputLength)
  const view = viewOf(compressed)
  if (view.getUint32(compressed.length - 4) !== adler32(inflated)) throw new Error('incorrect data check')
  return inflated
}

/** Inflates a gzip stream (RFC 1952). Throws a `RangeError` over the limit, else an `Error` for bad bytes. */
export function gunzipSync(compressed: Uint8Array, { maxOutputLength }: Limit): Uint8Array {
  const inflated = inflate((onData) => new Gunzip(onData), compressed, maxOutputLength)
  const view = viewOf(compressed)
  if (view.getUint32(compressed.length - 8, true) !== crc32(inflated)) throw new Error('incorrect data check')
  if (view.getUint32(compressed.length - 4, true) !== inflated.length)
    throw new Error('incorrect length check')
  return inflated
}

/** Bytes that are inflated at once. They become at most about four million bytes. */
const STEP = 4096

type OnData = (chunk: Uint8Array) => void

function inflate(
  open: (onData: OnData) => { readonly push: (chunk: Uint8Array, final: boolean) => void },
  compressed: Uint8Array,
  limit: number,
): Uint8Array {
  if (compressed.length < 8) throw new Error('unexpected end of file')
  const chunks: Uint8Array[] = []
  let length = 0
  const stream = open((chunk) => {
    length += chunk.length
    if (length > limit) throw new RangeError('the inflated bytes exceed the limit')
    chunks.push(chunk)
  })
  for (let i = 0; i < compressed.length; i += STEP)
    stream.push(compressed.subarray(i, i + STEP), i + STEP >= compressed.length)
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const viewOf = ({ buffer, byteOffset, length }: Uint8Array) => new DataView(buffer, byteOffset, length)

/** Adler-32 (RFC 1950 §8.2). */
function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0]
  for (const byte of bytes) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  return ((b << 16) | a) >>> 0
}

/** CRC-32 (RFC 1952 §8). */
function crc32(bytes: Uint8Array): number {
  let crc = 0xff_ff_ff_ff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xed_b8_83_20 & -(crc & 1))
  }
  return ~crc >>> 0
}
