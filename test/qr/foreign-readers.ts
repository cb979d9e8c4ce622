// Foreign readers of our pictures: a QR encoder, a PNG decoder and two QR decoders that share no code with
// us.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import jsqr from 'jsqr'
import QRCode from 'qrcode-svg'
import UPNG from 'upng-js'
import type { readBarcodes } from 'zxing-wasm/reader'

export type Pixels = { width: number; height: number; rgba: Uint8ClampedArray<ArrayBuffer> }

/**
 * The modules that qrcode-svg draws for a text in this version under each mask. Empty if the text does not
 * fit. The version is given, because the library counts three bytes too many when it chooses one.
 */
export function drawForeign(
  text: string,
  version: number,
  ecl: 'M' | 'L',
  masks: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7],
): boolean[][][] {
  const foreign = new QRCode({ content: 'any', ecl, padding: 4 }).qrcode
  foreign.typeNumber = version
  foreign.dataList = []
  foreign.dataCache = null
  foreign.addData(text)
  try {
    return masks.map((mask) => {
      foreign.makeImpl(false, mask)
      return foreign.modules
    })
  } catch (error) {
    if (String(error).includes('code length overflow')) return []
    throw error
  }
}

/** Pixels of a PNG as upng-js decodes them, with its header. */
export function decodePng(png: Uint8Array<ArrayBuffer>) {
  const image = UPNG.decode(png.slice().buffer)
  const { width, height, depth, ctype } = image
  // upng-js 2.1.0 forgets the padding at the end of 1-bit greyscale rows, but not of 1-bit palette rows. So 0
  // and 1 are declared as the black and white of a palette, which is their meaning.
  const [rgba] = UPNG.toRGBA8({ ...image, ctype: 3, tabs: { PLTE: [0, 0, 0, 255, 255, 255] } })
  return { width, height, depth, colourType: ctype, rgba: new Uint8ClampedArray(rgba!) }
}

/** Text that jsQR decodes. */
export function readWithJsqr({ rgba, width, height }: Pixels): string | undefined {
  // jsqr is CommonJS: depending on the loader the function is the module or its default member.
  const read = (jsqr as unknown as { default?: typeof jsqr }).default ?? jsqr
  return read(rgba, width, height, { inversionAttempts: 'dontInvert' })?.data
}

/** Text that ZXing-C++ decodes from a PNG file, or from pixels. */
export async function readWithZxing(picture: Pixels | Uint8Array<ArrayBuffer>): Promise<string[]> {
  const image = picture instanceof Uint8Array ? new Blob([picture]) : { ...picture, data: picture.rgba }
  // Node has no ImageData. Only its three members are read.
  const input = image as Parameters<typeof readBarcodes>[0]
  const found = await (await zxing()).readBarcodes(input, { formats: ['QRCode'], tryInvert: false })
  return found.map((code) => code.text)
}

/** Loads ZXing-C++ with its binary at the first use. */
async function zxing() {
  const module = await import('zxing-wasm/reader')
  const wasmFile = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
  module.prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasmFile)).buffer } })
  return module
}
