// The audit log in the storage of a relying party's object.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { Origin } from '../../../src/relying-party/audit/actor.ts'
import {
  AUDIT_KEPT_MS,
  type AuditFilter,
  type AuditLog,
  openAuditLog,
} from '../../../src/relying-party/audit/audit-log.ts'

const NOW = Date.UTC(2046, 5, 15, 12)
const DAY = 86_400_000
const KEY: Origin = {
  actor: { kind: 'api_key', key_id: '0011223344556677', name: 'Till' },
  channel: 'api',
  address: '203.0.113.7',
}
const PERSON: Origin = {
  actor: { kind: 'person', subject: 'sub-1', name: 'Ada', email: 'ada@shop.example' },
  channel: 'console',
  address: null,
}
const OPERATOR: Origin = { actor: { kind: 'operator', name: 'ops' }, channel: 'admin', address: null }

/** Runs with the storage of an object of its own. */
function inStorage(check: (storage: DurableObjectStorage) => void): Promise<void> {
  const stub = env.RELYING_PARTY.get(env.RELYING_PARTY.newUniqueId())
  return runInDurableObject(stub, (_, { storage }) => check(storage))
}

function numbers(log: AuditLog, filter: AuditFilter = {}, now = NOW): readonly number[] {
  return log.read({ before: null, limit: 100, filter }, now).entries.map(({ number }) => number)
}

it('an entry is one row with its actor, action, target, members, channel and address', () =>
  inStorage((storage) => {
    const log = openAuditLog(storage)
    log.append({ action: 'settings.changed', members: ['name', 'webhook'] }, KEY, NOW)
    log.append({ action: 'verification.erased', target: 'v_1' }, PERSON, NOW + 1)
    log.append({ action: 'api_key.created', target: 'ff', target_name: 'New' }, OPERATOR, NOW + 2)
    log.append({ action: 'webhook.tested' }, undefined, NOW + 3)
    const rest = { target: null, target_name: null, members: [] }
    expect(log.read({ before: null, limit: 100, filter: {} }, NOW + 4)).toEqual({
      entries: [
        {
          number: 4,
          at: NOW + 3,
          action: 'webhook.tested',
          ...rest,
          ...{ actor: null, channel: null, address: null },
        },
        {
          number: 3,
          at: NOW + 2,
          action: 'api_key.created',
          ...rest,
          target: 'ff',
          target_name: 'New',
          ...OPERATOR,
        },
        { number: 2, at: NOW + 1, action: 'verification.erased', ...rest, target: 'v_1', ...PERSON },
        { number: 1, at: NOW, action: 'settings.changed', ...rest, members: ['name', 'webhook'], ...KEY },
      ],
      more: false,
      missing: null,
    })
    expect(storage.sql.exec('SELECT count(*) AS rows FROM audit').one()).toEqual({ rows: 4 })
  }))

it('a log without entries is empty, and reading it stores nothing', () =>
  inStorage((storage) => {
    const log = openAuditLog(storage)
    expect(log.read({ before: null, limit: 1, filter: {} }, NOW)).toEqual({
      entries: [],
      more: false,
      missing: null,
    })
    expect(log.prune(NOW)).toBeNull()
    expect(storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'audit'").toArray()).toEqual([])
  }))

it('pages are read from the newest entry to the oldest, and `more` is true until the page with the oldest entry', () =>
  inStorage((storage) => {
    const log = openAuditLog(storage)
    for (let i = 0; i < 5; i++) log.append({ action: 'webhook.tested' }, KEY, NOW + i)
    const page = (before: number | null) => {
      const { entries, more } = log.read({ before, limit: 2, filter: {} }, NOW + 5)
      return [entries.map(({ number }) => number), more]
    }
    expect([page(null), page(4), page(2)]).toEqual([
      [[5, 4], true],
      [[3, 2], true],
      [[1], false],
    ])
  }))

it.each([
  [{ actions: ['webhook.tested'] }, [3]],
  [{ actions: ['webhook.tested', 'settings.changed'] }, [3, 1]],
  [{ actor: 'sub-1' }, [2]],
  [{ actor: 'Ada' }, [2]],
  [{ actor: 'ada@shop.example' }, [2]],
  [{ actor: '0011223344556677' }, [1]],
  [{ actor: 'Till' }, [1]],
  [{ actor: 'ops' }, [3]],
  [{ actor: "' OR 1 = 1 --" }, []],
  [{ created_after: NOW + 1 }, [3, 2]],
  [{ created_before: NOW + 1 }, [1]],
  [{ created_after: NOW + 1, created_before: NOW + 2, actor: 'Ada' }, [2]],
] as const)('the filter %j returns the entries with the numbers %j', (filter, found) =>
  inStorage((storage) => {
    const log = openAuditLog(storage)
    log.append({ action: 'settings.changed', members: ['name'] }, KEY, NOW)
    log.append({ action: 'verification.erased', target: 'v_1' }, PERSON, NOW + 1)
    log.append({ action: 'webhook.tested' }, OPERATOR, NOW + 2)
    expect(numbers(log, filter, NOW + 3)).toEqual(found)
  }),
)

it('an entry can be read for 400 days; after that, the next entry or an alarm erases the old entry', () =>
  inStorage((storage) => {
    const log = openAuditLog(storage)
    for (const at of [NOW, NOW + DAY, NOW + 2 * DAY]) log.append({ action: 'webhook.tested' }, KEY, at)
    expect(numbers(log, {}, NOW + AUDIT_KEPT_MS - 1)).toEqual([3, 2, 1])
    expect(numbers(log, {}, NOW + AUDIT_KEPT_MS)).toEqual([3, 2])
    const rows = () => storage.sql.exec('SELECT number FROM audit ORDER BY number').toArray()
    expect(log.prune(NOW + AUDIT_KEPT_MS)).toBe(NOW + DAY + AUDIT_KEPT_MS)
    expect(rows()).toEqual([{ number: 2 }, { number: 3 }])
    log.append({ action: 'webhook.tested' }, KEY, NOW + DAY + AUDIT_KEPT_MS)
    expect(rows()).toEqual([{ number: 3 }, { number: 4 }])
    expect(log.prune(NOW + 2 * DAY + 2 * AUDIT_KEPT_MS)).toBeNull()
    log.append({ action: 'webhook.tested' }, KEY, NOW + 3 * AUDIT_KEPT_MS)
    expect(rows()).toEqual([{ number: 5 }])
    expect(log.read({ before: null, limit: 1, filter: {} }, NOW + 3 * AUDIT_KEPT_MS).missing).toBeNull()
  }))

it('a full log erases its oldest entries, and reports their number until the newest of them would have expired', () =>
  inStorage((storage) => {
    const log = openAuditLog(storage, 3)
    for (let i = 0; i < 5; i++) log.append({ action: 'webhook.tested' }, KEY, NOW + i)
    const read = (now: number) => log.read({ before: null, limit: 100, filter: {} }, now)
    expect(numbers(log)).toEqual([5, 4, 3])
    expect(read(NOW + 5).missing).toEqual({ entries: 2, until: NOW + 1 })
    expect(read(NOW + AUDIT_KEPT_MS).missing).toEqual({ entries: 2, until: NOW + 1 })
    expect(read(NOW + 1 + AUDIT_KEPT_MS).missing).toBeNull()
  }))

it('a clock that is set back changes neither the order of the entries nor their times', () =>
  inStorage((storage) => {
    const log = openAuditLog(storage)
    for (const at of [NOW, NOW - DAY]) log.append({ action: 'webhook.tested' }, KEY, at)
    const { entries } = log.read({ before: null, limit: 100, filter: {} }, NOW)
    expect(entries.map(({ number, at }) => [number, at])).toEqual([
      [2, NOW],
      [1, NOW],
    ])
  }))

it('at most 50 failed sign-ins in 24 hours are recorded, and all other entries are still recorded', () =>
  inStorage((storage) => {
    const log = openAuditLog(storage)
    const fail = (at: number) => log.append({ action: 'console.sign_in_failed', target: 'ff' }, undefined, at)
    for (let i = 0; i < 60; i++) fail(NOW + i)
    expect(numbers(log)).toHaveLength(50)
    log.append({ action: 'console.signed_in' }, KEY, NOW + 60)
    expect(numbers(log)).toHaveLength(51)
    fail(NOW + DAY)
    fail(NOW + DAY)
    expect(numbers(log, {}, NOW + DAY)).toHaveLength(52)
  }))
