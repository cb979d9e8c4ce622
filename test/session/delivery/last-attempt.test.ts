// An event is dead only after its sixth attempt has ended (api/webhooks).

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { toNote } from '../../../src/session/store/session-notes.ts'
import { type Delivery, nextDue, startAttempt } from '../../../src/webhook/outbox.ts'
import { call, json } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import { ask, createSession, type Setting, setUp, stubOf } from '../driver.ts'

const app = createApp()
const NOW = Date.UTC(2046, 5, 1, 12)
/** Time after which an attempt without a result has failed. */
const LOST_MS = 20_000

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('an event is queued while its sixth attempt is under way, and dead once that attempt has failed', async () => {
  const { setting, id, receiver } = await beforeSixth()
  const alarm = runDurableObjectAlarm(stubOf(id))
  await vi.waitFor(() => expect(receiver.posts()).toBe(1), WAIT)
  expect(await seen(setting, id)).toEqual({
    state: 'queued',
    next_attempt_at: null,
    attempts: 6,
    listed: null,
    counted: { queued_events: 1, dead_events: 0 },
  })
  receiver.answer(500)
  await alarm
  await vi.waitFor(async () => expect(await seen(setting, id)).toMatchObject(DEAD), WAIT)
  expect(receiver.posts()).toBe(1)
})

it('an event whose sixth attempt was interrupted by a crash is dead after 20 s, and is not sent again', async () => {
  const { setting, id, receiver } = await beforeSixth()
  // The write that starts an attempt is all that a crash leaves.
  await change(id, (deliveries) => startAttempt(deliveries, deliveries[0]!.delivery_id, NOW))
  expect(await seen(setting, id)).toMatchObject({ state: 'queued', next_attempt_at: null, listed: null })
  vi.setSystemTime(NOW + LOST_MS)
  await runDurableObjectAlarm(stubOf(id))
  await vi.waitFor(async () => expect(await seen(setting, id)).toMatchObject(DEAD), WAIT)
  expect(receiver.posts()).toBe(0)
})

const DEAD = {
  state: 'dead',
  next_attempt_at: null,
  attempts: 6,
  listed: 'dead',
  counted: { queued_events: 0, dead_events: 1 },
}

/** Returns a canceled session whose event has failed five times, and a receiver that hangs at first. */
async function beforeSixth() {
  let status = 500
  let posts = 0
  let hangs = false
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    posts += 1
    while (hangs) await new Promise((resolve) => setTimeout(resolve, 20))
    return new Response(null, { status })
  })
  const setting = await setUp({ webhook: { url: 'http://127.0.0.1:9/hook' } })
  const { verification_id: id } = await createSession(setting)
  await ask(setting, 'POST', id, '/cancel')
  await vi.waitFor(async () => {
    const { deliveries } = await json(ask(setting, 'GET', id, '/deliveries'))
    expect(deliveries[0].attempts[0].status).toBe(500)
    const document = await stored(id)
    expect([document?.pending_log_entry, document?.pending_index_entry?.next_call_at]).toEqual([null, null])
  }, WAIT)
  await change(id, ([delivery]) => {
    const [first] = delivery!.attempts
    const attempts = [1, 2, 3, 4, 5].map((attempt) => ({ ...first!, attempt }))
    return [{ ...delivery!, automatic_attempts: 5, attempts, next_attempt_at: NOW }]
  })
  posts = 0
  hangs = true
  const answer = (next: number) => {
    status = next
    hangs = false
  }
  return { setting, id, receiver: { answer, posts: () => posts } }
}

/** Changes the stored deliveries of a session, and restarts its object. */
async function change(id: string, to: (deliveries: readonly Delivery[]) => readonly Delivery[]) {
  await runInDurableObject(stubOf(id), async (_, { storage }) => {
    const document = storage.kv.get<SessionDocument>('session')!
    const deliveries = to(document.deliveries)
    storage.kv.put('session', { ...document, deliveries })
    await storage.setAlarm(nextDue(deliveries)!)
  })
  await evictDurableObject(stubOf(id))
}

/** Returns how the event reads: in the log of deliveries, in the list, and in the gauges. */
async function seen(setting: Setting, id: string) {
  const { deliveries } = await json(ask(setting, 'GET', id, '/deliveries'))
  const [{ state, next_attempt_at, attempts }] = deliveries
  const { headers } = setting
  const { verifications } = await json(call(app, 'GET', '/v1/verify', { headers }))
  const { queued_events, dead_events } = toNote(id, await stored(id))
  const [{ webhook_state: listed }] = verifications
  return {
    state,
    next_attempt_at,
    attempts: attempts.length,
    listed,
    counted: { queued_events, dead_events },
  }
}

function stored(id: string): Promise<SessionDocument | undefined> {
  return runInDurableObject(stubOf(id), (_, { storage }) => storage.kv.get<SessionDocument>('session'))
}
