import { describe, expect, it } from 'vitest'
import { concatBytes, decodeHex, decodeUtf8, encodeHex, equalBytes, utf8 } from '../../src/codec/bytes.ts'

describe('UTF-8', () => {
  it('is decoded to text if the bytes are well-formed, for characters of one to four bytes', () => {
    expect(decodeUtf8(utf8('Æ港 𝄞'))).toBe('Æ港 𝄞')
  })

  it.each([
    ['an overlong form', [0xc0, 0xaf]],
    ['an incomplete character', [0xe6, 0xb8]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a byte that never occurs in UTF-8', [0xff]],
    ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ])('is not decoded if the bytes have %s', (_, bytes) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined()
  })

  it('keeps its byte order mark when it is decoded', () => {
    expect(decodeUtf8(Uint8Array.from([0xef, 0xbb, 0xbf, 0x31]))).toBe('\ufeff1')
  })
})

describe('bytes', () => {
  it('are joined in order', () => {
    const joined = concatBytes(Uint8Array.from([1, 2]), new Uint8Array(), Uint8Array.from([3]))
    expect([...joined]).toEqual([1, 2, 3])
  })

  it('are equal only if each byte and the length are equal', () => {
    const bytes = Uint8Array.from([1, 2, 3])
    expect(equalBytes(bytes, Uint8Array.from([1, 2, 3]))).toBe(true)
    expect(equalBytes(bytes, Uint8Array.from([1, 2, 4]))).toBe(false)
    expect(equalBytes(bytes, Uint8Array.from([1, 2]))).toBe(false)
    expect(equalBytes(new Uint8Array(), bytes)).toBe(false)
  })

  it('are written in lower-case hexadecimal, and read from lower or upper case', () => {
    expect(encodeHex(Uint8Array.from([0, 15, 16, 255]))).toBe('000f10ff')
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    expect(encodeHex(every)).toBe(Buffer.from(every).toString('hex'))
    expect(decodeHex('000F10ff')).toEqual(Uint8Array.from([0, 15, 16, 255]))
    expect(decodeHex('')).toEqual(new Uint8Array())
  })

  it.each(['0', 'abc', '0g', ' 00', '0x00', '00\n'])(
    'cannot be read from the hexadecimal text %j',
    (text) => {
      expect(decodeHex(text)).toBeUndefined()
    },
  )
})
