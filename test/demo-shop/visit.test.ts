// The object of a visit, on a simulated storage: contents, lifetime and access.

import type { CreatedVerification, VerificationEvent } from '@wallet-verifier/client/wire'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Call, Webhook } from '../../examples/demo-shop/src/order.ts'

// Imported here, so that the test runs as a plain function, with a stand-in for the base class of the object.
const { ShopVisit } = await import('../../examples/demo-shop/src/visit.ts')

const NOW = 1_760_000_000_000
const SECRET = 'a-secret-of-22-letters'
const CALL = { kind: 'call', what: 'create', path: '/v1/verify' } as Call
const CREATED = { verification_id: 'v_1', session_url: 'https://…', client_token: 't' } as CreatedVerification
const WEBHOOK = { kind: 'webhook', at: NOW, eventId: 'evt_1' } as Webhook
const EVENT = { event_id: 'evt_1', verification_id: 'v_1', status: 'declined' } as VerificationEvent

function open() {
  const kept = new Map<string, unknown>()
  const setAlarm = vi.fn(async () => {})
  const deleteAll = vi.fn(async () => kept.clear())
  const kv = {
    get: (key: string) => kept.get(key),
    put: (key: string, value: unknown) => kept.set(key, value),
  }
  const ctx = { storage: { kv, setAlarm, deleteAll } }
  return { kept, setAlarm, visit: new ShopVisit(ctx as never, {} as never) }
}

beforeEach(() => vi.useFakeTimers({ now: NOW }))
afterEach(() => vi.useRealTimers())

describe('a visit', () => {
  it('is erased an hour after its start', async () => {
    const { kept, setAlarm, visit } = open()
    await visit.open('plum', SECRET)
    expect(setAlarm).toHaveBeenCalledWith(NOW + 3_600_000)
    await visit.alarm()
    expect(kept.size).toBe(0)
    expect(visit.read(SECRET)).toBeNull()
  })

  it('stays erased even if calls and webhooks arrive later', async () => {
    const { kept, visit } = open()
    await visit.open('plum', SECRET)
    await visit.alarm()
    visit.storeWebhook(EVENT, WEBHOOK)
    expect(visit.called(CALL, CREATED)).toBeNull()
    expect(kept.size).toBe(0)
  })

  it('does not return its order to a browser with another secret', async () => {
    const { visit } = open()
    await visit.open('plum', SECRET)
    expect(visit.read(SECRET)?.goods).toBe('plum')
    expect([visit.read(''), visit.read(`${SECRET}x`), visit.read(SECRET.toUpperCase())]).toEqual([
      null,
      null,
      null,
    ])
  })

  it('stores its calls, its webhooks and its outcome', async () => {
    const { visit } = open()
    await visit.open('plum', SECRET)
    visit.called(CALL, CREATED)
    visit.storeWebhook(EVENT, WEBHOOK)
    const order = visit.read(SECRET)
    expect(order?.records.map(({ kind }) => kind)).toEqual(['call', 'webhook'])
    expect(order?.proof).toMatchObject({
      verificationId: 'v_1',
      notified: true,
      outcome: { status: 'declined' },
    })
  })
})
