import { describe, expect, it } from 'vitest'
import { renderQr } from '../../src/qr/render.ts'
import { IS_FULL_SIZE, IS_HUGE_SIZE } from '../support/runner/size.ts'
import { decodePng, readWithJsqr, readWithZxing } from './foreign-readers.ts'

const PAYLOAD = `openid4vp://?client_id=x509_hash:${'Xk3-q'.repeat(8)}abc&request_uri=https://verifier.example.com/r/${'b7_Qe'.repeat(14)}&request_uri_method=post`

/** Every nth of the 865 sizes. */
const STEP = IS_HUGE_SIZE ? 1 : IS_FULL_SIZE ? 4 : 10
const SLOW_STEP = 9 * STEP

function pngOf(text: string, size: number): Uint8Array<ArrayBuffer> {
  const rendered = renderQr(text, { size, type: 'image/png' })
  if (!rendered.ok) throw new Error(rendered.error)
  return rendered.value
}

describe('a rendered QR code', () => {
  it(`has the requested size and is decoded by a foreign decoder, at sizes from 160 to 1,024 pixels in steps of ${STEP}`, async () => {
    const misread: number[] = []
    for (let size = 160; size <= 1024; size += STEP) {
      const png = pngOf(PAYLOAD, size)
      const { width, height } = decodePng(png)
      const texts = await readWithZxing(png)
      if (width !== size || height !== size || texts.join() !== PAYLOAD) misread.push(size)
    }
    expect(misread).toEqual([])
  })

  it(`is decoded by a second, slower foreign decoder, at sizes in steps of ${SLOW_STEP} pixels`, () => {
    const misread: number[] = []
    for (let size = 160; size <= 1024; size += SLOW_STEP) {
      if (readWithJsqr(decodePng(pngOf(PAYLOAD, size))) !== PAYLOAD) misread.push(size)
    }
    expect(misread).toEqual([])
  })

  it('is SVG text if the caller asks for SVG', () => {
    const rendered = renderQr(PAYLOAD, { size: 320, type: 'image/svg+xml' })
    expect(rendered.ok && new TextDecoder().decode(rendered.value)).toMatch(/^<svg .*<\/svg>$/)
  })

  it.each(['image/png', 'image/svg+xml'] as const)(
    'of type %s is refused with an error value, not with an exception, if its size or its content is not allowed',
    (type) => {
      expect(renderQr(PAYLOAD, { size: 159, type })).toEqual({ ok: false, error: 'invalid_size' })
      expect(renderQr('a'.repeat(2954), { size: 1024, type })).toEqual({
        ok: false,
        error: 'payload_too_long',
      })
    },
  )
})
