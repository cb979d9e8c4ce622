// Secrets at rest: AES-256-GCM under a key derived from a server secret for one purpose (HKDF-SHA256, RFC
// 5869). The key depends on the purpose, the ciphertext on its place (`aad`). A sealed value that was moved
// cannot be unsealed.

import { decodeBase64url, encodeBase64url } from '../codec/base64url.ts'
import { concatBytes, decodeUtf8, utf8 } from '../codec/bytes.ts'

const IV_BYTES = 12

/** Derives the key of one purpose from the server secret. */
export async function deriveKey(
  secret: Uint8Array<ArrayBuffer>,
  purpose: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  const info = utf8(`wallet-verifier/${purpose}`)
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(32), info }
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 256))
}

/** Encrypts `text`; `iv` is 12 fresh random bytes. Returns base64url of iv and ciphertext. */
export async function seal(sealing: Sealing, text: string, iv: Uint8Array<ArrayBuffer>): Promise<string> {
  const key = await importAes(sealing.key, 'encrypt')
  const parameters = { name: 'AES-GCM', iv, additionalData: utf8(sealing.aad) }
  return encodeBase64url(
    concatBytes(iv, new Uint8Array(await crypto.subtle.encrypt(parameters, key, utf8(text)))),
  )
}

/** Decrypts a value of `seal`. `undefined` if key, place or bytes differ. */
export async function unseal(sealing: Sealing, sealed: string): Promise<string | undefined> {
  const bytes = decodeBase64url(sealed)
  if (bytes === undefined || bytes.length <= IV_BYTES) return undefined
  const key = await importAes(sealing.key, 'decrypt')
  const parameters = { name: 'AES-GCM', iv: bytes.slice(0, IV_BYTES), additionalData: utf8(sealing.aad) }
  try {
    return decodeUtf8(new Uint8Array(await crypto.subtle.decrypt(parameters, key, bytes.slice(IV_BYTES))))
  } catch {
    return undefined // AES-GCM's tag did not match
  }
}

/** The key and the place of a sealed value. */
export type Sealing = { readonly key: Uint8Array<ArrayBuffer>; readonly aad: string }

function importAes(key: Uint8Array<ArrayBuffer>, usage: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, 'AES-GCM', false, [usage])
}
