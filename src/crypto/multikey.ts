// Public keys as Multikey (Controlled Identifiers 1.0 §2.2.2; did:key): multibase base58btc of a multicodec
// prefix and the key. Points of elliptic curves are compressed.

import { decodeBase58 } from '../codec/base58.ts'
import { encodeBase64url } from '../codec/base64url.ts'
import { type PublicJwk, parsePublicJwk } from './jwk.ts'

/**
 * Parses a public key. `undefined` for other texts, other kinds of key, and points that are not on their
 * curve.
 */
export async function parseMultikey(text: string): Promise<PublicJwk | undefined> {
  const decoded = decodeMultikey(text)
  if (decoded === undefined) return undefined
  const { crv, key } = decoded
  if (crv === 'Ed25519') return { kty: 'OKP', crv, x: encodeBase64url(key) }
  try {
    const parameters = { name: 'ECDSA', namedCurve: crv }
    const imported = await crypto.subtle.importKey('raw', key, parameters, true, ['verify'])
    return parsePublicJwk(await crypto.subtle.exportKey('jwk', imported))
  } catch {
    return undefined // WebCrypto rejects points that are not on the curve
  }
}

/** Returns whether a text has the form of a supported key. It does not check that a point is on its curve. */
export function isMultikey(text: string): boolean {
  return decodeMultikey(text) !== undefined
}

/** Keys of the multicodec table: an unsigned varint of two bytes, and the number of bytes that follow. */
const CODECS: ReadonlyMap<number, { readonly crv: PublicJwk['crv']; readonly bytes: number }> = new Map([
  [0xed01, { crv: 'Ed25519', bytes: 32 }],
  [0x8024, { crv: 'P-256', bytes: 33 }],
  [0x8124, { crv: 'P-384', bytes: 49 }],
  [0x8224, { crv: 'P-521', bytes: 67 }],
])

type DecodedMultikey = { readonly crv: PublicJwk['crv']; readonly key: Uint8Array<ArrayBuffer> }

function decodeMultikey(text: string): DecodedMultikey | undefined {
  const bytes = text.startsWith('z') ? decodeBase58(text.slice(1)) : undefined
  if (bytes === undefined || bytes.length < 2) return undefined
  const codec = CODECS.get(new DataView(bytes.buffer).getUint16(0))
  const key = bytes.slice(2)
  if (codec === undefined || key.length !== codec.bytes) return undefined
  // 02 and 03 mark the compressed form (SEC 1 §2.3.4). Other first bytes are invalid.
  if (codec.crv !== 'Ed25519' && key[0] !== 2 && key[0] !== 3) return undefined
  return { crv: codec.crv, key }
}
