import { describe, expect, it } from 'vitest'
import { encodePng } from '../../src/qr/png.ts'
import { buildSymbol, type QrSymbol } from '../../src/qr/symbol.ts'
import { decodePng } from './foreign-readers.ts'

function symbolOf(text: string, size: number): QrSymbol {
  const built = buildSymbol(text, size)
  if (!built.ok) throw new Error(built.error)
  return built.value
}

/** The colour of each pixel, worked out from the modules alone. */
function expectedPixels({ modules, modulePixels, offset, size }: QrSymbol): Uint8Array {
  const rgba = new Uint8Array(size * size * 4)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const row = modules[Math.floor((y - offset) / modulePixels)]
      const grey = row?.[Math.floor((x - offset) / modulePixels)] ? 0 : 255
      rgba.set([grey, grey, grey, 255], (y * size + x) * 4)
    }
  }
  return rgba
}

/** The CRC of ISO 3309, bit by bit. Its published check value is the CRC of `123456789`. */
function checksumOf(bytes: Uint8Array): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

describe('a PNG', () => {
  it.each([160, 161, 167, 320, 321, 1023, 1024])(
    'a PNG of %i pixels shows each module at its place in the layout',
    (size) => {
      const symbol = symbolOf('openid4vp://?request_uri=https://verifier.example.com/r/1', size)
      const { rgba, ...header } = decodePng(encodePng(symbol))
      expect(header).toEqual({ width: size, height: size, depth: 1, colourType: 0 })
      expect(Buffer.from(rgba.buffer).equals(expectedPixels(symbol))).toBe(true)
    },
  )

  it('has chunks with the checksums that another implementation computes, and nothing after its last chunk', () => {
    expect(checksumOf(Buffer.from('123456789'))).toBe(0xcbf43926)
    const png = encodePng(symbolOf('checksums', 320))
    const types: string[] = []
    let at = 8
    for (const view = new DataView(png.buffer); at < png.length; ) {
      const length = view.getUint32(at)
      types.push(String.fromCharCode(...png.subarray(at + 4, at + 8)))
      expect(view.getUint32(at + 8 + length)).toBe(checksumOf(png.subarray(at + 4, at + 8 + length)))
      at += 12 + length
    }
    expect([types, at]).toEqual([['IHDR', 'IDAT', 'IEND'], png.length])
  })

  it('has fewer than 2,048 bytes for a request URI at 320 pixels', () => {
    const request = `openid4vp://?client_id=x509_hash:${'kX3'.repeat(14)}w&request_uri=https://verifier.example.com/r/${'b7_Qe'.repeat(14)}&request_uri_method=post`
    expect(encodePng(symbolOf(request, 320)).length).toBeLessThan(2048)
  })
})
