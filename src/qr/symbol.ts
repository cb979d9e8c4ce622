// Layout of one QR code symbol on a square of pixels (ISO/IEC 18004:2024). Every module has a whole number of
// pixels. The symbol is centred and has a quiet zone.

import { encodeQR } from 'qr'
import { utf8 } from '../codec/bytes.ts'
import { err, ok, type Result } from '../result.ts'

/** Limits and default of the edge of a picture, in pixels (api/qr). */
export const QR_SIZE = { minimum: 160, maximum: 1024, standard: 320 } as const

/** A symbol and its position in the picture. `true` is a dark module. */
export type QrSymbol = {
  readonly modules: readonly (readonly boolean[])[]
  readonly version: number
  readonly errorCorrection: 'M' | 'L'
  /** Edge of the picture, in pixels. */
  readonly size: number
  /** Edge of one module, in pixels. */
  readonly modulePixels: number
  /** Pixels left of the first column and above the first row. */
  readonly offset: number
}

/** Reasons why there is no symbol. */
export type QrError = 'invalid_size' | 'payload_too_long'

/**
 * Lays `text` out on `size` × `size` pixels. Error correction is M, or L if L gives larger modules. A camera
 * reads a screen better with larger modules than with more error correction.
 */
export function buildSymbol(text: string, size: number): Result<QrSymbol, QrError> {
  if (!Number.isInteger(size) || size < QR_SIZE.minimum || size > QR_SIZE.maximum) return err('invalid_size')
  const bytes = utf8(text).length
  const medium = plan(bytes, size, 'M')
  const low = plan(bytes, size, 'L')
  const best = low.modulePixels > medium.modulePixels ? low : medium
  return best.modulePixels === 0 ? err('payload_too_long') : ok(draw(text, size, best))
}

// Width of the quiet zone on every side, in modules (§5.3.8).
const QUIET_ZONE = 4

/** Table 7: the capacity in bytes (byte mode) of versions 1 to 40. */
export const CAPACITY = {
  M: [
    14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666, 711, 779,
    857, 911, 997, 1059, 1125, 1190, 1264, 1370, 1452, 1538, 1628, 1722, 1809, 1911, 1989, 2099, 2213, 2331,
  ],
  L: [
    17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858, 929, 1003,
    1091, 1171, 1273, 1367, 1465, 1528, 1628, 1732, 1840, 1952, 2068, 2188, 2303, 2431, 2563, 2699, 2809,
    2953,
  ],
} as const

type Plan = Pick<QrSymbol, 'version' | 'errorCorrection' | 'modulePixels'>

/**
 * Returns the smallest version that can contain `bytes` bytes, and the largest edge of its modules in pixels.
 * `modulePixels` is 0 if the bytes do not fit.
 */
function plan(bytes: number, size: number, errorCorrection: 'M' | 'L'): Plan {
  const version = 1 + CAPACITY[errorCorrection].findIndex((capacity) => bytes <= capacity)
  const edge = 17 + 4 * version + 2 * QUIET_ZONE
  return { version, errorCorrection, modulePixels: version === 0 ? 0 : Math.floor(size / edge) }
}

function draw(text: string, size: number, { version, errorCorrection, modulePixels }: Plan): QrSymbol {
  const ecc = errorCorrection === 'M' ? 'medium' : 'low'
  // The library always draws a border. The narrowest border is requested and then removed.
  const bordered = encodeQR(text, 'raw', { ecc, version, encoding: 'byte', border: 1 })
  const modules = bordered.slice(1, -1).map((row) => row.slice(1, -1))
  const offset = Math.floor((size - modules.length * modulePixels) / 2)
  return { modules, version, errorCorrection, size, modulePixels, offset }
}
