// Public keys as Multikey (Controlled Identifiers 1.0 §2.2.2; did:key): multibase base58btc of a multicodec
// prefix and the key. Points of elliptic curves are compressed.

import { decodeBase58 } from '../codec/base58.ts'
import { encodeBase64url } from '../codec/base64url.ts'
import { decompressPoint } from './curve-point.ts'
import { type PublicJwk, parsePublicJwk } from './jwk.ts'

/**
 * Parses a public key. Returns `undefined` for other texts, other kinds of key, and keys that
 * `parsePublicJwk` rejects.
 *
 * @example
 * parseMultikey('z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK')
 * // { kty: 'OKP', crv: 'Ed25519', x: 'Lm_M42cB3HkUiODQsXRcweM6TByfzEHGO9ND274JcOY' }
 */
export function parseMultikey(text: string): PublicJwk | undefined {
  const decoded = decodeMultikey(text)
  if (decoded === undefined) return undefined
  const { crv, key } = decoded
  if (crv === 'Ed25519') return parsePublicJwk({ kty: 'OKP', crv, x: encodeBase64url(key) })
  const point = decompressPoint(crv, key)?.subarray(1)
  if (point === undefined) return undefined
  const size = point.length / 2
  const [x, y] = [point.subarray(0, size), point.subarray(size)].map(encodeBase64url)
  return parsePublicJwk({ kty: 'EC', crv, x, y })
}

/**
 * Accepted kinds of key by multicodec code, an unsigned varint of two bytes. `bytes` is the length of the key
 * after the code.
 */
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
  return codec !== undefined && key.length === codec.bytes ? { crv: codec.crv, key } : undefined
}
