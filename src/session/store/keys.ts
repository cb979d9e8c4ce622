// Keys derived from the server secret, cached in the isolate.

import type { Config } from '../../config.ts'
import { openRecentKeys, type RecentKeys } from '../../crypto/recent-keys.ts'
import { deriveKey } from '../../crypto/seal.ts'

type Key = Uint8Array<ArrayBuffer>

/**
 * Purpose of a key. `session/<id>` seals what one session stores. Sessions do not share a key, because NIST
 * SP 800-38D §8.3 limits one key to 2^32 random IVs. `session` opens values that earlier versions sealed.
 * `login-token/<day>` seals the requests of logins that begin on one day (days since 1970). `client-token`
 * signs client tokens, `browser-cookie` the cookie of a browser, `oidc-code` codes. `pushed-request` seals
 * pushed requests.
 */
type Purpose =
  | `session/${string}`
  | `login-token/${number}`
  | 'session'
  | 'client-token'
  | 'browser-cookie'
  | 'oidc-code'
  | 'pushed-request'

/** Limit of cached keys. */
const KEYS = 1_000

const keys = new WeakMap<Config, RecentKeys<Key>>()

/** Returns the key for a purpose. */
export async function derivedKey(config: Config, purpose: Purpose): Promise<Key> {
  const derived = keys.get(config) ?? openRecentKeys<Key>(KEYS)
  keys.set(config, derived)
  const cached = derived.get(purpose)
  if (cached !== undefined) return cached
  const key = await deriveKey(config.serverSecret, purpose)
  derived.set(purpose, key)
  return key
}
