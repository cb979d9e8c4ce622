// Background work whose write throws: one line of the log has the error, and the alarm repeats the work.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EventLog } from '../../src/relying-party/event-log.ts'
import { eventLogStub, toDay } from '../../src/relying-party/events/event-days.ts'
import type { SessionDocument } from '../../src/session/document/document.ts'
import { json } from '../routes/edge/edge-app.ts'
import { WAIT } from '../support/wait.ts'
import { ask, createSession, fetchRequest, post, type Setting, setUp, stubOf } from './driver.ts'

const WEBHOOK = { webhook: { url: 'http://127.0.0.1:9/hook' } }
const SECRET = 'canary-in-a-message'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Makes the first write of such a document throw. */
function failFirstWrite(id: string, of: (document: SessionDocument) => boolean): Promise<void> {
  return runInDurableObject(stubOf(id), (_, state) => {
    const { kv } = state.storage
    const put = kv.put.bind(kv)
    let failed = false
    vi.spyOn(kv, 'put').mockImplementation((key, value) => {
      const fails = !failed && of(value as SessionDocument)
      failed ||= fails
      if (fails) throw new TypeError(SECRET)
      put(key, value)
    })
  })
}

/** Records the errors that are logged from now on. */
function errors(): readonly string[] {
  const lines: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(String(line)))
  return lines
}

/** The whole log after one error: its kind, and none of its content. */
const ONE_FAULT = [
  expect.stringMatching(
    /^\{"time":"[\d-]{10}T[\d:.]{12}Z","level":"error","event":"background_fault","error":"TypeError"\}$/,
  ),
]

async function alarmLater(id: string, milliseconds: number): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
  await runDurableObjectAlarm(stubOf(id))
}

const stored = (id: string) =>
  runInDurableObject(stubOf(id), (_, state) => state.storage.kv.get<SessionDocument>('session'))

/** Counts the events of a session in the logs of today and yesterday: the clock may pass midnight. */
async function timesLogged(setting: Setting, id: string): Promise<number> {
  const today = toDay(Date.now())
  const pages = [today - 1, today].map((day) =>
    eventLogStub(env, setting.relyingPartyId, day).read(day, 0, 100),
  )
  const events = (await Promise.all(pages)).flatMap((page) => page.events)
  return events.filter(({ verification_id }) => verification_id === id).length
}

describe('a background write that throws', () => {
  it('leaves the event queued, and the next alarm stores the event in the event log once', async () => {
    const setting = await setUp()
    const { verification_id: id } = await createSession(setting)
    const lines = errors()
    await failFirstWrite(
      id,
      ({ status, pending_log_entry }) => status === 'canceled' && pending_log_entry === null,
    )
    expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
    await vi.waitFor(() => expect(lines).toEqual(ONE_FAULT), WAIT)
    expect(await stored(id)).toMatchObject({ status: 'canceled', pending_log_entry: { calls: 1 } })
    await alarmLater(id, 661_000) // that of the expiry
    expect(await stored(id)).toMatchObject({ pending_log_entry: null })
    expect(await timesLogged(setting, id)).toBe(1)
  })

  it('does not lose the result of the webhook attempt: the next write stores this result, and the event is sent once', async () => {
    const setting = await setUp(WEBHOOK)
    const receiver = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null))
    const { verification_id: id } = await createSession(setting)
    const lines = errors()
    await failFirstWrite(id, ({ deliveries }) => deliveries[0]?.state === 'delivered')
    expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
    await vi.waitFor(() => expect(lines).toEqual(ONE_FAULT), WAIT)
    const delivered = { deliveries: [{ state: 'delivered', automatic_attempts: 1 }] }
    await vi.waitFor(async () => expect(await stored(id)).toMatchObject(delivered), WAIT)
    await alarmLater(id, 661_000) // that of the expiry
    expect(receiver).toHaveBeenCalledTimes(1)
    expect(await stored(id)).toMatchObject({ pending_log_entry: null, ...delivered })
  })

  it('does not prevent the storage of a webhook result, even if its task was to move the event to the next day of the log', async () => {
    const setting = await setUp(WEBHOOK)
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null))
    vi.spyOn(EventLog.prototype, 'append').mockReturnValueOnce('closed')
    const { verification_id: id } = await createSession(setting)
    const today = toDay(Date.now())
    const lines = errors()
    await failFirstWrite(id, ({ pending_log_entry }) => (pending_log_entry?.day ?? 0) > today)
    expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
    await vi.waitFor(
      async () => expect(await stored(id)).toMatchObject({ deliveries: [{ state: 'delivered' }] }),
      WAIT,
    )
    expect(lines).toEqual(ONE_FAULT)
    expect(await stored(id)).toMatchObject({ pending_log_entry: { day: today } })
  })

  it('is reported in the error log if its task was to store the result of a manual delivery', async () => {
    const setting = await setUp(WEBHOOK)
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null))
    const { verification_id: id } = await createSession(setting)
    expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
    await vi.waitFor(
      async () => expect(await stored(id)).toMatchObject({ deliveries: [{ state: 'delivered' }] }),
      WAIT,
    )
    const { deliveries } = await json(ask(setting, 'GET', id, '/deliveries'))
    const lines = errors()
    await failFirstWrite(id, (document) => document.deliveries[0]?.attempts[1]?.status === 200)
    expect(
      (await ask(setting, 'POST', id, `/deliveries/${deliveries[0].delivery_id}/redeliver`)).status,
    ).toBe(202)
    await vi.waitFor(() => expect(lines).toEqual(ONE_FAULT), WAIT)
    expect(await stored(id)).toMatchObject({ deliveries: [{ attempts: [{}, { error: 'unknown' }] }] })
  })

  it('is reported in the error log if its task was to store refused responses; the next write stores them', async () => {
    const setting = await setUp()
    const { verification_id: id, wallet_request } = await createSession(setting)
    const { state } = await fetchRequest(wallet_request.request_uri)
    const lines = errors()
    await failFirstWrite(id, ({ attempts }) => attempts.length > 0)
    expect((await post(id, { vp_token: '{"age_attestation":["a.b.c~"]}', state })).status).toBe(400)
    await vi.waitFor(() => expect(lines).toEqual(ONE_FAULT), WAIT)
    expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
    expect(await stored(id)).toMatchObject({ status: 'canceled', attempt_count: 1 })
  })
})
