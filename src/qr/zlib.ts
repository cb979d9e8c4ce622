// A zlib stream (RFC 1950) of one deflate block with fixed Huffman codes (RFC 1951 §3.2.6), for pictures made
// of rows. Repetitions are searched in two places: the row above, and the last place with the same three
// bytes. For a QR code that finds nearly all of them. It runs in one synchronous pass, while the platform's
// compressor is a stream.

/** Compresses `data`, whose rows are `rowBytes` long. */
export function deflateRows(data: Uint8Array, rowBytes: number): Uint8Array<ArrayBuffer> {
  const out = bitWriter(data.length)
  out.bits(0x78, 8) // CM 8, 32 KiB window
  out.bits(0x01, 8) // fastest algorithm; FCHECK makes the two bytes a multiple of 31
  out.bits(1, 1) // BFINAL
  out.bits(1, 2) // BTYPE: fixed codes
  const recent = new Int32Array(RECENT_PLACES).fill(NOWHERE)
  for (let at = 0; at < data.length; ) {
    const above = matchLength(data, at, at - rowBytes)
    const key = tripleKey(data, at)
    const seen = above === MAXIMUM_MATCH ? NOWHERE : (recent[key] ?? NOWHERE)
    const elsewhere = matchLength(data, at, seen)
    recent[key] = at
    const length = Math.max(above, elsewhere)
    if (length < MINIMUM_MATCH) writeSymbol(out, data[at++] ?? 0)
    else {
      writeMatch(out, length, elsewhere === length ? at - seen : rowBytes)
      at += length
    }
  }
  writeSymbol(out, END_OF_BLOCK)
  out.align()
  const checksum = adler32(data)
  for (const shift of [24, 16, 8, 0]) out.bits((checksum >>> shift) & 0xff, 8)
  return out.bytes()
}

/** The checksum of RFC 1950 §8.2. */
export function adler32(data: Uint8Array): number {
  let low = 1
  let high = 0
  for (let start = 0; start < data.length; start += ADLER_STEP) {
    const end = Math.min(start + ADLER_STEP, data.length)
    for (let i = start; i < end; i++) {
      low += data[i] ?? 0
      high += low
    }
    low %= ADLER_MODULUS
    high %= ADLER_MODULUS
  }
  return ((high << 16) | low) >>> 0
}

const ADLER_MODULUS = 65521
const ADLER_STEP = 4096 // keeps both sums within 32 bits between two divisions

const WINDOW = 32768
const MINIMUM_MATCH = 3
const MAXIMUM_MATCH = 258
const END_OF_BLOCK = 256

const NOWHERE = -1

// Places are stored by a hash of their three bytes. Of two with the same hash the later one stays, and
// `matchLength` compares the bytes.
const RECENT_PLACES = 4096

function tripleKey(data: Uint8Array, at: number): number {
  const bytes = ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0)
  return Math.imul(bytes, 0x9e3779b1) >>> 20
}

/** The number of bytes from `at` on that equal those from `from` on. */
function matchLength(data: Uint8Array, at: number, from: number): number {
  if (from < Math.max(0, at - WINDOW)) return 0
  const limit = Math.min(MAXIMUM_MATCH, data.length - at)
  let length = 0
  while (length < limit && data[at + length] === data[from + length]) length++
  return length
}

/** A literal byte, the end of the block or a length, in the fixed code of §3.2.6. */
function writeSymbol(out: BitWriter, symbol: number): void {
  const code = SYMBOL_CODES[symbol] ?? 0
  out.bits(code >> 4, code & 0xf)
}

/**
 * §3.2.5: codes come in groups that share a number of extra bits, four lengths or two distances to a group.
 */
function writeMatch(out: BitWriter, length: number, distance: number): void {
  const above = length - MINIMUM_MATCH
  const lengthBits = Math.max(0, 29 - Math.clz32(above))
  if (length === MAXIMUM_MATCH) writeSymbol(out, 285)
  else {
    writeSymbol(out, 257 + 4 * lengthBits + (above >> lengthBits))
    out.bits(above & ((1 << lengthBits) - 1), lengthBits)
  }
  const back = distance - 1
  const distanceBits = Math.max(0, 30 - Math.clz32(back))
  out.bits(reverse(2 * distanceBits + (back >> distanceBits), 5), 5)
  out.bits(back & ((1 << distanceBits) - 1), distanceBits)
}

type BitWriter = {
  /** Appends `count` bits of a number, least significant first. */
  readonly bits: (value: number, count: number) => void
  /** Fills up the last byte. */
  readonly align: () => void
  readonly bytes: () => Uint8Array<ArrayBuffer>
}

function bitWriter(dataLength: number): BitWriter {
  // A literal needs 9 bits at most, and a match 9 bits for each of its bytes. Head and tail are added.
  const buffer = new Uint8Array(Math.ceil((dataLength * 9) / 8) + 16)
  let position = 0
  let pending = 0
  let count = 0
  const bits = (value: number, width: number) => {
    pending |= value << count
    count += width
    for (; count >= 8; count -= 8, pending >>>= 8) buffer[position++] = pending & 0xff
  }
  return {
    bits,
    align: () => bits(0, -count & 7),
    bytes: () => buffer.slice(0, position),
  }
}

/**
 * A Huffman code is written most significant bit first (§3.1.1), everything else least significant bit first.
 */
function reverse(value: number, width: number): number {
  let reversed = 0
  for (let i = 0; i < width; i++) reversed |= ((value >> i) & 1) << (width - 1 - i)
  return reversed
}

/** The fixed code of each symbol, as it is written: its bits, and in the lowest four bits their number. */
const SYMBOL_CODES = Uint16Array.from({ length: 286 }, (_, symbol) => {
  const [value, width] = fixedCode(symbol)
  return (reverse(value, width) << 4) | width
})

function fixedCode(symbol: number): readonly [value: number, width: number] {
  if (symbol < 144) return [0x30 + symbol, 8]
  if (symbol < 256) return [0x190 + symbol - 144, 9]
  if (symbol < 280) return [symbol - 256, 7]
  return [0xc0 + symbol - 280, 8]
}
