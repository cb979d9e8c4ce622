// Points of the accepted elliptic curves (NIST SP 800-186 §3.2.1, RFC 8032 §5.1). Platforms differ in the
// keys that they reject, so every public key is checked here.

import { concatBytes, decodeHex, encodeHex } from '../codec/bytes.ts'

/** The accepted curves of NIST: short Weierstrass curves with a = −3 and cofactor 1. */
export type NistCurve = 'P-256' | 'P-384' | 'P-521'

/** The prime of the field, the constant b, and the bytes of a coordinate. */
type Curve = { readonly p: bigint; readonly b: bigint; readonly size: number }

const CURVES: Readonly<Record<NistCurve, Curve>> = {
  'P-256': {
    p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    size: 32,
  },
  'P-384': {
    p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    size: 48,
  },
  'P-521': {
    p: 2n ** 521n - 1n,
    b: 0x0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
    size: 66,
  },
}

/** Returns true if two coordinates are a point of the curve. */
export function isOnCurve(curve: NistCurve, x: Uint8Array, y: Uint8Array): boolean {
  const { p } = CURVES[curve]
  const [a, b] = [toInteger(x), toInteger(y)]
  return a < p && b < p && (b * b) % p === rightHandSide(a, CURVES[curve])
}

/**
 * Decompresses a point, which is 02 or 03 followed by x (SEC 1 §2.3.4). Returns the uncompressed form: 04, x,
 * y. Returns `undefined` for another form, and if no point of the curve has this x.
 */
export function decompressPoint(
  curve: NistCurve,
  compressed: Uint8Array,
): Uint8Array<ArrayBuffer> | undefined {
  const { p, size } = CURVES[curve]
  const form = compressed[0]
  if ((form !== 2 && form !== 3) || compressed.length !== 1 + size) return undefined
  const x = toInteger(compressed.subarray(1))
  if (x >= p) return undefined
  const square = rightHandSide(x, CURVES[curve])
  // If a square root exists, the root is this power, because each of the primes is 3 modulo 4.
  const root = power(square, (p + 1n) / 4n, p)
  if ((root * root) % p !== square) return undefined
  const y = root % 2n === BigInt(form - 2) ? root : p - root
  const encoded = decodeHex(y.toString(16).padStart(2 * size, '0'))
  return encoded && concatBytes(Uint8Array.of(4), compressed.subarray(1), encoded)
}

/**
 * Returns true if 32 bytes can be a public key of Ed25519. Rejects points of small order, because anyone can
 * make a signature that verifies under such a key. Rejects encodings that are not canonical (y ≥ p) as well.
 */
export function isEd25519Key(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return false
  // RFC 8032 §5.1.2: little-endian, and the highest bit is the sign of x.
  const y = toInteger(bytes.toReversed()) & ED25519_Y
  return y < ED25519_P && !SMALL_ORDER.has(y)
}

const ED25519_Y = 2n ** 255n - 1n
const ED25519_P = 2n ** 255n - 19n

/** The points of order 8 have this y, or −y. */
const ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n

/** y of the points of order 1, 2, 4 and 8, with either sign of x. */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([1n, ED25519_P - 1n, 0n, ORDER_8, ED25519_P - ORDER_8])

/** Returns x³ − 3x + b modulo p, the right-hand side of the curve equation. */
function rightHandSide(x: bigint, { p, b }: Curve): bigint {
  return (((x * x * x - 3n * x + b) % p) + p) % p
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}

function toInteger(bytes: Uint8Array): bigint {
  return BigInt(`0x${encodeHex(bytes)}`)
}
