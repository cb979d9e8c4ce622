// Names that may be used once: identifiers of client assertions, and pushed requests.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { openOnce } from '../../../src/relying-party/oidc/once.ts'

const NOW = 1_000_000

/** Runs with the storage of an object of its own. */
function inStorage(check: (storage: DurableObjectStorage) => void | Promise<void>): Promise<void> {
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
    const restarted = openOnce(storage)
    expect(restarted.store('par/one-more', '', use(false))).toBe(false)
    expect(restarted.store('jti/a', '', use(true))).toBe(true)
  }))

it('a name is stored, read and kept without reading the other names', () =>
  inStorage((storage) => {
    let read = 0
    const sql = {
      exec: (...statement: Parameters<SqlStorage['exec']>) => {
        const cursor = storage.sql.exec(...statement)
        const rows = cursor.toArray()
        read += cursor.rowsRead
        return { toArray: () => rows, one: () => rows[0], rowsWritten: cursor.rowsWritten }
      },
    } as unknown as SqlStorage
    const once = openOnce({ sql })
    for (let i = 0; i < 2_000; i++) once.store(`jti/${i}`, '', use(true))
    read = 0
    expect(once.store('par/a', 'client value', use(false))).toBe(true)
    expect(once.readOf('client', 'par/a', NOW)?.value).toBe('value')
    expect(once.keep('par/a', NOW + 90_000, NOW)).toBe(true)
    expect(read).toBeLessThan(20)
  }))

it('the number of names follows every operation, a restart and an erasure', () =>
  inStorage(async (storage) => {
    // 9,998 names are stored, so that callers that did not authenticate may store two more.
    const fill = () =>
      storage.sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9998)
         INSERT INTO oidc_once SELECT 'par/' || i, '', ? FROM n`,
        NOW + 90_000,
      )
    let once = openOnce(storage)
    once.store('first', '', { ...use(false), now: NOW - 2, expiresAt: NOW - 1 })
    fill()
    once = openOnce(storage)
    const store = (name: string, now = NOW) => once.store(name, '', { ...use(false), now })
    expect(['a', 'a', 'b', 'c'].map((name) => store(name))).toEqual([true, false, true, false])
    once = openOnce(storage)
    expect(store('c')).toBe(false)
    // The names `a` and `b` have expired.
    expect(once.prune(NOW + 60_000)).toBe(NOW + 90_000)
    const later = { isAuthenticated: false, now: NOW + 60_000, expiresAt: NOW + 80_000 }
    expect(['e', 'f', 'g'].map((name) => once.store(name, '', later))).toEqual([true, true, false])
    await storage.deleteAll()
    once.reset()
    expect(store('g')).toBe(true)
  }))
