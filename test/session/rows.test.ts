// The cost of a verification in rows: one for each put, one for each `setAlarm`.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  ask,
  createSession,
  fetchRequest,
  fetchRequestRaw,
  goodResponse,
  poll,
  post,
  setUp,
  stubOf,
} from './driver.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Counts the rows that objects write from now on, by the platform's own methods. */
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
    return () => spies.reduce((rows, spy) => rows + spy.mock.calls.length, 0)
  })
}

/** A receiver that accepts everything. */
function takeEvents() {
  return vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status: 204 }))
}

describe('rows written', () => {
  it('are 12 or fewer for a verification with one extra render, from creation to erasure', async () => {
    const setting = await setUp({ webhook: { url: 'http://127.0.0.1:9/hook' } })
    await createSession(setting) // the settings are cached now
    const receiver = takeEvents()
    const rows = await countRows()
    const { verification_id, wallet_request } = await createSession(setting)
    expect(rows()).toBe(2)
    expect((await ask(setting, 'GET', verification_id, '/qr')).status).toBe(200)
    expect(rows()).toBe(3)
    const request = await fetchRequest(wallet_request.request_uri)
    expect(rows()).toBe(4)
    expect((await post(verification_id, await goodResponse(setting, request))).status).toBe(200)
    await vi.waitFor(() => expect(receiver).toHaveBeenCalledTimes(1))
    // Two of these are of the event log: the event, and once a day its alarm.
    await vi.waitFor(() => expect(rows()).toBe(10))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * 86_400_000 })
    expect(await runDurableObjectAlarm(stubOf(verification_id))).toBe(true)
    expect((await ask(setting, 'GET', verification_id)).status).toBe(404)
    expect(rows()).toBeLessThanOrEqual(12)
  })

  it('are 0 for a repeated fetch, a poll, a second view or a replay', async () => {
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

  it('are 20 or fewer for 1,000 junk posts, and a good response succeeds after them', async () => {
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

/** The confirmation of the event log is written after the response to the wallet. */
function isPublished(id: string): Promise<unknown> {
  return vi.waitFor(() =>
    runInDurableObject(stubOf(id), (_, state) =>
      expect(state.storage.kv.get('session')).toHaveProperty('pending_log_entry', null),
    ),
  )
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
