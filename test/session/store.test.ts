import { env, withEnv } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { addAttempt } from '../../src/session/document/attempt.ts'
import type { SessionDocument, Tombstone } from '../../src/session/document/document.ts'
import type { Login } from '../../src/session/document/login.ts'
import type { Held } from '../../src/session/document/outcome.ts'
import { publicView } from '../../src/session/document/state-view.ts'
import { openOwnSlot } from '../../src/session/store/slot.ts'
import { openStore } from '../../src/session/store/store.ts'
import { enqueue, finishAttempt, markDead, startAttempt } from '../../src/webhook/outbox.ts'
import { PENDING } from './recorded-sessions.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const REFUSED = { at: PENDING.created_at, reason: 'malformed_response', channel: null } as const
const HOLDING = { status: 'pending', ended_at: null, held: {} as Held } as const

it('all changes in memory are stored together at the earliest of their deadlines', () => {
  vi.useFakeTimers({ now: PENDING.created_at })
  const { store, written } = openStoreOf(PENDING)
  const attempt = { at: PENDING.created_at, reason: 'malformed_response', channel: null } as const
  const one = addAttempt(PENDING, attempt)
  store.keep(one, 10_000)
  store.keep(addAttempt(one, attempt), 1000)
  vi.advanceTimersByTime(999)
  expect(written).toEqual([])
  vi.advanceTimersByTime(1)
  expect(written).toMatchObject([{ attempt_count: PENDING.attempt_count + 2, version: PENDING.version + 1 }])
  vi.advanceTimersByTime(20_000)
  expect(written).toHaveLength(1)
})

describe('a write to storage', () => {
  const event = { delivery_id: 'd', event_id: 'e', event_type: 'verification.expired', sequence: 1, body: '' }
  const ENDED: SessionDocument = {
    ...PENDING,
    status: 'expired',
    ended_at: PENDING.created_at,
    deliveries: enqueue([], event, PENDING.created_at),
    pending_index_entry: { revision: 3, calls: 1, next_call_at: null },
  }
  const LOGIN = { ...ENDED, ...HOLDING, held: null, login: {} as Login, request_fetched: false }
  const FETCHED_LOGIN = { ...LOGIN, request_fetched: true }
  const six = [1, 2, 3, 4, 5, 6].reduce((all) => startAttempt(all, 'd', PENDING.created_at), ENDED.deliveries)
  const failed = { status: 500, error: null, durationMs: 10, excerpt: '', retryAfter: null } as const

  /** Returns a function that returns the case of one more refused response after some. */
  const addsAttempt = (revision: 3 | 4) => (count: number) => {
    const before = { ...ENDED, attempt_count: count }
    const title = `${revision === 3 ? 'queues no entry for the list if it adds' : 'queues an entry for the list if it adds'} the refused response ${count + 1}`
    return [title, before, addAttempt(before, REFUSED), revision] as const
  }

  it.each<readonly [string, SessionDocument, SessionDocument, number]>([
    [
      'queues an entry for the list if it makes an event dead',
      ENDED,
      { ...ENDED, deliveries: markDead(ENDED.deliveries, 'd') },
      4,
    ],
    [
      'queues an entry for the list if it ends the last attempt, which failed',
      { ...ENDED, deliveries: six },
      {
        ...ENDED,
        deliveries: finishAttempt(six, {
          deliveryId: 'd',
          attempt: 6,
          now: PENDING.created_at,
          jitter: 0,
          outcome: failed,
        }),
      },
      4,
    ],
    [
      'queues an entry for the list if it ends the session',
      { ...ENDED, status: 'pending', ended_at: null },
      ENDED,
      4,
    ],
    [
      'queues no entry for the list if only the stage changes',
      { ...ENDED, ...HOLDING, held: null },
      { ...ENDED, ...HOLDING },
      3,
    ],
    [
      'queues an entry for the list if it is the first act in a login',
      LOGIN,
      { ...LOGIN, request_fetched: true },
      4,
    ],
    [
      'queues no entry for the list if it is a later act in a login',
      FETCHED_LOGIN,
      { ...FETCHED_LOGIN, ...HOLDING },
      3,
    ],
    ...[0, 1, 2, 9].map(addsAttempt(4)),
    ...[3, 4, 8, 10, 99, 1_000].map(addsAttempt(3)),
  ])('%s', (_, before, after, revision) => {
    vi.useFakeTimers({ now: PENDING.created_at })
    const { store, written } = openStoreOf(before)
    store.commit(after)
    const next_call_at = revision === 3 ? null : expect.any(Number)
    expect(written).toMatchObject([{ pending_index_entry: { revision, calls: 1, next_call_at } }])
  })
})

describe('a write to storage is kept', () => {
  const changed = { ...addAttempt(PENDING, REFUSED), version: PENDING.version + 1 }

  it('even if the note about its session cannot be stored, and this failure is logged', () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const { store, written } = openStoreOf(PENDING)
    const bindings = {
      ...env,
      get JURISDICTION(): string {
        throw new RangeError('a secret of the message')
      },
    }
    withEnv(bindings, () => store.commit(changed))
    expect(written).toEqual([changed])
    expect(store.session()).toEqual(changed)
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)))
    expect(lines).toEqual([
      { time: expect.any(String), level: 'error', event: 'session_not_noted', error: 'RangeError' },
    ])
  })

  it('even if a watching client has gone: its socket is closed, and another client gets the state', () => {
    const gone = { send: vi.fn().mockThrow(new TypeError('closed')), close: vi.fn() }
    const present = { send: vi.fn(), close: vi.fn() }
    const { store, written } = openStoreOf(PENDING, [gone, present])
    store.commit(changed)
    expect(written).toEqual([changed])
    expect(gone.close.mock.calls).toEqual([[1011]])
    expect(present.send.mock.calls).toEqual([[JSON.stringify(publicView(changed))]])
    expect(present.close).not.toHaveBeenCalled()
  })
})

it('an erased session is never read again, even if its tombstone cannot be written', async () => {
  const { store, object } = openStoreOf(PENDING)
  const full = new Error('the disk is full')
  vi.spyOn(object.storage.kv, 'put').mockImplementation(() => {
    throw full
  })
  const tombstone = { erased: true, body_digest: 'digest', keep_until: Date.now() + 60_000, schema: 1 }
  await expect(store.erase(tombstone as unknown as Tombstone)).rejects.toBe(full)
  expect(store.session()).toBeUndefined()
  expect(store.tombstone()).toEqual(tombstone)
})

/** Opens a store with this document and these watchers. `written`: what it writes. */
function openStoreOf(document: SessionDocument, sockets: readonly object[] = []) {
  const written: unknown[] = []
  const object = {
    storage: {
      kv: { get: () => document, put: (_: string, value: unknown) => written.push(value) },
      getAlarm: async () => 0,
      setAlarm: async () => undefined,
      deleteAll: async () => undefined,
    },
    getWebSockets: () => sockets,
    blockConcurrencyWhile: (task: () => Promise<void>) => task(),
  } as unknown as DurableObjectState
  const store = openStore(openOwnSlot(object, { id: document.verification_id, hasPrice: true }))
  return { store, written, object }
}
