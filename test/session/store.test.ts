import { env, withEnv } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { addAttempt } from '../../src/session/document/attempt.ts'
import type { SessionDocument } from '../../src/session/document/document.ts'
import type { Held } from '../../src/session/document/outcome.ts'
import { publicView } from '../../src/session/document/state-view.ts'
import { openStore } from '../../src/session/store/store.ts'
import { enqueue, finishAttempt, markDead, startAttempt } from '../../src/webhook/outbox.ts'
import { PENDING } from './recorded-sessions.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const REFUSED = { at: PENDING.created_at, reason: 'malformed_response', channel: null } as const
const HOLDING = { status: 'pending', ended_at: null, held: {} as Held } as const

it('all changes in memory are stored together at the time of the most urgent change', () => {
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

describe('the entry for the list is queued by a write to storage', () => {
  const event = { delivery_id: 'd', event_id: 'e', event_type: 'verification.expired', sequence: 1, body: '' }
  const ENDED: SessionDocument = {
    ...PENDING,
    status: 'expired',
    ended_at: PENDING.created_at,
    deliveries: enqueue([], event, PENDING.created_at),
    pending_index_entry: { revision: 3, calls: 1, next_call_at: null },
  }
  const six = [1, 2, 3, 4, 5, 6].reduce((all) => startAttempt(all, 'd', PENDING.created_at), ENDED.deliveries)
  const failed = { status: 500, error: null, durationMs: 10, excerpt: '', retryAfter: null } as const

  it.each<[string, SessionDocument, SessionDocument, number]>([
    ['that ends an unwanted event', ENDED, { ...ENDED, deliveries: markDead(ENDED.deliveries, 'd') }, 4],
    [
      'that ends the last attempt, which failed',
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
    ['that ends the session', { ...ENDED, status: 'pending', ended_at: null }, ENDED, 4],
    ['that discards a held success', { ...ENDED, ...HOLDING }, { ...ENDED, ...HOLDING, held: null }, 4],
    ['but not if the write only adds a refused response', ENDED, addAttempt(ENDED, REFUSED), 3],
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

  it('even if a watching client has gone: its socket is closed, and the next client gets the state', () => {
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

/** Opens a store with this document and these watchers. `written`: what it writes. */
function openStoreOf(document: SessionDocument, sockets: readonly object[] = []) {
  const written: unknown[] = []
  const store = openStore({
    id: '00'.repeat(32), // a text is its own hexadecimal form
    storage: {
      kv: { get: () => document, put: (_: string, value: unknown) => written.push(value) },
      getAlarm: async () => 0,
      setAlarm: async () => undefined,
    },
    getWebSockets: () => sockets,
    blockConcurrencyWhile: (task: () => Promise<void>) => task(),
  } as unknown as DurableObjectState)
  return { store, written }
}
