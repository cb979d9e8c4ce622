import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { adler32, deflateRows } from '../../src/qr/zlib.ts'

// zlib checks the stream: it rejects a wrong header, code, distance or checksum.
function restored(data: Uint8Array, rowBytes: number): Uint8Array {
  return new Uint8Array(inflateSync(deflateRows(data, rowBytes)))
}

/** Bytes without structure, the same on every run. */
function noise(length: number): Uint8Array {
  let state = 1
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 24
  })
}

describe('a compressed stream', () => {
  it.each([
    ['nothing', new Uint8Array(), 7],
    ['one byte', Uint8Array.of(255), 7],
    ['every byte value', Uint8Array.from({ length: 256 }, (_, i) => i), 16],
    ['bytes without structure', noise(70_000), 129],
    ['one value only', new Uint8Array(70_000).fill(0xff), 129],
    ['rows longer than the window', new Uint8Array([...noise(40_000), ...noise(40_000)]), 40_000],
    [
      'three bytes that return at the far end of the window',
      new Uint8Array([1, 2, 3, ...noise(32_765), 1, 2, 3]),
      9,
    ],
    ['three bytes that return past it', new Uint8Array([1, 2, 3, ...noise(32_766), 1, 2, 3]), 9],
  ])('gives back what went in: %s', (_, data, rowBytes) => {
    expect(Buffer.compare(restored(data, rowBytes), data)).toBe(0)
  })

  it('gives back matches of every length at the distance of one byte and of one row', () => {
    for (let length = 0; length <= 600; length++) {
      const run = new Uint8Array([7, ...new Uint8Array(length).fill(9), 8])
      expect(Buffer.compare(restored(run, 5), run), `run of ${length}`).toBe(0)
      const row = noise(length + 1)
      const rows = new Uint8Array([...row, ...row, 1])
      expect(Buffer.compare(restored(rows, length + 1), rows), `row of ${length + 1}`).toBe(0)
    }
  })

  it('gives back a repetition at every distance up to 5,000 bytes', () => {
    for (let distance = 1; distance <= 5000; distance += 7) {
      const data = new Uint8Array([...noise(distance), ...noise(distance)])
      expect(Buffer.compare(restored(data, distance), data), `distance ${distance}`).toBe(0)
    }
  })

  it('never outgrows its input by more than an eighth and 16 bytes', () => {
    const bytes = noise(10_000)
    const worst = bytes.map((byte) => 144 + (byte % 112)) // literals of 9 bits
    expect(deflateRows(worst, 100).length).toBeLessThanOrEqual(10_000 * 1.125 + 16)
  })

  it('is small where rows repeat', () => {
    const row = noise(129)
    const rows = new Uint8Array(Array.from({ length: 1000 }, () => [...row]).flat())
    expect(deflateRows(rows, 129).length).toBeLessThan(1500)
  })
})

describe('adler32', () => {
  it('gives the published checksum of a known text, and 1 for nothing', () => {
    expect(adler32(new TextEncoder().encode('Wikipedia'))).toBe(0x11e60398)
    expect(adler32(new Uint8Array())).toBe(1)
  })

  it('does not overflow on the largest bytes', () => {
    // 70,000 times 255: low = 1 + 70,000·255, high = 70,000 + 255·(70,000·70,001/2), both modulo 65,521.
    const low = (1 + 70_000 * 255) % 65_521
    const high = Number((70_000n + (255n * 70_000n * 70_001n) / 2n) % 65_521n)
    expect(adler32(new Uint8Array(70_000).fill(255))).toBe(high * 65_536 + low)
  })
})
