// SHA-2 digests by the names of the IANA "Named Information Hash Algorithm" registry, which `_sd_alg` uses.

const HASHES = { 'sha-256': 'SHA-256', 'sha-384': 'SHA-384', 'sha-512': 'SHA-512' } as const

/** A hash algorithm this service computes. */
export type HashName = keyof typeof HASHES
export const HASH_NAMES = ['sha-256', 'sha-384', 'sha-512'] as const satisfies readonly HashName[]

/** Returns whether `name` is a hash this service computes. */
export function isHashName(name: string): name is HashName {
  return Object.hasOwn(HASHES, name)
}

/** Returns the digest of `data`. */
export async function digest(
  name: HashName,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest(HASHES[name], data))
}

/** Returns the SHA-256 digest of `data`. */
export function sha256(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return digest('sha-256', data)
}
