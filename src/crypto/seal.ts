// Encryption of stored secrets: AES-256-GCM under a key that is derived from a server secret (HKDF-SHA256,
// RFC 5869). Each purpose has a key of its own. `aad` names the place where the value is stored. A value that
// was moved to another place cannot be decrypted.

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
  const key = await importAes(sealing.key)
  const parameters = { name: 'AES-GCM', iv, additionalData: utf8(sealing.aad) }
  return encodeBase64url(
    concatBytes(iv, new Uint8Array(await crypto.subtle.encrypt(parameters, key, utf8(text)))),
  )
}

/**
 * Decrypts a value of `seal`. Returns `undefined` if the key or `aad` differs, or if the bytes were changed.
 */
export async function unseal(sealing: Sealing, sealed: string): Promise<string | undefined> {
  const bytes = decodeBase64url(sealed)
  if (bytes === undefined || bytes.length <= IV_BYTES) return undefined
  const key = await importAes(sealing.key)
  const parameters = { name: 'AES-GCM', iv: bytes.slice(0, IV_BYTES), additionalData: utf8(sealing.aad) }
  try {
    return decodeUtf8(new Uint8Array(await crypto.subtle.decrypt(parameters, key, bytes.slice(IV_BYTES))))
  } catch {
    return undefined // AES-GCM's tag did not match
  }
}

/** The key of a sealed value. `aad` names the place where the value is stored. */
export type Sealing = { readonly key: Uint8Array<ArrayBuffer>; readonly aad: string }

/**
 * Cache of imported keys. The cache looks for the array object, not for its bytes. So callers should pass the
 * same array each time.
 */
const imported = new WeakMap<Uint8Array, Promise<CryptoKey>>()

function importAes(key: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const aesKey =
    imported.get(key) ?? crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt'])
  imported.set(key, aesKey)
  return aesKey
}
