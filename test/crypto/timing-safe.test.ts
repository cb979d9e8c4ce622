import { describe, expect, it } from 'vitest'
import { timingSafeEqual, timingSafeEqualText } from '../../src/crypto/timing-safe.ts'

const SECRET = Uint8Array.from({ length: 32 }, (_, i) => i * 7)

describe('two secrets', () => {
  it('are equal if all their bytes are equal', () => {
    expect(timingSafeEqual(SECRET, SECRET.slice())).toBe(true)
    expect(timingSafeEqual(new Uint8Array(), new Uint8Array())).toBe(true)
    expect(timingSafeEqualText('wv_test_ä', 'wv_test_ä')).toBe(true)
  })

  it('differ if a single bit differs, at any position', () => {
    for (let bit = 0; bit < SECRET.length * 8; bit++) {
      const other = SECRET.slice()
      other[bit >> 3]! ^= 1 << (bit & 7)
      expect(timingSafeEqual(SECRET, other), `bit ${bit}`).toBe(false)
      expect(timingSafeEqual(other, SECRET), `bit ${bit}`).toBe(false)
    }
  })

  it.each([
    ['the second secret is a prefix of the first secret', SECRET.slice(0, 31)],
    ['the second secret is empty', new Uint8Array()],
    ['the second secret has an extra zero byte', new Uint8Array([...SECRET, 0])],
    ['the second secret is the first secret twice', new Uint8Array([...SECRET, ...SECRET])],
  ])('differ if their lengths differ: %s', (_, other) => {
    expect(timingSafeEqual(SECRET, other)).toBe(false)
    expect(timingSafeEqual(other, SECRET)).toBe(false)
  })

  it('differ if one is empty and the other has zero bytes only', () => {
    expect(timingSafeEqual(new Uint8Array(), new Uint8Array(4))).toBe(false)
    expect(timingSafeEqual(new Uint8Array(4), new Uint8Array())).toBe(false)
  })

  it.each([
    ['case', 'Secret', 'secret'],
    ['length', 'secret', 'secret '],
    ['the Unicode composition of a letter', '\u00e9', 'e\u0301'],
  ])('are different as text if they differ only in %s', (_, a, b) => {
    expect(timingSafeEqualText(a, b)).toBe(false)
  })
})

it('the comparison reads every byte of the first secret, even if the first bytes already differ', () => {
  const read: number[] = []
  const watched = new Proxy(Uint8Array.of(9, 2, 3, 4), {
    get: (target, name) => {
      if (typeof name === 'string' && /^\d+$/.test(name)) read.push(Number(name))
      return Reflect.get(target, name, target)
    },
  })
  expect(timingSafeEqual(watched, Uint8Array.of(1, 2, 3, 4))).toBe(false)
  expect(read).toEqual([0, 1, 2, 3])
})
