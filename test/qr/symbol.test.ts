import { describe, expect, it } from 'vitest'
import { REQUEST_BY_VALUE } from '../../src/limits.ts'
import { buildSymbol, CAPACITY, type QrSymbol } from '../../src/qr/symbol.ts'
import { drawForeign } from './foreign-readers.ts'

// 214 bytes, as a service with a host of 20 characters writes it.
const PAYLOAD = `openid4vp://?client_id=x509_hash:${'q'.repeat(43)}&request_uri=https://verifier.example.com/r/${'Z'.repeat(70)}&request_uri_method=post`

function symbolOf(text: string, size: number): QrSymbol {
  const built = buildSymbol(text, size)
  if (!built.ok) throw new Error(built.error)
  return built.value
}

describe('a QR symbol', () => {
  it.each([
    ['a request URI at level M', PAYLOAD, 160],
    ['a request URI at level L', PAYLOAD, 320],
    ['a short text', 'hello', 1024],
    ['digits, which are encoded in byte mode', '0123456789'.repeat(4), 300],
  ])('has the same modules as a foreign encoder makes, except for the mask: %s', (_, text, size) => {
    const { version, errorCorrection, modules } = symbolOf(text, size)
    const drawn = drawForeign(text, version, errorCorrection).map((candidate) => JSON.stringify(candidate))
    expect(drawn.filter((candidate) => candidate === JSON.stringify(modules))).toHaveLength(1)
  })

  it('can contain the longest request by value from 185 pixels on, and can never contain one byte more', () => {
    const longest = 'a'.repeat(REQUEST_BY_VALUE.bytes)
    expect(symbolOf(longest, 185)).toMatchObject({ version: 40, errorCorrection: 'L', modulePixels: 1 })
    expect(buildSymbol(longest, 184)).toEqual({ ok: false, error: 'payload_too_long' })
    expect(buildSymbol(`${longest}a`, 1024)).toEqual({ ok: false, error: 'payload_too_long' })
  })

  it.each(['M', 'L'] as const)(
    'a QR symbol at level %s holds in each version as many bytes as a foreign encoder allows',
    (level) => {
      const checked = CAPACITY[level].map((last, index) => {
        const fits = (length: number) => drawForeign('a'.repeat(length), index + 1, level, [0]).length === 1
        return { version: index + 1, last: fits(last), oneMore: fits(last + 1) }
      })
      expect(checked).toEqual(CAPACITY[level].map((_, i) => ({ version: i + 1, last: true, oneMore: false })))
    },
  )

  it.each([
    [14, 1],
    [15, 2],
    [213, 10],
    [214, 11],
  ])('uses the smallest version for %i bytes', (length, version) => {
    // At 165 pixels level L makes none of these modules larger.
    const { version: taken, errorCorrection } = symbolOf('a'.repeat(length), 165)
    expect([errorCorrection, taken]).toEqual(['M', version])
  })

  it('has a capacity in bytes, not in characters', () => {
    expect(symbolOf('é'.repeat(107), 160).version).toBe(symbolOf('a'.repeat(214), 160).version)
  })

  it('uses error correction level L only if its modules then become larger', () => {
    const at160 = symbolOf(PAYLOAD, 160)
    expect(at160).toMatchObject({ errorCorrection: 'M', version: 11, modulePixels: 2 })
    const at320 = symbolOf(PAYLOAD, 320)
    expect(at320).toMatchObject({ errorCorrection: 'L', version: 9, modulePixels: 5 })
    expect(Math.floor(320 / (61 + 8)), 'what version 11 at level M would have had').toBe(4)
  })
})

describe('a QR symbol in the picture', () => {
  it('has a quiet zone of four modules and centred whole-pixel modules at every size', () => {
    for (let size = 160; size <= 1024; size++) {
      const { modules, modulePixels, offset } = symbolOf(PAYLOAD, size)
      const after = size - offset - modules.length * modulePixels
      expect(modulePixels).toBe(Math.floor(size / (modules.length + 8)))
      expect(offset).toBeGreaterThanOrEqual(4 * modulePixels)
      expect(after - offset, `rounding at ${size}`).toBeOneOf([0, 1])
    }
  })
})

describe('the limits of a QR symbol', () => {
  it.each([159, 1025, 320.5, 0, -320, Number.NaN, Number.POSITIVE_INFINITY])(
    'a QR symbol is refused if the size is %s',
    (size) => {
      expect(buildSymbol(PAYLOAD, size)).toEqual({ ok: false, error: 'invalid_size' })
    },
  )

  it.each([160, 1024])('a QR symbol of the smallest or largest size (%i pixels) is accepted', (size) => {
    expect(buildSymbol(PAYLOAD, size).ok).toBe(true)
  })

  it('a QR symbol is refused if the content has more bytes than version 40 allows', () => {
    expect(symbolOf('a'.repeat(2953), 1024)).toMatchObject({ version: 40, errorCorrection: 'L' })
    expect(buildSymbol('a'.repeat(2954), 1024)).toEqual({ ok: false, error: 'payload_too_long' })
  })

  it('a QR symbol is refused if its modules would be smaller than a pixel', () => {
    // 160 pixels less the quiet zone are 152 modules: version 33 (149) and no more.
    expect(symbolOf('a'.repeat(CAPACITY.L[32]), 160)).toMatchObject({ version: 33, modulePixels: 1 })
    expect(buildSymbol('a'.repeat(CAPACITY.L[32] + 1), 160)).toEqual({ ok: false, error: 'payload_too_long' })
  })
})
