// Names that may be used once: identifiers of client assertions, and pushed requests.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { openOnce } from '../../../src/relying-party/oidc/once.ts'

const NOW = 1_000_000

/** Runs with the storage of an object of its own. */
function inStorage(check: (storage: DurableObjectStorage) => void): Promise<void> {
  const stub = env.RELYING_PARTY.get(env.RELYING_PARTY.newUniqueId())
  return runInDurableObject(stub, (_, { storage }) => check(storage))
}

const use = (isAuthenticated: boolean) => ({ isAuthenticated, now: NOW, expiresAt: NOW + 60_000 })

it('a value that may be used only once is refused again until it has expired', () =>
  inStorage((storage) => {
    const once = openOnce(storage)
    expect(once.store('jti/a', '', use(true))).toBe(true)
    expect(once.store('jti/a', '', use(true))).toBe(false)
    const later = { ...use(true), now: NOW + 60_001, expiresAt: NOW + 90_000 }
    expect(once.store('jti/a', '', later)).toBe(true)
  }))

it('callers that did not authenticate cannot fill the store of used values and so block a client', () =>
  inStorage((storage) => {
    const once = openOnce(storage)
    once.store('par/one', '', use(false))
    storage.sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
       INSERT INTO oidc_once SELECT 'par/' || i, '', ? FROM n`,
      NOW + 60_000,
    )
    expect(once.store('par/one-more', '', use(false))).toBe(false)
    expect(once.store('jti/a', '', use(true))).toBe(true)
  }))
