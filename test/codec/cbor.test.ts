import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '../../src/codec/bytes.ts'
import { type CborItem, decodeCbor, findEntry } from '../../src/codec/cbor.ts'
import annexD from '../vectors/iso18013-5-annexD.json' with { type: 'json' }

const LIMITS = { bytes: 100_000, depth: 16, items: 10_000 }

const bytesOf = (hex: string) => decodeHex(hex) ?? new Uint8Array()
const read = (hex: string, limits = LIMITS) => decodeCbor(bytesOf(hex), limits)

/** The plain value of an item, for comparison. */
function plain(item: CborItem): unknown {
  switch (item.type) {
    case 'array':
      return item.items.map(plain)
    case 'map':
      return item.entries.map(({ key, value }) => [plain(key), plain(value)])
    case 'tag':
      return { tag: item.tag, content: plain(item.content) }
    case 'bytes':
      return `h'${encodeHex(item.value)}'`
    default:
      return item.value
  }
}

/** RFC 8949 Appendix A, as far as it is definite. */
const EXAMPLES: readonly (readonly [hex: string, value: unknown])[] = [
  ['00', 0],
  ['17', 23],
  ['1818', 24],
  ['1903e8', 1000],
  ['1a000f4240', 1_000_000],
  ['1b000000e8d4a51000', 1_000_000_000_000],
  ['1bffffffffffffffff', 18_446_744_073_709_551_615n],
  ['3bffffffffffffffff', -18_446_744_073_709_551_616n],
  ['20', -1],
  ['3903e7', -1000],
  ['f90000', 0],
  ['f93c00', 1],
  ['fb3ff199999999999a', 1.1],
  ['f97bff', 65_504],
  ['fa47c35000', 100_000],
  ['f90001', 2 ** -24],
  ['f9c400', -4],
  ['f97c00', Number.POSITIVE_INFINITY],
  ['f97e00', Number.NaN],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['f7', undefined],
  ['c11a514b67b0', { tag: 1, content: 1_363_896_240 }],
  ['d818456449455446', { tag: 24, content: "h'6449455446'" }],
  ['40', "h''"],
  ['4401020304', "h'01020304'"],
  ['60', ''],
  ['62225c', '"\\'],
  ['62c3bc', 'ü'],
  ['64f0908591', '𐅑'],
  ['8301820203820405', [1, [2, 3], [4, 5]]],
  [
    'a201020304',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [
    'a26161016162820203',
    [
      ['a', 1],
      ['b', [2, 3]],
    ],
  ],
]

describe('published CBOR examples', () => {
  it.each(EXAMPLES)('the decoder reads %s', (hex, value) => {
    const item = read(hex)
    expect(item.ok && plain(item.value)).toEqual(value)
    expect(item.ok && encodeHex(item.value.encoded)).toBe(hex)
  })

  it('the decoder reads a whole ISO 18013-5 response, and keeps the bytes of its first document', () => {
    const item = read(annexD.ISO_18013_5_ANNEX_D_DEVICE_RESPONSE)
    if (!item.ok) throw new Error(item.error)
    const documents = findEntry(item.value, 'documents')
    const [document] = documents?.type === 'array' ? documents.items : []
    expect(document && findEntry(document, 'docType')).toMatchObject({ value: 'org.iso.18013.5.1.mDL' })
    expect(annexD.ISO_18013_5_ANNEX_D_DEVICE_RESPONSE).toContain(
      encodeHex(document?.encoded ?? new Uint8Array()),
    )
  })
})

const MALFORMED = {
  'no bytes at all': '',
  'a head cut short': '19',
  'an argument cut short': '1903',
  'bytes cut short': '420a',
  'an array cut short': '820a',
  'a map cut short': 'a20a0b0c',
  'something after the end': '0000',
  'an indefinite array': '9f01ff',
  'an indefinite map': 'bf0102ff',
  'indefinite bytes': '5f4101ff',
  'indefinite text': '7f6161ff',
  'a lone break': 'ff',
  'a reserved argument': '1c',
  'text that is not UTF-8': '61ff',
  'a lone surrogate': '63eda080',
  'a simple value without a meaning': 'f0',
  'a simple value in two bytes': 'f820',
  'false in two bytes': 'f814',
  'a length no input has': '5bffffffffffffffff',
  'an array longer than the input': '9a00ffffff',
  'a map longer than the input': 'ba00ffffff',
  'a tag without content': 'c1',
}

describe('invalid CBOR', () => {
  it.each(Object.entries(MALFORMED))('is rejected: %s', (_, hex) => {
    expect(read(hex)).toEqual({ ok: false, error: 'malformed' })
  })

  it.each(['a201000100', 'a2616100616100', 'a21801000100', 'a24101004101f6', 'a281000081000a'])(
    'invalid CBOR with a duplicate key in any encoding is rejected: %s',
    (hex) => {
      expect(read(hex)).toEqual({ ok: false, error: 'duplicate_key' })
    },
  )

  it('invalid CBOR with a duplicate key at a deep level is rejected', () => {
    expect(read('81a1d81801a201000100')).toEqual({ ok: false, error: 'duplicate_key' })
  })

  it('a map with the keys 1 and "1" is valid, and is accepted', () => {
    expect(read('a20100613100').ok).toBe(true)
  })
})

describe('the decoder', () => {
  it('checks the limit of bytes before it reads the input', () => {
    expect(read('00'.repeat(11), { ...LIMITS, bytes: 10 })).toEqual({ ok: false, error: 'too_large' })
  })

  it('applies the limit of depth to arrays, maps and tags', () => {
    for (const opening of ['81', 'a100', 'c1']) {
      expect(read(`${opening.repeat(15)}00`).ok).toBe(true)
      expect(read(`${opening.repeat(16)}00`)).toEqual({ ok: false, error: 'too_deep' })
      expect(read(`${opening.repeat(10_000)}00`)).toEqual({ ok: false, error: 'too_deep' })
    }
  })

  it('applies the limit of items to the whole input', () => {
    expect(read('8301820203820405', { ...LIMITS, items: 8 }).ok).toBe(true)
    expect(read('8301820203820405', { ...LIMITS, items: 7 })).toEqual({ ok: false, error: 'too_many_items' })
  })
})

describe('a real response', () => {
  const bytes = bytesOf(annexD.ISO_18013_5_ANNEX_D_DEVICE_RESPONSE)

  it('is rejected if it is cut short, and is decoded or rejected without an exception if one bit is flipped', () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(decodeCbor(bytes.slice(0, length), LIMITS).ok).toBe(false)
    }
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice()
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const item = decodeCbor(flipped, LIMITS)
      if (item.ok) expect(item.value.encoded.length).toBe(flipped.length)
    }
  })
})
