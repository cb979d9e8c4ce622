import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { countSessions, type SessionNote } from '../../src/relying-party/session-counts.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const NONE = { pending: 0, queuedEvents: 0, deadEvents: 0 }

let directory: ReturnType<typeof env.DIRECTORY.getByName>
beforeEach(() => {
  directory = env.DIRECTORY.getByName(crypto.randomUUID())
})

function note(id: string, changed: Partial<SessionNote> = {}): SessionNote {
  const waiting = { pending_until: NOW + 1, queued_events: 0, dead_events: 0 }
  return { verification_id: id, livemode: false, ...waiting, ...changed }
}

it('the counts are zero in both modes at first', async () => {
  expect(await directory.sessionCounts(NOW)).toEqual([
    { livemode: false, ...NONE },
    { livemode: true, ...NONE },
  ])
})

it('the counts contain the numbers of pending sessions, queued events and dead events of each mode', async () => {
  const ended = { pending_until: null }
  await directory.noteSessions([
    note('v_a'),
    note('v_b', { livemode: true }),
    note('v_c', { livemode: true }),
    note('v_d', { ...ended, queued_events: 1 }),
    note('v_e', { ...ended, livemode: true, dead_events: 2 }),
  ])
  expect(await directory.sessionCounts(NOW)).toEqual([
    { livemode: false, pending: 1, queuedEvents: 1, deadEvents: 0 },
    { livemode: true, pending: 2, queuedEvents: 0, deadEvents: 2 },
  ])
})

it('the counts use only the newest report about a session', async () => {
  await directory.noteSessions([note('v_a')])
  await directory.noteSessions([note('v_a', { pending_until: null, queued_events: 1 })])
  expect(await directory.sessionCounts(NOW)).toMatchObject([{ ...NONE, queuedEvents: 1 }, NONE])
  await directory.noteSessions([note('v_a', { pending_until: null })])
  expect(await directory.sessionCounts(NOW)).toMatchObject([NONE, NONE])
})

it('a session id that looks like SQL is stored unchanged in the counts', async () => {
  const id = "v_', 0, 0, 0, 0); DROP TABLE session_notes; --"
  await directory.noteSessions([note(id)])
  expect(await directory.sessionCounts(NOW)).toMatchObject([{ pending: 1 }, NONE])
  await directory.noteSessions([note(id, { pending_until: null })])
  expect(await directory.sessionCounts(NOW)).toMatchObject([NONE, NONE])
})

it('the counts do not include a session as pending after its expiry, even if its end was not reported', async () => {
  await directory.noteSessions([note('v_a')])
  expect(await directory.sessionCounts(NOW + 1)).toMatchObject([NONE, NONE])
})

it('the counts include the notes that are not stored yet, and these notes replace the stored notes of the same sessions', async () => {
  const stored = [
    note('v_a'),
    note('v_b', { pending_until: null, dead_events: 1 }),
    note('v_c', { livemode: true }),
  ]
  await directory.noteSessions(stored)
  const newer = [
    note('v_a', { pending_until: null, queued_events: 1 }),
    note('v_c', { livemode: true }),
    note('v_d'),
    note('v_e', { pending_until: NOW }),
  ]
  expect(await directory.sessionCounts(NOW, newer)).toEqual([
    { livemode: false, pending: 1, queuedEvents: 1, deadEvents: 1 },
    { livemode: true, pending: 1, queuedEvents: 0, deadEvents: 0 },
  ])
  await directory.noteSessions(newer)
  expect(await directory.sessionCounts(NOW)).toEqual(await directory.sessionCounts(NOW, newer))
})

it('the counts read the stored notes of 10,000 sessions with one query', async () => {
  const notes = (count: number, changed: Partial<SessionNote> = {}) =>
    Array.from({ length: count }, (_, i) => note(`v_${i}`, changed))
  await directory.noteSessions(notes(10_001))
  const ended = notes(10_001, { pending_until: null, dead_events: 1 })
  await runInDurableObject(directory, (_, { storage: { sql } }) => {
    const statements: string[] = []
    const countOf = (newer: readonly SessionNote[]) => {
      const exec = (...call: Parameters<SqlStorage['exec']>) => {
        statements.push(call[0])
        return sql.exec(...call)
      }
      return countSessions({ exec } as SqlStorage, NOW, newer)
    }
    expect(countOf(ended.slice(1))).toEqual([
      { livemode: false, pending: 1, queuedEvents: 0, deadEvents: 10_000 },
      { livemode: true, ...NONE },
    ])
    expect(statements).toHaveLength(2)
    expect(countOf(ended)).toMatchObject([{ pending: 0, deadEvents: 10_001 }, NONE])
    expect(statements).toHaveLength(2 + 3)
  })
})
