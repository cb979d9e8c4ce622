import { describe, expect, it } from 'vitest'
import { decodeBase64, decodeBase64url, encodeBase64, encodeBase64url } from '../../src/codec/base64url.ts'
import { equalBytes, utf8 } from '../../src/codec/bytes.ts'

// RFC 4648 §10
const PUBLISHED = [
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['foob', 'Zm9vYg=='],
  ['fooba', 'Zm9vYmE='],
  ['foobar', 'Zm9vYmFy'],
] as const

describe('base64', () => {
  it.each(PUBLISHED)('encodes %j as %j, and decodes it back', (text, encoded) => {
    expect(encodeBase64(utf8(text))).toBe(encoded)
    expect(decodeBase64(encoded)).toEqual(utf8(text))
  })

  it.each(PUBLISHED)('encodes %j as unpadded base64url, and decodes it back', (text, encoded) => {
    const unpadded = encoded.replaceAll('=', '')
    expect(encodeBase64url(utf8(text))).toBe(unpadded)
    expect(decodeBase64url(unpadded)).toEqual(utf8(text))
  })

  it('agrees with the platform on every byte value, at every length up to 300', () => {
    for (let length = 0; length <= 300; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 167 + length) % 256)
      const foreign = Buffer.from(bytes)
      expect(encodeBase64(bytes)).toBe(foreign.toString('base64'))
      expect(encodeBase64url(bytes)).toBe(foreign.toString('base64url'))
      expect(decodeBase64(foreign.toString('base64'))).toEqual(bytes)
      expect(decodeBase64url(foreign.toString('base64url'))).toEqual(bytes)
    }
  })

  it('decodes a mebibyte', () => {
    const bytes = new Uint8Array(1 << 20).fill(0xa5)
    expect(equalBytes(decodeBase64url(encodeBase64url(bytes)) ?? new Uint8Array(), bytes)).toBe(true)
  })

  it.each([
    ['padding', 'Zg=='],
    ['a single character', 'A'],
    ['a fifth character', 'Zm9vY'],
    ['pad bits that are not zero, after two characters', 'Zh'],
    ['pad bits that are not zero, after three characters', 'Zm9'],
    ['a space', 'Zm 9v'],
    ['a line feed at the end', 'Zm9v\n'],
    ['the standard alphabet', '+/+/'],
    ['a full stop', 'Zm.v'],
    ['a letter beyond ASCII', 'Zm9ﾖ'],
    ['a letter whose low byte is in the alphabet', 'Zm9\u0141'],
    ['a zero character', 'Zm9\0'],
  ])('base64url rejects %s', (_, text) => {
    expect(decodeBase64url(text)).toBeUndefined()
  })

  it.each([
    ['missing padding', 'Zg'],
    ['too little padding', 'Zg='],
    ['too much padding', 'Zm9v===='],
    ['padding in the middle', 'Zg==Zm9v'],
    ['only padding', '===='],
    ['three paddings', 'Z==='],
    ['pad bits that are not zero', 'Zh=='],
    ['pad bits that are not zero, after three characters', 'Zm9='],
    ['the URL-safe alphabet', '-_-_'],
    ['a space', 'Zm 9'],
    ['a line break', 'Zm9v\r\nZg=='],
  ])('base64 rejects %s', (_, text) => {
    expect(decodeBase64(text)).toBeUndefined()
  })

  it('base64url accepts a last character only if its unused bits are zero', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const canonical = (prefix: string) => [...alphabet].filter((last) => decodeBase64url(prefix + last))
    expect(canonical('Z').join('')).toBe('AQgw')
    expect(canonical('Zm').join('')).toBe('AEIMQUYcgkosw048')
    expect(canonical('Zm9').join('')).toBe(alphabet)
  })
})
