// The inflation without `node:zlib`: the same results as node:zlib.

import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import * as own from '../../packages/verify/src/zlib.ts'

const LIMIT = { maxOutputLength: 200_000 }
const SAMPLES: Readonly<Record<string, Uint8Array>> = {
  'no bytes': new Uint8Array(),
  'one byte': Uint8Array.of(7),
  zeros: new Uint8Array(200_000),
  'all bytes': Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7 + (i >> 5)) & 255),
}

describe.each([
  ['zlib', deflateSync, own.inflateSync, inflateSync],
  ['gzip', gzipSync, own.gunzipSync, gunzipSync],
] as const)('a %s stream', (_, pack, unpack, judge) => {
  it.each(Object.keys(SAMPLES))('a stream of %s inflates to the same bytes as with node:zlib', (name) => {
    const packed = new Uint8Array(pack(SAMPLES[name] as Uint8Array))
    expect(Buffer.compare(unpack(packed, LIMIT), judge(packed, LIMIT))).toBe(0)
  })

  it('a stream that inflates to more bytes than the limit throws a RangeError', () => {
    for (const length of [200_001, 50_000_000]) {
      const packed = new Uint8Array(pack(new Uint8Array(length)))
      expect(() => unpack(packed, LIMIT)).toThrow(RangeError)
      expect(() => judge(packed, LIMIT)).toThrow(RangeError)
    }
  })

  it('a stream with one changed byte is refused or gives the original bytes, and a stream without its end is refused', () => {
    const bytes = Buffer.from('a status list with some words, and again: a status list with some words')
    const packed = new Uint8Array(pack(bytes))
    const outcome = (inflate: typeof unpack, text: Uint8Array) => {
      try {
        return Buffer.from(inflate(text, LIMIT)).toString('hex')
      } catch (error) {
        return error instanceof RangeError ? 'too large' : 'malformed'
      }
    }
    let refused = 0
    for (let i = 0; i < packed.length; i++) {
      const changed = packed.slice()
      changed[i] = (changed[i] ?? 0) ^ 0x15
      const ours = outcome(unpack, changed)
      if (ours === 'malformed') refused += 1
      else expect(ours).toBe(bytes.toString('hex'))
      expect([i, outcome(unpack, packed.slice(0, i))]).toEqual([i, 'malformed'])
    }
    expect(refused).toBeGreaterThan(packed.length / 2)
  })
})
