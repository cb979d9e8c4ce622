import { afterEach, expect, it, vi } from 'vitest'
import { addAttempt } from '../../src/session/document.ts'
import { openStore } from '../../src/session/store.ts'
import { PENDING } from './recorded-sessions.ts'

afterEach(() => vi.useRealTimers())

it('writes a change in memory by the earliest of its times, although an earlier change may wait longer', () => {
  vi.useFakeTimers({ now: PENDING.created_at })
  const written: unknown[] = []
  const store = openStore({
    id: '00'.repeat(32), // a text is its own hexadecimal form
    storage: {
      kv: { get: () => PENDING, put: (_: string, value: unknown) => written.push(value) },
      getAlarm: async () => 0,
      setAlarm: async () => undefined,
    },
    getWebSockets: () => [],
    blockConcurrencyWhile: (task: () => Promise<void>) => task(),
  } as unknown as DurableObjectState)
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
