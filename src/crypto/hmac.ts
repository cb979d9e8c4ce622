// HMAC-SHA256 (RFC 2104): handles, client tokens and webhook signatures.

/** HMAC-SHA256 of `data` under `key` (one byte or more), whose bytes do not change from one call to the next. */
export async function hmacSha256(
  key: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', await importedKey(key), data))
}

/** A key that its owner keeps is imported once: that costs as much as the computation. */
const imported = new WeakMap<Uint8Array<ArrayBuffer>, Promise<CryptoKey>>()

function importedKey(key: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const known = imported.get(key)
  if (known !== undefined) return known
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const importing = crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  imported.set(key, importing)
  return importing
}
