// ES256 signatures over bytes and JWTs. Accepts invalid headers, which libraries refuse to write.

import { encodeBase64url } from '../../src/codec/base64url.ts'
import { utf8 } from '../../src/codec/bytes.ts'
import { randomBytes } from '../../src/crypto/random.ts'
import type { PrivateKey } from './identities.ts'

/** JSON object of unknown members. */
export type Members = Readonly<Record<string, unknown>>

const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Returns the raw signature (RFC 7518 §3.4). */
export async function signBytes(
  bytes: Uint8Array<ArrayBuffer>,
  privateKey: PrivateKey,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey('jwk', privateKey, ES256, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign(ES256, key, bytes))
}

/** Returns a compact JWS of exactly these members. `undefined` members are left out. */
export async function signJwt(header: Members, payload: Members, key: PrivateKey): Promise<string> {
  const input = [header, payload].map((part) => encodeBase64url(utf8(JSON.stringify(part)))).join('.')
  return `${input}.${encodeBase64url(await signBytes(utf8(input), key))}`
}

/** Generates a key pair. */
export async function generateKey(): Promise<PrivateKey> {
  const pair = (await crypto.subtle.generateKey(ES256, true, ['sign', 'verify'])) as CryptoKeyPair
  // The type of the format `jwk`
  const jwk = (await crypto.subtle.exportKey('jwk', pair.privateKey)) as JsonWebKey
  const { kty = '', crv = '', x = '', y = '', d = '' } = jwk
  return { kty, crv, x, y, d }
}

/** Public part of a key. */
export function publicKey({ kty, crv, x, y }: PrivateKey) {
  return { kty, crv, x, y }
}

/** Returns 128 random bits as base64url: a nonce or a salt. */
export function randomText(): string {
  return encodeBase64url(randomBytes(16))
}
