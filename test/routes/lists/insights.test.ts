// Counters and timelines (api/lists), over the real sessions and the real index.

import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { toDay } from '../../../src/relying-party/events/event-days.ts'
import { indexStub } from '../../../src/relying-party/index/index-days.ts'
import { VerificationIndex } from '../../../src/relying-party/index/verification-index.ts'
import { createApp } from '../../../src/routes/app.ts'
import {
  ask,
  createSession,
  fetchedSession,
  fetchRequest,
  goodResponse,
  post,
  type Setting,
  setUp,
  stubOf,
} from '../../session/driver.ts'
import { WAIT } from '../../support/wait.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { call } from '../edge/edge-app.ts'

const app = createApp()
const HOUR = 3_600_000
const DAY = 24 * HOUR

startAtNoon()

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function insights(setting: Setting, query: string): Promise<any> {
  const response = await call(app, 'GET', `/v1/insights?${query}`, { headers: setting.headers })
  expect(response.status).toBe(200)
  return response.json()
}

const TODAY = 'from=2046-06-15T00:00:00Z&to=2046-06-16T00:00:00Z'

async function cancelAfter(setting: Setting, seconds: number): Promise<string> {
  const start = Date.now()
  const { verification_id } = await createSession(setting)
  at(start + seconds * 1_000)
  expect((await ask(setting, 'POST', verification_id, '/cancel')).status).toBe(200)
  return verification_id
}

/** Waits until this many sessions have ended in the counters of today. */
async function areCounted(setting: Setting, ended: object): Promise<void> {
  await vi.waitFor(async () => {
    const { steps } = await insights(setting, TODAY)
    expect(steps[0].ended).toEqual(ended)
  }, WAIT)
}

/** Responds to webhooks with these statuses, each after 120 ms. */
function respondWith(...statuses: readonly number[]): void {
  const left = [...statuses]
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    at(Date.now() + 120)
    return new Response(null, { status: left.shift() ?? 204 })
  })
}

/** Waits until the event of a session has had responses with these statuses. */
async function areAttempted(setting: Setting, id: string, statuses: readonly number[]): Promise<void> {
  await vi.waitFor(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
    const { deliveries } = (await (await ask(setting, 'GET', id, '/deliveries')).json()) as any
    expect(deliveries[0].attempts.map(({ status }: { status: number }) => status)).toEqual(statuses)
  }, WAIT)
}

/** Has the event of an end refused once, and sends it again after ten minutes. */
async function repeatWebhook(setting: Setting, id: string): Promise<void> {
  await areAttempted(setting, id, [500])
  at(NOON + 600_000)
  await runDurableObjectAlarm(stubOf(id))
  await areAttempted(setting, id, [500, 204])
}

const WEBHOOK = { webhook: { url: 'http://127.0.0.1:9/hook' } }

describe('GET /v1/insights', () => {
  it('counts, for each hour, creations, fetches, ends, reasons, channels and protocols', async () => {
    const setting = await setUp()
    await cancelAfter(setting, 10)
    at(NOON + HOUR)
    const { id, request } = await fetchedSession(setting)
    at(NOON + 2 * HOUR)
    await cancelAfter(setting, 40)
    at(NOON + HOUR + 8_000)
    expect((await post(id, await goodResponse(setting, request))).status).toBe(200)
    await areCounted(setting, { canceled: 2, verified: 1 })
    const { steps } = await insights(setting, `${TODAY}&step=hour`)
    expect(steps).toHaveLength(24)
    expect(steps[12]).toMatchObject({
      at: '2046-06-15T12:00:00.000Z',
      created: 1,
      request_fetched: 0,
      ended: { canceled: 1 },
      reasons: { canceled_by_relying_party: 1 },
      channels: {},
      protocols: { 'openid4vp-1.0': 1 },
    })
    expect(steps[13]).toMatchObject({
      created: 1,
      request_fetched: 1,
      ended: { verified: 1 },
      reasons: {},
      channels: { qr: 1 },
    })
    expect(steps[14]).toMatchObject({ created: 1, ended: { canceled: 1 } })
    expect(steps[15]).toMatchObject({ created: 0, ended: {}, seconds_to_end: { p50: null, p95: null } })
    const { p50, p95 } = (await insights(setting, TODAY)).steps[0].seconds_to_end
    expect(p50).toBeGreaterThanOrEqual(10)
    expect(p50).toBeLessThanOrEqual(11)
    expect(p95).toBeGreaterThanOrEqual(40)
    expect(p95).toBeLessThanOrEqual(44)
  })

  it('counts each webhook attempt by its result, and has the duration of the last attempt', async () => {
    respondWith(500, 204)
    const setting = await setUp(WEBHOOK)
    await repeatWebhook(setting, await cancelAfter(setting, 10))
    await vi.waitFor(async () => {
      const [step] = (await insights(setting, TODAY)).steps
      expect(step).toMatchObject({ ended: { canceled: 1 }, webhook_attempts: { failed: 1, succeeded: 1 } })
      for (const seconds of [step.webhook_seconds.p50, step.webhook_seconds.p95]) {
        expect(seconds).toBeGreaterThanOrEqual(0.12)
        expect(seconds).toBeLessThanOrEqual(0.132)
      }
    }, WAIT)
  })

  it('counts an end after midnight under the day of the end', async () => {
    const setting = await setUp()
    at(NOON + 12 * HOUR - 5_000)
    await cancelAfter(setting, 10)
    await vi.waitFor(async () => {
      const { steps } = await insights(setting, 'from=2046-06-15T00:00:00Z&to=2046-06-17T00:00:00Z')
      expect(steps[0]).toMatchObject({ created: 1, ended: {} })
      expect(steps[1]).toMatchObject({ created: 0, ended: { canceled: 1 } })
    }, WAIT)
  })

  it('has the same counts after an eviction from memory, after a DELETE, and after old list entries were erased', async () => {
    const setting = await setUp()
    const [deleted] = [await cancelAfter(setting, 10), await cancelAfter(setting, 20)]
    await areCounted(setting, { canceled: 2 })
    const before = await insights(setting, TODAY)
    const day = indexStub(env, setting.relyingPartyId, toDay(NOON))
    expect((await ask(setting, 'DELETE', deleted)).status).toBe(204)
    expect(await insights(setting, TODAY)).toEqual(before)
    await evictDurableObject(day)
    expect(await insights(setting, TODAY)).toEqual(before)
    at(NOON + 32 * DAY)
    await runDurableObjectAlarm(day)
    expect(await insights(setting, TODAY)).toEqual(before)
    await evictDurableObject(day)
    at(Date.now() + 30_000)
    expect(await insights(setting, TODAY)).toEqual(before)
  })

  it('reads an old day at most once in 30 s for each relying party, and a recent day each time', async () => {
    const [one, other] = [await setUp(), await setUp()]
    for (const setting of [one, other]) await cancelAfter(setting, 1)
    await areCounted(one, { canceled: 1 })
    await areCounted(other, { canceled: 1 })
    const counts = vi.spyOn(VerificationIndex.prototype, 'counts')
    const readsOf = async (setting: Setting) => {
      counts.mockClear()
      expect((await insights(setting, TODAY)).steps[0].ended).toEqual({ canceled: 1 })
      return counts.mock.calls.length
    }
    at(NOON + 2 * DAY)
    expect([await readsOf(one), await readsOf(one)]).toEqual([1, 1])
    at(NOON + 3 * DAY)
    expect([await readsOf(one), await readsOf(one), await readsOf(other)]).toEqual([1, 0, 1])
    at(NOON + 3 * DAY + 29_999)
    expect(await readsOf(one)).toBe(0)
    at(NOON + 3 * DAY + 30_000)
    expect(await readsOf(one)).toBe(1)
  })

  it('counts no verification of another relying party', async () => {
    const [one, other] = [await setUp(), await setUp()]
    await cancelAfter(one, 10)
    await areCounted(one, { canceled: 1 })
    expect((await insights(other, TODAY)).steps[0]).toMatchObject({ created: 0, ended: {} })
  })

  it.each([
    ['from=2046-06-15T00:00:00Z', '/to'],
    ['from=2046-06-15T00:00:00Z&to=2046-06-15T00:00:00Z', '/to'],
    ['from=2046-06-15T00:00:00Z&to=2049-06-15T00:00:00Z', '/to'],
    ['from=2046-06-15&to=2046-06-16T00:00:00Z', '/from'],
    [`${TODAY}&step=week`, '/step'],
    [`${TODAY}&status=verified`, '/status'],
  ])('rejects the query ?%s', async (query, pointer) => {
    const setting = await setUp()
    const response = await call(app, 'GET', `/v1/insights?${query}`, { headers: setting.headers })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] })
  })
})

describe('GET /v1/insights of a day that cannot be counted in one call', () => {
  it('names the day in `incomplete`, after a limited number of calls', async () => {
    const setting = await setUp()
    await cancelAfter(setting, 10)
    await areCounted(setting, { canceled: 1 })
    const counts = vi.spyOn(VerificationIndex.prototype, 'counts').mockResolvedValue(null)
    const { steps, incomplete } = await insights(setting, TODAY)
    expect([steps[0].created, incomplete]).toEqual([0, ['2046-06-15']])
    expect(counts).toHaveBeenCalledTimes(4)
    counts.mockRestore()
    expect(await insights(setting, TODAY)).not.toHaveProperty('incomplete')
  })
})

describe('GET /v1/verify/{id}/timeline', () => {
  it('lists each step, the oldest first, and combines equal consecutive steps in one entry with a count', async () => {
    respondWith(500, 204)
    const setting = await setUp(WEBHOOK)
    const { verification_id: id, client_token, wallet_request } = await createSession(setting)
    at(NOON + 500)
    const headers = { Authorization: `Bearer ${client_token}`, Origin: 'https://verifier.example' }
    expect((await call(app, 'POST', `/v1/verify/${id}/link`, { headers })).status).toBe(200)
    at(NOON + 1_000)
    const request = await fetchRequest(wallet_request.request_uri)
    for (const second of [2, 3]) {
      at(NOON + second * 1_000)
      const response = await goodResponse(setting, { ...request, nonce: 'another nonce' })
      expect((await post(id, response)).status).toBe(400)
    }
    at(NOON + 4_000)
    expect((await post(id, await goodResponse(setting, request))).status).toBe(200)
    await repeatWebhook(setting, id)
    const { entries } = (await (await ask(setting, 'GET', id, '/timeline')).json()) as { entries: object[] }
    const attempt = { count: 1, delivery_id: expect.stringMatching(/^dlv_/), error: null, duration_ms: 120 }
    expect(entries).toMatchObject([
      { type: 'created', at: '2046-06-15T12:00:00.000Z', count: 1 },
      { type: 'request_drawn', at: '2046-06-15T12:00:00.500Z', channel: 'link', wallet: null },
      { type: 'request_fetched', at: '2046-06-15T12:00:01.000Z', channel: 'qr' },
      {
        type: 'response_refused',
        at: '2046-06-15T12:00:02.000Z',
        last_at: '2046-06-15T12:00:03.000Z',
        count: 2,
        channel: 'qr',
        reason: { code: 'nonce_mismatch' },
        clause: 'OpenID4VP 1.0 §14.1',
      },
      { type: 'ended', status: 'verified', reason: null },
      { type: 'webhook_attempt', at: '2046-06-15T12:00:04.000Z', http_status: 500, ...attempt },
      { type: 'webhook_attempt', at: '2046-06-15T12:10:00.000Z', http_status: 204, ...attempt },
    ])
    expect(JSON.stringify(entries)).not.toContain(request.nonce)
  })

  it('gets 404 for another relying party, and after the erasure', async () => {
    const [setting, other] = [await setUp(), await setUp()]
    const { verification_id: id } = await createSession(setting)
    expect((await ask(other, 'GET', id, '/timeline')).status).toBe(404)
    expect((await ask(setting, 'GET', id, '/timeline')).status).toBe(200)
    await ask(setting, 'DELETE', id)
    expect((await ask(setting, 'GET', id, '/timeline')).status).toBe(404)
  })
})
