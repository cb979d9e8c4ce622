import { describe, expect, it } from 'vitest'
import { decodeHex } from '../../src/codec/bytes.ts'
import {
  decodeDer,
  readBitString,
  readBoolean,
  readObjectIdentifier,
  readPositiveInteger,
  readSmallInteger,
  readText,
  readTime,
} from '../../src/codec/der.ts'

const bytes = (hex: string) => decodeHex(hex.replaceAll(' ', '')) ?? new Uint8Array()
const decode = (hex: string) => decodeDer(bytes(hex))

describe('decodeDer', () => {
  it('keeps the bytes of every element as they were received', () => {
    const element = decode('30 08 02 01 05 04 03 61 62 63')
    expect(element?.children.map((child) => child.encoded)).toEqual([bytes('020105'), bytes('0403616263')])
    expect(element?.children[1]?.content).toEqual(bytes('616263'))
  })

  it('accepts a long length in its shortest form', () => {
    expect(decode(`04 81 80 ${'00'.repeat(128)}`)?.content.length).toBe(128)
  })

  it.each([
    ['empty input', ''],
    ['an identifier without a length', '30'],
    ['content that ends early', '04 03 61 62'],
    ['a length with missing octets', '04 82 01'],
    ['bytes after the element', '05 00 00'],
    ['a child that reaches beyond its parent', '30 03 04 02 61'],
    ['the indefinite length', '30 80 05 00 00 00'],
    ['a length with a leading zero octet', `04 82 00 80 ${'00'.repeat(128)}`],
    ['a length in long form that fits the short form', '04 81 01 61'],
    ['a length of five octets', '04 85 00 00 00 00 01 61'],
    ['a high tag number', '1f 1f 00'],
    ['end-of-contents', '00 00'],
    ['a constructed OCTET STRING', '24 03 04 01 61'],
    ['a primitive SEQUENCE', '10 00'],
  ])('rejects %s', (_, hex) => {
    expect(decode(hex)).toBeUndefined()
  })

  it('accepts 16 levels of nesting, and rejects more', () => {
    const nested = (depth: number): string => {
      let hex = '0500'
      for (let i = 1; i < depth; i++) hex = `30${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`
      return hex
    }
    expect(decode(nested(16))).toBeDefined()
    expect(decode(nested(17))).toBeUndefined()
  })
})

describe('the reader of DER values', () => {
  // X.690 §8.19.5; the others are identifiers as RFC 5480 §2.1.1 and RFC 8410 §9 print them in hexadecimal.
  it.each([
    ['06 03 88 37 03', '2.999.3'],
    ['06 08 2a 86 48 ce 3d 03 01 07', '1.2.840.10045.3.1.7'],
    ['06 03 2b 65 70', '1.3.101.112'],
    ['06 01 00', '0.0'],
    ['06 01 27', '0.39'],
    ['06 01 28', '1.0'],
    ['06 01 50', '2.0'],
  ])('reads object identifier %s as %s', (hex, dotted) => {
    expect(readObjectIdentifier(decode(hex))).toBe(dotted)
  })

  it('reads an object identifier arc of 128 bits (X.667 §7; encoded by OpenSSL)', () => {
    const element = decode('06 14 69 83 f0 9d a7 eb cf de e0 c7 a1 a7 b2 c0 94 8c c8 f9 d7 76')
    expect(readObjectIdentifier(element)).toBe('2.25.329800735698586629295641978511506172918')
  })

  it.each([
    ['an empty object identifier', '06 00'],
    ['an object identifier arc with a leading zero octet', '06 03 2a 80 01'],
    ['an object identifier whose last arc does not end', '06 02 2a 86'],
  ])('rejects %s', (_, hex) => {
    expect(readObjectIdentifier(decode(hex))).toBeUndefined()
  })

  it('reads only the octet FF as TRUE', () => {
    expect(['0101ff', '010100', '010101', '0102ffff'].map((hex) => readBoolean(decode(hex)))).toEqual([
      true,
      false,
      undefined,
      undefined,
    ])
  })

  it('reads positive integers without their sign octet, and rejects zero, negative and padded integers', () => {
    expect(readPositiveInteger(decode('02 02 00 ff'))).toEqual(bytes('ff'))
    for (const hex of ['020100', '0201ff', '0202007f', '0202ffff', '0200']) {
      expect(readPositiveInteger(decode(hex))).toBeUndefined()
    }
  })

  it('reads small integers up to 2^31-1', () => {
    expect(readSmallInteger(decode('02047fffffff'))).toBe(2 ** 31 - 1)
    for (const hex of ['02050080000000', '0201ff', '02020001']) {
      expect(readSmallInteger(decode(hex))).toBeUndefined()
    }
  })

  it('rejects a bit string with unused bits that are not zero or with an invalid number of unused bits', () => {
    expect(readBitString(decode('03 02 07 80'))).toEqual({ bytes: bytes('80'), unusedBits: 7 })
    for (const hex of ['03020781', '0300', '030108', '03020880', '030101']) {
      expect(readBitString(decode(hex))).toBeUndefined()
    }
  })

  const time = (tag: string, text: string) => {
    const hex = Buffer.from(text).toString('hex')
    return readTime(decode(`${tag}${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`))
  }

  it.each([
    ['17', '491231235959Z', '2049-12-31T23:59:59Z'],
    ['17', '500101000000Z', '1950-01-01T00:00:00Z'],
    ['17', '240229000000Z', '2024-02-29T00:00:00Z'],
    ['18', '20500101000000Z', '2050-01-01T00:00:00Z'],
    ['18', '99991231235959Z', '9999-12-31T23:59:59Z'],
    ['18', '00500101000000Z', '0050-01-01T00:00:00Z'],
  ])('reads the time with tag %s and text %s', (tag, text, iso) => {
    expect(time(tag, text)).toBe(Date.parse(iso) / 1000)
  })

  it.each([
    ['17', '2401010000Z'],
    ['17', '240101000000+0100'],
    ['17', '20240101000000Z'],
    ['17', '230229000000Z'],
    ['17', '240101240000Z'],
    ['17', '240001000000Z'],
    ['18', '20240101000000.5Z'],
    ['18', '20240101000000'],
    ['18', '20240101000060Z'],
    ['04', '20240101000000Z'],
  ])('rejects the time with tag %s and text %s', (tag, text) => {
    expect(time(tag, text)).toBeUndefined()
  })

  it.each([
    ['0c 02 c3 bc', 'ü'],
    ['0c 02 c3 28', undefined],
    ['13 01 61', 'a'],
    ['16 01 e4', undefined],
    ['1e 04 00 fc 20 ac', 'ü€'],
    ['1e 02 d8 00', undefined],
    ['1e 01 61', undefined],
    ['14 01 61', undefined],
  ])('reads the text value %s as %s (undefined: the text is rejected)', (hex, text) => {
    const element = decode(hex)
    expect(element && readText(element)).toBe(text)
  })
})
