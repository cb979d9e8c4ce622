// The items that we encode, compared with RFC 8949 Appendix A, at the lengths at which a head grows.

import { expect, it } from 'vitest'
import { encodeHex } from '../../src/codec/bytes.ts'
import { type CborValue, embedCbor, encodeCbor } from '../../src/codec/cbor-encode.ts'

it.each<readonly [CborValue, string]>([
  [null, 'f6'],
  [false, 'f4'],
  [true, 'f5'],
  [0, '00'],
  [1000000, '1a000f4240'],
  [-1, '20'],
  [-10, '29'],
  [-100, '3863'],
  [-1000, '3903e7'],
  [{ map: [] }, 'a0'],
  [
    {
      map: [
        [1, 2],
        [3, 4],
      ],
    },
    'a201020304',
  ],
  [
    {
      map: [
        ['a', 1],
        ['b', [2, 3]],
      ],
    },
    'a26161016162820203',
  ],
  ['', '60'],
  ['IETF', '6449455446'],
  ['ü', '62c3bc'],
  [Uint8Array.of(1, 2, 3, 4), '4401020304'],
  [[], '80'],
  [['a', ['b']], '826161816162'],
  [{ tag: 24, content: Uint8Array.of(0x64, 0x49, 0x45, 0x54, 0x46) }, 'd818456449455446'],
  [[{ encoded: Uint8Array.of(0x18, 0x01) }], '811801'],
])('the value %j is encoded as %s', (value, hex) => {
  expect(encodeHex(encodeCbor(value))).toBe(hex)
})

it.each([
  [23, '57'],
  [24, '5818'],
  [255, '58ff'],
  [256, '590100'],
  [65_535, '59ffff'],
  [65_536, '5a00010000'],
])('a byte string of %i bytes has the shortest possible head', (length, head) => {
  expect(encodeHex(encodeCbor(new Uint8Array(length)).subarray(0, head.length / 2))).toBe(head)
})

it('embedded CBOR is tag 24 around a byte string', () => {
  expect(encodeHex(embedCbor(Uint8Array.of(0xa0)))).toBe('d81841a0')
})
