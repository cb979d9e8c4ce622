// Dead events of a time range are sent again (api/webhooks), while their sessions exist.

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { afterEach, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { call, json } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import { ask, createSession, type Setting, setUp, stubOf } from '../driver.ts'

const app = createApp()
const WEBHOOK = { webhook: { url: 'http://127.0.0.1:9/hook' } }

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('the dead events of a time range are sent once each, page by page, and no other events are sent', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2046, 5, 1, 12) })
  const setting = await setUp(WEBHOOK)
  const posted = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () => new Response(null, { status: 500 }))
  const before = await dead(setting)
  vi.setSystemTime(Date.UTC(2046, 5, 1, 13))
  const ids: string[] = []
  for (let i = 0; i < 27; i++) ids.push(await dead(setting))
  posted.mockImplementation(async () => new Response(null, { status: 204 }))
  const delivered = await ended(setting)
  await vi.waitFor(async () => expect((await deliveryOf(setting, delivered)).state).toBe('delivered'), WAIT)
  vi.setSystemTime(Date.UTC(2046, 5, 1, 14))
  posted.mockImplementation(async () => new Response(null, { status: 500 }))
  const after = await dead(setting)
  posted.mockClear()
  posted.mockImplementation(async () => new Response(null, { status: 204 }))

  const range = { from: '2046-06-01T12:30:00Z', to: '2046-06-01T13:30:00Z' }
  const first = await redeliver(setting, range)
  expect(first).toMatchObject({ redelivered: 24, has_more: true })
  const second = await redeliver(setting, { ...range, after: first.next })
  expect(second).toMatchObject({ redelivered: 3, has_more: false })
  await vi.waitFor(() => expect(posted).toHaveBeenCalledTimes(27), WAIT)
  for (const id of ids) {
    await vi.waitFor(async () => expect((await deliveryOf(setting, id)).state).toBe('delivered'), WAIT)
  }
  for (const id of [before, after]) expect((await deliveryOf(setting, id)).state).toBe('dead')
})

it('two dead events of one session are sent once each', async () => {
  const posted = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () => new Response(null, { status: 500 }))
  const events = ['verification.created', 'verification.canceled']
  const setting = await setUp({ webhook: { ...WEBHOOK.webhook, events } })
  await dead(setting)
  posted.mockClear()
  posted.mockImplementation(async () => new Response(null, { status: 204 }))
  const [from, to] = [-60_000, 60_000].map((offset) => new Date(Date.now() + offset).toISOString())
  expect(await redeliver(setting, { from, to })).toMatchObject({ redelivered: 2 })
  await vi.waitFor(() => expect(posted).toHaveBeenCalledTimes(2), WAIT)
})

it.each([
  ['a `from` that is no time in UTC', { from: 'yesterday', to: '2046-06-01T13:30:00Z' }],
  ['an altered cursor', { from: '2046-06-01T12:30:00Z', to: '2046-06-01T13:30:00Z', after: 'A'.repeat(32) }],
])('a request to send events again is refused if it has %s', async (_, body) => {
  const { headers } = await setUp(WEBHOOK)
  expect((await call(app, 'POST', '/v1/webhook/redeliver', { headers, body })).status).toBe(400)
})

async function ended(setting: Setting): Promise<string> {
  const { verification_id } = await createSession(setting)
  await ask(setting, 'POST', verification_id, '/cancel')
  return verification_id
}

/** A session whose events are dead after their sixth attempts. */
async function dead(setting: Setting): Promise<string> {
  const id = await ended(setting)
  await vi.waitFor(async () => {
    const { deliveries } = await json(ask(setting, 'GET', id, '/deliveries'))
    for (const { attempts } of deliveries) expect(attempts[0].status).toBe(500)
    const { pending_log_entry, pending_step_log } = await runInDurableObject(
      stubOf(id),
      (_, state) => state.storage.kv.get<SessionDocument>('session')!,
    )
    expect([pending_log_entry, pending_step_log ?? null]).toEqual([null, null])
  }, WAIT)
  await runInDurableObject(stubOf(id), (_, state) => {
    const document = state.storage.kv.get<SessionDocument>('session')!
    const deliveries = document.deliveries.map((one) => ({ ...one, state: 'dead', next_attempt_at: null }))
    state.storage.kv.put('session', { ...document, deliveries })
  })
  await evictDurableObject(stubOf(id))
  return id
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function deliveryOf(setting: Setting, id: string): Promise<any> {
  return (await json(ask(setting, 'GET', id, '/deliveries'))).deliveries[0]
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function redeliver({ headers }: Setting, body: object): Promise<any> {
  const response = await call(app, 'POST', '/v1/webhook/redeliver', { headers, body })
  expect(response.status).toBe(202)
  return json(response)
}
