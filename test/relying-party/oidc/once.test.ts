// Names that may be used once: identifiers of client assertions, and pushed requests.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { openOnce } from '../../../src/relying-party/oidc/once.ts'
import { err, ok } from '../../../src/result.ts'

const NOW = 1_000_000

/** Runs with the storage of an object of its own. */
function inStorage(check: (storage: DurableObjectStorage) => void | Promise<void>): Promise<void> {
  const stub = env.RELYING_PARTY.get(env.RELYING_PARTY.newUniqueId())
  return runInDurableObject(stub, (_, { storage }) => check(storage))
}

const use = (isAuthenticated: boolean) => ({ isAuthenticated, now: NOW, expiresAt: NOW + 60_000 })

/** Stores names of a kind without the operations. Open the operations afterwards. */
function fill({ sql }: DurableObjectStorage, kind: string, count: number, expiresAt = NOW + 60_000): void {
  openOnce({ sql }).store('jti/first', '', { ...use(true), now: NOW - 2, expiresAt: NOW - 1 })
  sql.exec(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO oidc_once SELECT ? || i, 'client value', ? FROM n`,
    ...[count, `${kind}/`, expiresAt],
  )
}

it('a value that may be used only once is refused at each later use, until the value has expired', () =>
  inStorage((storage) => {
    const once = openOnce(storage)
    expect(once.store('jti/a', '', use(true))).toEqual(ok(null))
    expect(once.store('jti/a', '', use(true))).toEqual(err('known'))
    const later = { ...use(true), now: NOW + 60_001, expiresAt: NOW + 90_000 }
    expect(once.store('jti/a', '', later)).toEqual(ok(null))
  }))

it('callers that did not authenticate may use half of the limit of pushed requests', () =>
  inStorage((storage) => {
    fill(storage, 'par', 10_000)
    const once = openOnce(storage)
    expect(once.store('par/one-more', '', use(false))).toEqual(err('full'))
    expect(once.store('par/one-more', '', use(true))).toEqual(ok(null))
  }))

it('client assertions and pushed requests have separate limits, and a repeated jti is reported as known even at the limit', () =>
  inStorage((storage) => {
    for (const full of ['par', 'kept/par']) fill(storage, full, 20_000)
    expect(openOnce(storage).store('jti/z', '', use(true))).toEqual(ok(null))
    fill(storage, 'jti', 20_000)
    const once = openOnce(storage)
    expect(once.store('jti/a', '', use(true))).toEqual(err('full'))
    expect(once.store('jti/1', '', use(true))).toEqual(err('known'))
    expect(once.store('par/a', '', use(true))).toEqual(err('full'))
    const until = NOW + 600_000
    storage.sql.exec("UPDATE oidc_once SET expires_at = ? WHERE name = 'par/20000'", until)
    storage.sql.exec("DELETE FROM oidc_once WHERE name = 'kept/par/20000'")
    expect(once.keep('par/20000', until, NOW)).toEqual(err('full')) // counted when the object started
    const restarted = openOnce(storage)
    expect(restarted.keep('par/20000', until, NOW)).toEqual(ok(null))
    expect(restarted.store('par/a', '', use(true))).toEqual(ok(null))
    expect(restarted.keep('par/a', until, NOW)).toEqual(err('full'))
    expect(restarted.keep('par/20000', until + 1, NOW)).toEqual(ok(null))
    expect(restarted.readOf('client', 'par/20000', NOW)).toEqual({ value: 'value', expiresAt: until + 1 })
    // The other names have expired.
    const later = { isAuthenticated: true, now: NOW + 60_000, expiresAt: NOW + 90_000 }
    for (const name of ['jti/1', 'par/1']) expect(restarted.store(name, '', later)).toEqual(ok(null))
    expect(restarted.keep('par/1', until, NOW + 60_000)).toEqual(ok(null))
    expect(restarted.keep('par/2', until, NOW + 60_000)).toEqual(err('over'))
    expect(storage.sql.exec('SELECT 1 FROM oidc_once').toArray()).toHaveLength(3)
  }))

it('storing a name, reading it and extending its expiry read few rows, even if 2,000 other names are stored', () =>
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
    expect(once.store('par/a', 'client value', use(false))).toEqual(ok(null))
    expect(once.readOf('client', 'par/a', NOW)?.value).toBe('value')
    expect(once.keep('par/a', NOW + 90_000, NOW)).toEqual(ok(null))
    expect(read).toBeLessThan(20)
  }))

it('the counted number of names is correct after every operation, a restart and an erasure', () =>
  inStorage(async (storage) => {
    // 9,998 names are stored, so that callers that did not authenticate may store two more.
    fill(storage, 'par', 9_998, NOW + 90_000)
    let once = openOnce(storage)
    const store = (name: string, now = NOW) => {
      const stored = once.store(name, '', { ...use(false), now })
      return stored.ok ? 'ok' : stored.error
    }
    expect(['par/a', 'par/a', 'par/b', 'par/c'].map((name) => store(name))).toEqual([
      ...['ok', 'known', 'ok', 'full'],
    ])
    once = openOnce(storage)
    expect(store('par/c')).toBe('full')
    // The names `a` and `b` have expired.
    expect(once.prune(NOW + 60_000)).toBe(NOW + 90_000)
    const later = { isAuthenticated: false, now: NOW + 60_000, expiresAt: NOW + 80_000 }
    expect(['par/e', 'par/f', 'par/g'].map((name) => once.store(name, '', later).ok)).toEqual([
      true,
      true,
      false,
    ])
    await storage.deleteAll()
    once.reset()
    expect(store('par/g')).toBe('ok')
  }))
