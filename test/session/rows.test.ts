// The cost of a verification in rows: one for each put, one for each `setAlarm`.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WEBHOOK_EVENT_TYPES } from '../../src/relying-party/document/settings.ts'
import { EventLog } from '../../src/relying-party/event-log.ts'
import type { LogEntry } from '../../src/relying-party/events/day-events.ts'
import { toDay } from '../../src/relying-party/events/event-days.ts'
import { indexStub } from '../../src/relying-party/index/index-days.ts'
import { createApp } from '../../src/routes/app.ts'
import { call } from '../routes/edge/edge-app.ts'
import { WAIT } from '../support/wait.ts'
import {
  ask,
  createSession,
  fetchRequest,
  fetchRequestRaw,
  goodResponse,
  isPublished,
  poll,
  post,
  type Setting,
  setUp,
  stubOf,
} from './driver.ts'

const app = createApp()

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/**
 * Counts the rows that objects write from now on, by the platform's own methods. The last use of an API key
 * is left out: it is one row an hour for any number of verifications.
 */
async function countRows(): Promise<() => number> {
  const anyObject = env.VERIFICATION_SESSION.get(env.VERIFICATION_SESSION.newUniqueId())
  return runInDurableObject(anyObject, (_, state) => {
    const kv = Object.getPrototypeOf(state.storage.kv)
    const storage = Object.getPrototypeOf(state.storage)
    const spies = [
      vi.spyOn(kv, 'put'),
      vi.spyOn(kv, 'delete'),
      vi.spyOn(storage, 'put'),
      vi.spyOn(storage, 'setAlarm'),
      vi.spyOn(storage, 'deleteAll'),
    ]
    const isCounted = ([key]: readonly unknown[]) => !String(key).startsWith('key_used/')
    return () => spies.reduce((rows, spy) => rows + spy.mock.calls.filter(isCounted).length, 0)
  })
}

/**
 * A receiver that accepts everything. It accepts the first `count` events, which are those of steps, once the
 * log has them: a receiver is usually slower than the log, and one that is faster costs a row more.
 */
function takeEvents(count: number) {
  let logged = 0
  let posted = 0
  const { append } = EventLog.prototype
  vi.spyOn(EventLog.prototype, 'append').mockImplementation(async function (this: EventLog, entry: LogEntry) {
    const result = await append.call(this, entry)
    await (this as unknown as { readonly ctx: DurableObjectState }).ctx.storage.sync()
    logged++
    return result
  } as unknown as EventLog['append'])
  return vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    const number = ++posted
    do await scheduler.wait(20)
    while (number <= count && logged < number)
    return new Response(null, { status: 204 })
  })
}

describe('the rows that storage writes for a verification', () => {
  it('are 9 from creation to erasure, with a second QR code and a webhook, without an index', async () => {
    const setting = await setUp({ webhook: { url: 'http://127.0.0.1:9/hook' }, index: false })
    const receiver = takeEvents(0)
    await endFirstOfTheDay(setting)
    receiver.mockClear()
    const rows = await countRows()
    const { verification_id, wallet_request } = await createSession(setting)
    expect(rows()).toBe(2)
    expect((await ask(setting, 'GET', verification_id, '/qr')).status).toBe(200)
    expect(rows()).toBe(3)
    const request = await fetchRequest(wallet_request.request_uri)
    expect(rows()).toBe(4)
    expect((await post(verification_id, await goodResponse(setting, request))).status).toBe(200)
    await vi.waitFor(() => expect(receiver).toHaveBeenCalledTimes(1), WAIT)
    // One of these is the event in the log.
    await vi.waitFor(() => expect(rows()).toBe(8), WAIT)
    await eraseInTime(setting, verification_id)
    expect(rows()).toBe(9)
  })

  it('are 8 without a webhook and without an index, because the end needs no new alarm', async () => {
    const setting = await setUp({ index: false })
    await endFirstOfTheDay(setting)
    const rows = await countRows()
    const { verification_id, wallet_request } = await createSession(setting)
    const request = await fetchRequest(wallet_request.request_uri)
    expect((await post(verification_id, await goodResponse(setting, request))).status).toBe(200)
    await isPublished(verification_id)
    expect(rows()).toBe(7)
    await eraseInTime(setting, verification_id)
    expect(rows()).toBe(8)
  })

  it.each([
    ['2 more if there is an index: for creation and end', null],
    ['2 more if there is an index and a webhook', { url: 'http://127.0.0.1:9/hook' }],
  ])('are %s', async (_, webhook) => {
    takeEvents(0)
    const setting = await setUp({ webhook })
    await endFirstOfTheDay(setting)
    await areListed(setting, 1)
    const rows = await countRows()
    const { verification_id, wallet_request } = await createSession(setting)
    await vi.waitFor(() => expect(rows()).toBe(3), WAIT)
    const request = await fetchRequest(wallet_request.request_uri)
    expect(rows()).toBe(4)
    expect((await post(verification_id, await goodResponse(setting, request))).status).toBe(200)
    await vi.waitFor(() => expect(rows()).toBe(9), WAIT)
    await eraseInTime(setting, verification_id)
    expect(rows()).toBe(8 + 2)
  })

  it('evidence adds 2 rows between the creation and the erasure of the session', async () => {
    const evidence = { jwks: { keys: [EVIDENCE_KEY] }, for: 'all' }
    const setting = await setUp({ index: false, evidence })
    await endFirstOfTheDay(setting)
    const rows = await countRows()
    const { verification_id, wallet_request } = await createSession(setting)
    const request = await fetchRequest(wallet_request.request_uri)
    expect((await post(verification_id, await goodResponse(setting, request))).status).toBe(200)
    await isPublished(verification_id)
    expect(rows()).toBe(7 + 2)
    await eraseInTime(setting, verification_id)
    expect(rows()).toBe(8 + 2)
  })

  it('step events for creation and fetch add 10 rows if there is an index', async () => {
    takeEvents(3)
    const webhook = { url: 'http://127.0.0.1:9/hook', events: WEBHOOK_EVENT_TYPES }
    const setting = await setUp({ webhook })
    await endFirstOfTheDay(setting)
    await areListed(setting, 1)
    const rows = await countRows()
    const { verification_id, wallet_request } = await createSession(setting)
    await vi.waitFor(() => expect(rows()).toBe(3 + 5), WAIT)
    const request = await fetchRequest(wallet_request.request_uri)
    await vi.waitFor(() => expect(rows()).toBe(4 + 10), WAIT)
    expect((await post(verification_id, await goodResponse(setting, request))).status).toBe(200)
    await vi.waitFor(() => expect(rows()).toBe(9 + 10), WAIT)
    await eraseInTime(setting, verification_id)
    expect(rows()).toBe(8 + 2 + 10)
  })

  it('the erasure of metadata by the index adds one row for each session, and at most three rows for the whole day', async () => {
    const setting = await setUp()
    for (let i = 0; i < 20; i++) {
      const { verification_id } = await createSession(setting, { metadata: { order: `${i}` } })
      await ask(setting, 'POST', verification_id, '/cancel')
    }
    await areListed(setting, 20)
    const day = indexStub(env, setting.relyingPartyId, toDay(Date.now()))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 86_400_000 })
    const rows = await countRows()
    expect(await runDurableObjectAlarm(day)).toBe(true)
    // Two alarms, and the counters of the hour.
    expect(rows()).toBeLessThanOrEqual(20 + 3)
  })

  it('a repeated fetch, a poll, a second read of the OpenID4VP view or a repeated response writes no row', async () => {
    const setting = await setUp()
    const { verification_id, wallet_request } = await createSession(setting)
    const request = await fetchRequest(wallet_request.request_uri)
    await ask(setting, 'GET', verification_id, '/openid4vp')
    const answer = await goodResponse(setting, request)
    const rows = await countRows()
    await fetchRequestRaw(wallet_request.request_uri)
    await fetchRequestRaw(wallet_request.request_uri)
    await ask(setting, 'GET', verification_id, '/openid4vp')
    await poll(setting, verification_id)
    expect(rows()).toBe(0)
    expect((await post(verification_id, answer)).status).toBe(200)
    await isPublished(verification_id)
    const after = rows()
    expect(after).toBeGreaterThan(0)
    expect((await post(verification_id, answer)).status).toBe(200)
    await poll(setting, verification_id)
    expect(rows()).toBe(after)
  })

  it('1,000 invalid responses write at most 20 rows, and a good response succeeds afterwards', async () => {
    const setting = await setUp()
    const { verification_id, wallet_request } = await createSession(setting)
    const request = await fetchRequest(wallet_request.request_uri)
    const rows = await countRows()
    for (let batch = 0; batch < 20; batch++) {
      const junk = Array.from({ length: 50 }, (_, i) =>
        junkPost(verification_id, request.state, batch * 50 + i),
      )
      for (const response of await Promise.all(junk)) expect(response.status).toBe(400)
    }
    expect(rows()).toBeLessThanOrEqual(20)
    const session = await poll(setting, verification_id)
    expect(session.status).toBe('pending')
    expect(session.attempt_count).toBe(1000)
    expect(session.attempts).toHaveLength(10)
    expect((await post(verification_id, await goodResponse(setting, request))).status).toBe(200)
    expect((await poll(setting, verification_id)).status).toBe('verified')
  })
})

/** A key to which evidence is sealed. */
const EVIDENCE_KEY = {
  ...{ kty: 'EC', crv: 'P-256', kid: 'archive', x: 'Hsa6FliY137H3E3MIz0y6N3Uss1gqTT9ykPMw-i8rVo' },
  y: '8mbAgJ-pV474R5jP_s9kjcjR2xowucEm-sUheeHIhD4',
}

/** Ends a session, so that settings are cached and the log of the day has its alarm. */
async function endFirstOfTheDay(setting: Setting): Promise<void> {
  const { verification_id } = await createSession(setting)
  expect((await ask(setting, 'POST', verification_id, '/cancel')).status).toBe(200)
  await isPublished(verification_id)
}

async function eraseInTime(setting: Setting, id: string): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * 86_400_000 })
  expect(await runDurableObjectAlarm(stubOf(id))).toBe(true)
  expect((await ask(setting, 'GET', id)).status).toBe(404)
}

/** Waits until the list has this many ends. */
function areListed(setting: Setting, count: number): Promise<unknown> {
  return vi.waitFor(async () => {
    const path = '/v1/verify?status=canceled&limit=100'
    const response = await call(app, 'GET', path, { headers: setting.headers })
    expect((await response.json()) as object).toHaveProperty('verifications.length', count)
  }, WAIT)
}

function junkPost(id: string, state: string, number: number): Promise<Response> {
  switch (number % 4) {
    case 0:
      return post(id, { nothing: String(number) })
    case 1:
      return post(id, { vp_token: '{"age_attestation":["a.b.c~"]}', state: `guess-${number}` })
    case 2:
      return post(id, { vp_token: `{"age_attestation":["a.b.c${number}~"]}`, state })
    default:
      return post(id, { response: `a.b.c.d.${number}` })
  }
}
