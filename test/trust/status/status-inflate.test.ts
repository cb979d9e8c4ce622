// The published lists entry by entry, the edges of a list, and costly lists.

import { randomBytes } from 'node:crypto'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeBase64url } from '../../../src/codec/base64url.ts'
import { decodeHex } from '../../../src/codec/bytes.ts'
import { decodeCbor, findEntry } from '../../../src/codec/cbor.ts'
import { STATUS_LIST } from '../../../src/limits.ts'
import { inflateStatusList, readStatus } from '../../../src/trust/status/status-inflate.ts'
import type { CompressedStatusList } from '../../../src/trust/status/status-token.ts'
import vectors from '../../vectors/token-status-list.json' with { type: 'json' }
import { deflate } from './status-fixtures.ts'

const list = (bits: number, compressed: Uint8Array) =>
  ({ layout: 'token', bits, compressed }) as CompressedStatusList

async function read(bits: number, compressed: Uint8Array, index: number): Promise<number | string> {
  const found = readStatus(list(bits, compressed), index)
  return found.ok ? found.value : found.error
}

async function measure(compressed: Uint8Array, limit?: number): Promise<number | string> {
  const found = inflateStatusList(list(1, compressed), limit)
  return found.ok ? found.value.length : found.error
}

describe('the lists published in the specification', () => {
  it('include every entry size: 1, 2, 4 and 8 bits', () => {
    expect(vectors.lists.map(({ bits }) => bits)).toEqual([1, 2, 4, 8])
  })

  it.each(vectors.lists)(
    'the lists published in the specification with $bits bits per entry give every published status, in JSON',
    async ({ bits, lst, statuses, size }) => {
      const compressed = decodeBase64url(lst)!
      for (const [index, status] of Object.entries(statuses))
        expect([index, await read(bits, compressed, Number(index))]).toEqual([index, status])
      expect(await measure(compressed)).toBe((size * bits) / 8)
    },
  )

  it.each(vectors.lists)(
    'the lists published in the specification with $bits bits per entry give every published status, in CBOR',
    async ({ bits, cborHex, statuses }) => {
      const item = decodeCbor(decodeHex(cborHex)!, { bytes: 65_536, depth: 4, items: 16 })
      const lst = item.ok ? findEntry(item.value, 'lst') : undefined
      if (lst?.type !== 'bytes') throw new Error('the vector holds no list')
      for (const [index, status] of Object.entries(statuses))
        expect([index, await read(bits, lst.value, Number(index))]).toEqual([index, status])
    },
  )

  it.each(vectors.lists)(
    'the lists published in the specification with $bits bits per entry have no status after the last entry',
    async ({ bits, lst, size }) => {
      const compressed = decodeBase64url(lst)!
      expect(await read(bits, compressed, size - 1)).toBeTypeOf('number')
      expect(await read(bits, compressed, size)).toBe('index_out_of_range')
    },
  )
})

describe('a status list entry', () => {
  it.each([
    [1, [1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0]],
    [2, [1, 2, 0, 3, 0, 1, 0, 1]],
    [4, [9, 12, 4, 4]],
    [8, [0xc9, 0x44]],
  ])('the first status list entry of %i bits in a byte has the lowest bits', async (bits, expected) => {
    const compressed = deflate(Uint8Array.of(0xc9, 0x44))
    expect(await Promise.all(expected.map((_, index) => read(bits, compressed, index)))).toEqual(expected)
    expect(await read(bits, compressed, expected.length)).toBe('index_out_of_range')
  })

  it.each([-1, 0.5, Number.NaN, 2 ** 53, Number.MAX_SAFE_INTEGER])(
    'a status list entry at the index %d is out of range',
    async (index) => {
      expect(await read(1, deflate(Uint8Array.of(0)), index)).toBe('index_out_of_range')
    },
  )

  it('can be read from a compressed list of random bytes', async () => {
    const bytes = randomBytes(65_536)
    const compressed = deflate(bytes)
    for (const index of [0, 1023, 16_384, 65_535]) expect(await read(8, compressed, index)).toBe(bytes[index])
  })
})

describe('a compressed list', () => {
  it.each<[string, Uint8Array]>([
    ['inflates to no bytes', deflate(new Uint8Array())],
    ['has no bytes', new Uint8Array()],
    ['is cut off', deflate(randomBytes(64)).subarray(0, 60)],
    [
      'has a wrong checksum',
      deflate(Uint8Array.of(1, 2, 3)).map((b, i, all) => (i === all.length - 1 ? b ^ 1 : b)),
    ],
    ['is raw DEFLATE without the zlib wrapper', deflateRawSync(Uint8Array.of(1, 2, 3))],
    ['is gzip', gzipSync(Uint8Array.of(1, 2, 3))],
    ['is random bytes', Uint8Array.of(1, 2, 3, 4, 5)],
  ])('a compressed list that %s is rejected', async (_, compressed) => {
    expect(await measure(compressed)).toBe('malformed_list')
  })

  it('a compressed list that inflates to exactly the limit is accepted, and one that inflates to one byte more is rejected', async () => {
    expect(await measure(deflate(new Uint8Array(5000)), 5000)).toBe(5000)
    expect(await measure(deflate(new Uint8Array(5001)), 5000)).toBe('too_large')
  })

  it('a compressed list that inflates to 64 MiB is rejected long before all its bytes are inflated', async () => {
    const bomb = deflate(new Uint8Array(64 * 1_048_576))
    expect(bomb.length).toBeLessThan(STATUS_LIST.tokenBytes)
    // If it were inflated past the limit, this broken end would give another error.
    bomb.fill(0xff, bomb.length >> 1)
    expect(await measure(bomb)).toBe('too_large')
  })
})
