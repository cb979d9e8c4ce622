// HMAC-SHA256 (RFC 2104) with a cache of imported keys.

import { oncePer } from '../codec/once-per.ts'

/**
 * Returns the HMAC-SHA256 of `data` under `key` (one byte or more). The imported key is cached by key object,
 * so the bytes of a key object must not change between calls.
 */
export async function hmacSha256(
  key: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', await importedKey(key), data))
}

/** Imports each key object once, because an import costs as much as the computation. */
const importedKey = oncePer((key: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
)
