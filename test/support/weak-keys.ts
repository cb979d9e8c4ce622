// Public keys that no signer may have. The Ed25519 encodings are the list of libsodium
// (`has_small_order` in crypto_core/ed25519/ref10/ed25519_ref10.c), each with both values of the sign bit.

/** y of the points of order 1, 2, 4 and 8, and the non-canonical encodings of two of them: p and p + 1. */
const SMALL_ORDER_Y = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]

/** Further encodings with y ≥ p (RFC 8032 §5.1.3 step 1): p + 3 is another encoding of the y of a point. */
const NOT_CANONICAL_Y = [
  'f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]

/** 32 bytes each. */
export const WEAK_ED25519: readonly Buffer[] = [...SMALL_ORDER_Y, ...NOT_CANONICAL_Y].flatMap((hex) => {
  const signed = Buffer.from(hex, 'hex')
  signed[31] = (signed[31] ?? 0) | 0x80
  return [Buffer.from(hex, 'hex'), signed]
})

/** The neutral element. The signature R = itself and S = 0 verifies for every message without the check. */
export const NEUTRAL = Buffer.from(`01${'00'.repeat(31)}`, 'hex')
export const NEUTRAL_SIGNATURE = Buffer.concat([NEUTRAL, Buffer.alloc(32)])

/** An Ed25519 key as a JWK. */
export function ed25519Jwk(key: Uint8Array) {
  return { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') } as const
}

/** An Ed25519 key as SubjectPublicKeyInfo (RFC 8410 §4). */
export function ed25519Spki(key: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...Buffer.from('302a300506032b6570032100', 'hex'), ...key])
}

/** A P-256 point, in either form, as SubjectPublicKeyInfo (RFC 5480 §2). */
export function p256Spki(point: Uint8Array): Uint8Array<ArrayBuffer> {
  const key = Buffer.concat([Buffer.of(3, point.length + 1, 0), point])
  const algorithm = Buffer.from('301306072a8648ce3d020106082a8648ce3d030107', 'hex')
  return Uint8Array.from([0x30, algorithm.length + key.length, ...algorithm, ...key])
}

/** A raw key as a multikey: base58btc by its definition, with BigInt. */
export function multikey(codec: string, key: Uint8Array): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  let number = BigInt(`0x${codec}${Buffer.from(key).toString('hex')}`)
  let text = ''
  for (; number > 0n; number /= 58n) text = (alphabet[Number(number % 58n)] ?? '') + text
  return `z${text}`
}
