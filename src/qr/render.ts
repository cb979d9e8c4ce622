// One QR picture (api/qr): bytes from a text, a size and a media type.

import { utf8 } from '../codec/bytes.ts'
import { ok, type Result } from '../result.ts'
import { encodePng } from './png.ts'
import { encodeSvg } from './svg.ts'
import { buildSymbol, type QrError } from './symbol.ts'

/** Media types of a picture. */
export const QR_MEDIA_TYPES = ['image/png', 'image/svg+xml'] as const
export type QrMediaType = (typeof QR_MEDIA_TYPES)[number]

/** Draws `text` as a picture of `size` × `size` pixels (160–1024). */
export function renderQr(
  text: string,
  picture: { readonly size: number; readonly type: QrMediaType },
): Result<Uint8Array<ArrayBuffer>, QrError> {
  const symbol = buildSymbol(text, picture.size)
  if (!symbol.ok) return symbol
  return ok(picture.type === 'image/png' ? encodePng(symbol.value) : utf8(encodeSvg(symbol.value)))
}
