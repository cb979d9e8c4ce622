// Draws a wallet request as a PNG: with this project and with two pairs of other libraries. Every turn draws
// another text, like every render of the service. Each function throws without a PNG: a failure must not look
// fast.

import QRCode from 'qrcode/lib/server.js'
import QRCodeSvg from 'qrcode-svg'
import UPNG from 'upng-js'
import { renderQr } from '../../src/qr/render.ts'

export type QrInput = { readonly size: number }

export function drawWithOurs({ size }: QrInput, turn: number): void {
  const picture = renderQr(walletRequest(turn), { size, type: 'image/png' })
  expectPng(picture.ok ? picture.value : undefined)
}

/**
 * Draws with qrcode-svg and upng-js, which takes RGBA. Modules are as large as the size allows, with our
 * quiet zone.
 */
export function drawWithQrcodeSvgAndUpng({ size }: QrInput, turn: number): void {
  const { modules } = new QRCodeSvg({ content: walletRequest(turn), ecl: 'M', padding: 4 }).qrcode
  const edge = Math.floor(size / (modules.length + 8))
  const offset = Math.floor((size - modules.length * edge) / 2)
  const pixels = new Uint32Array(size * size).fill(0xffffffff)
  modules.forEach((row, y) => {
    row.forEach((dark, x) => {
      if (!dark) return
      for (let line = 0; line < edge; line++) {
        const start = (offset + y * edge + line) * size + offset + x * edge
        pixels.fill(0xff000000, start, start + edge)
      }
    })
  })
  expectPng(new Uint8Array(UPNG.encode([pixels.buffer], size, size, 0)))
}

export async function drawWithQrcode({ size }: QrInput, turn: number): Promise<void> {
  const options = { type: 'png', width: size, margin: 4, errorCorrectionLevel: 'M' } as const
  expectPng(await QRCode.toBuffer(walletRequest(turn), options))
}

/** Returns a wallet request as long as the service's own: 218 characters. */
function walletRequest(turn: number): string {
  const handle = String(turn).padStart(86, 'Zk3_')
  return `openid4vp://?client_id=x509_hash%3A${'q'.repeat(43)}&request_uri=https%3A%2F%2Fverifier.example%2Fr%2F${handle}&request_uri_method=post`
}

function expectPng(picture: Uint8Array | undefined): void {
  if (picture?.[1] !== 0x50 || picture.length < 100) throw new Error('no PNG was made')
}
