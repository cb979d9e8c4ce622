// Keys derived from the server secret, once per isolate and purpose.

import type { Config } from '../config.ts'
import { deriveKey } from '../crypto/seal.ts'

type Key = Uint8Array<ArrayBuffer>

const keys = new WeakMap<Config, Map<string, Key>>()

/**
 * Returns the key of one purpose: `session` seals what sessions store, `client-token` signs client tokens,
 * `browser-cookie` the cookie of a browser.
 */
export async function derivedKey(
  config: Config,
  purpose: 'session' | 'client-token' | 'browser-cookie',
): Promise<Key> {
  const known = keys.get(config) ?? new Map<string, Key>()
  keys.set(config, known)
  const key = known.get(purpose) ?? (await deriveKey(config.serverSecret, purpose))
  known.set(purpose, key)
  return key
}
