// HPKE (RFC 9180) in base mode, with the one suite of ISO/IEC TS 18013-7 Annex C: DHKEM(P-256, HKDF-SHA256),
// HKDF-SHA256, AES-128-GCM.

import { AEAD_AES_128_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from 'hpke'
import { encodeBase64url } from '../codec/base64url.ts'
import { type PrivateJwk, parsePublicJwk } from './jwk.ts'

/**
 * One encrypted message: the sender's public key (an uncompressed point), and the ciphertext with its tag.
 */
export type HpkeMessage = {
  readonly enc: Uint8Array<ArrayBuffer>
  readonly cipherText: Uint8Array<ArrayBuffer>
}

/** Inputs that sender and recipient must share (RFC 9180 §5.1). */
type HpkeBinding = { readonly info: Uint8Array<ArrayBuffer>; readonly aad?: Uint8Array<ArrayBuffer> }

const SUITE = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_128_GCM)
const ECDH = { name: 'ECDH', namedCurve: 'P-256' } as const
const COORDINATE_BYTES = 32
const UNCOMPRESSED = 4

/**
 * Returns true if `enc` has the length and the first byte of an uncompressed point on P-256 (RFC 9180
 * §7.1.1). Keys of the other KEMs in RFC 9180 have another length.
 */
export function isHpkePoint(enc: Uint8Array): boolean {
  return enc.length === 1 + 2 * COORDINATE_BYTES && enc[0] === UNCOMPRESSED
}

/** Opens the first message of a sender; `undefined` if the key, the info or the message does not fit. */
export async function openHpke(
  { enc, cipherText }: HpkeMessage,
  { kty, crv, x, y = '', d }: PrivateJwk,
  binding: HpkeBinding,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  // Our private key must never be used with a point that is not on the curve.
  if (!isHpkePoint(enc) || !isOnCurve(enc)) return undefined
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.importKey('jwk', { kty, crv, x, y, d }, ECDH, false, ['deriveBits']),
    crypto.subtle.importKey('jwk', { kty, crv, x, y }, ECDH, true, []),
  ])
  try {
    return Uint8Array.from(await SUITE.Open({ privateKey, publicKey }, enc, cipherText, binding))
  } catch {
    return undefined // the tag of AES-GCM did not match
  }
}

function isOnCurve(point: Uint8Array<ArrayBuffer>): boolean {
  const coordinate = (start: number) => encodeBase64url(point.subarray(start, start + COORDINATE_BYTES))
  const [x, y] = [coordinate(1), coordinate(1 + COORDINATE_BYTES)]
  return parsePublicJwk({ kty: 'EC', crv: 'P-256', x, y }) !== undefined
}
