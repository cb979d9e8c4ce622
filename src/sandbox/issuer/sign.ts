// ES256 over bytes and over JWTs, with headers that a library would refuse to write: it takes those to show that they are refused.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import type { PrivateKey } from './identities.ts'

/** A JSON object as it is built. */
export type Members = Readonly<Record<string, unknown>>

const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** The raw signature (RFC 7518 §3.4). */
export async function signBytes(
  bytes: Uint8Array<ArrayBuffer>,
  { kty, crv, x, y, d }: PrivateKey,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y, d }, ES256, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign(ES256, key, bytes))
}

/** A compact JWS of exactly these members; those that are `undefined` are left out. */
export async function signJwt(header: Members, payload: Members, key: PrivateKey): Promise<string> {
  const input = [header, payload].map((part) => encodeBase64url(utf8(JSON.stringify(part)))).join('.')
  return `${input}.${encodeBase64url(await signBytes(utf8(input), key))}`
}

/** A fresh key pair. */
export async function generateKey(): Promise<PrivateKey> {
  const pair = (await crypto.subtle.generateKey(ES256, true, ['sign', 'verify'])) as CryptoKeyPair
  const { kty = '', crv = '', x = '', y = '', d = '' } = await exportJwk(pair.privateKey)
  return { kty, crv, x, y, d }
}

/** The public half. */
export function publicKey({ kty, crv, x, y }: PrivateKey) {
  return { kty, crv, x, y }
}

async function exportJwk(key: CryptoKey): Promise<JsonWebKey> {
  return (await crypto.subtle.exportKey('jwk', key)) as JsonWebKey // what the format `jwk` gives
}
