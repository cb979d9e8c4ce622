import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { exportJWK, generateKeyPair } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SessionDocument } from '../../src/session/document/document.ts'
import { computeSpread, EXPIRY_SPREAD_MS } from '../../src/session/store/spread.ts'
import { startAttempt } from '../../src/webhook/outbox.ts'
import { call, json } from '../routes/edge/edge-app.ts'
import { WAIT } from '../support/wait.ts'
import {
  ask,
  createSession,
  fetchRequest,
  fetchRequestRaw,
  goodResponse,
  poll,
  post,
  postIntoFault,
  presentation,
  setUp,
  stubOf,
} from './driver.ts'

const HOUR = 3_600_000

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Moves the clock only. */
function later(milliseconds: number): void {
  setClock(Date.now() + milliseconds)
}

function setClock(now: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now })
}

function receiver(status = 204) {
  return vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status }))
}

const WEBHOOK = { webhook: { url: 'http://127.0.0.1:9/hook' } }

const alarmOf = (id: string) => runInDurableObject(stubOf(id), (_, state) => state.storage.getAlarm())

/** Time of the alarm that expires a session without a watcher. */
function spreadExpiry(id: string, expiresAt: string): number {
  return Date.parse(expiresAt) + computeSpread(id, EXPIRY_SPREAD_MS)
}

describe('the expiry of a session', () => {
  it('has its own alarm, which fires up to 60 s later, or on time if a client watches', async () => {
    const setting = await setUp()
    const sessions = await Promise.all(Array.from({ length: 12 }, () => createSession(setting)))
    const delays = await Promise.all(
      sessions.map(async (one) => (await alarmOf(one.verification_id))! - Date.parse(one.expires_at)),
    )
    expect(new Set(delays).size).toBe(12)
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(10_000)
    expect(delays.every((delay) => delay >= 0 && delay < 60_000)).toBe(true)
    const [{ verification_id, expires_at }] = sessions
    const watch = `https://session/watch?relyingPartyId=${setting.relyingPartyId}`
    const headers = { Upgrade: 'websocket' }
    const { webSocket } = await stubOf(verification_id).fetch(watch, { headers })
    webSocket?.accept()
    expect(await alarmOf(verification_id)).toBe(Date.parse(expires_at))
    webSocket?.close()
  })

  it('is done by the alarm: the session gets the reason of the last attempt, and an event is sent', async () => {
    const setting = await setUp(WEBHOOK)
    const fetched = receiver()
    const { verification_id, expires_at } = await createSession(setting)
    expect(await alarmOf(verification_id)).toBe(spreadExpiry(verification_id, expires_at))
    await post(verification_id, { nonsense: '1' })
    later(601_000)
    expect(await runDurableObjectAlarm(stubOf(verification_id))).toBe(true)
    const session = await poll(setting, verification_id)
    expect(session).toMatchObject({
      status: 'expired',
      stage: 'done',
      reason: { code: 'malformed_response' },
    })
    await vi.waitFor(() => expect(fetched).toHaveBeenCalledTimes(1), WAIT)
    const event = JSON.parse(String(fetched.mock.calls[0]?.[1]?.body))
    expect(event).toMatchObject({ event_type: 'verification.expired', status: 'expired', sequence: 1 })
  })

  it('is done by a read if the alarm is late', async () => {
    const setting = await setUp()
    const { verification_id } = await createSession(setting)
    later(601_000)
    const session = await poll(setting, verification_id)
    expect(session).toMatchObject({ status: 'expired', reason: { code: 'session_expired' } })
  })

  it('makes the session refuse a later response', async () => {
    const setting = await setUp()
    const { verification_id, wallet_request } = await createSession(setting)
    const request = await fetchRequest(wallet_request.request_uri)
    later(601_000)
    expect((await post(verification_id, await goodResponse(setting, request))).status).toBe(409)
    expect((await fetchRequestRaw(wallet_request.request_uri)).status).toBe(410)
  })

  it('waits until a response that arrived earlier is verified', async () => {
    const setting = await setUp()
    const { verification_id, wallet_request, expires_at } = await createSession(setting)
    const request = await fetchRequest(wallet_request.request_uri)
    setClock(Date.parse(expires_at) - 1)
    const answer = await goodResponse(setting, request)
    // The response gets its time of arrival, then the clock passes the deadline during its verification.
    const verify = crypto.subtle.verify.bind(crypto.subtle)
    let passed: Promise<boolean> | undefined
    vi.spyOn(crypto.subtle, 'verify').mockImplementation(async (...parameters) => {
      if (passed === undefined) {
        later(10)
        passed = runDurableObjectAlarm(stubOf(verification_id))
      }
      return verify(...parameters)
    })
    expect((await post(verification_id, answer)).status).toBe(200)
    await passed
    expect((await poll(setting, verification_id)).status).toBe('verified')
  })

  it('makes the session refuse a later response even while an earlier response is still being verified', async () => {
    const setting = await setUp()
    const { verification_id, wallet_request, expires_at } = await createSession(setting)
    const request = await fetchRequest(wallet_request.request_uri)
    setClock(Date.parse(expires_at) - 1)
    const [inTime, late] = [await goodResponse(setting, request), await goodResponse(setting, request)]
    const verify = crypto.subtle.verify.bind(crypto.subtle)
    let lateStatus: Promise<number> | undefined
    vi.spyOn(crypto.subtle, 'verify').mockImplementation(async (...parameters) => {
      if (lateStatus === undefined) {
        later(10)
        lateStatus = post(verification_id, late).then(({ status }) => status)
        await lateStatus
      }
      return verify(...parameters)
    })
    expect((await post(verification_id, inTime)).status).toBe(200)
    expect(await lateStatus).toBe(409)
    expect((await poll(setting, verification_id)).status).toBe('verified')
  })
})

describe('a write that fails', () => {
  it('leaves the session pending: the response gets 500, and succeeds when it is repeated', async () => {
    const setting = await setUp()
    const { verification_id, wallet_request } = await createSession(setting)
    const answer = await goodResponse(setting, await fetchRequest(wallet_request.request_uri))
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    await runInDurableObject(stubOf(verification_id), (_, state) => {
      vi.spyOn(state.storage.kv, 'put').mockImplementationOnce(() => {
        throw new Error('the disk is full')
      })
    })
    expect((await postIntoFault(verification_id, answer)).status).toBe(500)
    expect((await poll(setting, verification_id)).status).toBe('pending')
    expect((await post(verification_id, answer)).status).toBe(200)
    await evictDurableObject(stubOf(verification_id))
    expect((await poll(setting, verification_id)).status).toBe('verified')
  })

  it('keeps a session that should be erased, and keeps its alarm', async () => {
    const setting = await setUp({ index: false })
    const { verification_id } = await createSession(setting)
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    await runInDurableObject(stubOf(verification_id), async (instance, state) => {
      vi.spyOn(state.storage, 'deleteAll').mockImplementationOnce(() => {
        throw new Error('the disk is full')
      })
      await expect(instance.erase(setting.relyingPartyId)).rejects.toThrow('the disk is full')
    })
    expect((await poll(setting, verification_id)).status).toBe('pending')
    later(700_000)
    expect(await runDurableObjectAlarm(stubOf(verification_id))).toBe(true)
    await evictDurableObject(stubOf(verification_id))
    expect((await poll(setting, verification_id)).status).toBe('expired')
  })

  it('is avoided if the claims are too large: the outcome is stored without the claims', async () => {
    const scopes = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`copy_${i}`, ['age_over_18']]))
    const formats = { 'dc+sd-jwt': { meta: { vct_values: ['urn:example:copies'] }, scopes } }
    const { publicKey } = await generateKeyPair('ECDH-ES', { extractable: true })
    const setting = await setUp(
      {
        credential_types: [{ type: 'copies', formats }],
        claims_encryption_jwk: await exportJWK(publicKey),
      },
      [],
      ['copies'],
    )
    const body = { credential_types: ['copies'], scope: Object.keys(scopes) }
    const { verification_id, wallet_request } = await createSession(setting, body)
    const request = await fetchRequest(wallet_request.request_uri)
    const claims = { vct: 'urn:example:copies', age_over_18: 'x'.repeat(100_000) }
    const token = { copies: [await presentation(setting, request, claims)] }
    const answer = { vp_token: JSON.stringify(token), state: request.state }
    expect((await post(verification_id, answer)).status).toBe(200)
    const { status, encrypted_claims } = await poll(setting, verification_id)
    expect([status, encrypted_claims === null]).toEqual(['verified', true]) // a failure would print megabytes
  })
})

describe('the alarm of a session', () => {
  it('is set again if it fires minutes too early, because the clock was set back', async () => {
    const { verification_id, expires_at } = await createSession(await setUp())
    const due = spreadExpiry(verification_id, expires_at)
    expect(await alarmOf(verification_id)).toBe(due)
    later(-300_000)
    expect(await runDurableObjectAlarm(stubOf(verification_id))).toBe(true)
    expect(await alarmOf(verification_id)).toBe(due)
  })

  it('is set to a later time before its work, so that it fires again even if the work throws', async () => {
    const setting = await setUp(WEBHOOK)
    const { verification_id } = await createSession(setting)
    later(601_000)
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    await runInDurableObject(stubOf(verification_id), async (instance, state) => {
      vi.spyOn(state.storage.kv, 'put').mockImplementationOnce(() => {
        throw new Error('the disk is full')
      })
      await expect(instance.alarm()).rejects.toThrow('the disk is full')
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now())
    })
  })

  it('is set to a later time even if only an erasure is due, and the erasure throws', async () => {
    const setting = await setUp()
    const { verification_id } = await createSession(setting)
    await ask(setting, 'POST', verification_id, '/cancel')
    await runInDurableObject(stubOf(verification_id), (_, { storage }) =>
      vi.waitFor(() => expect(storage.kv.get('session')).toMatchObject({ pending_log_entry: null }), WAIT),
    )
    later(30 * 24 * HOUR)
    await runInDurableObject(stubOf(verification_id), async (instance, state) => {
      vi.spyOn(state.storage, 'deleteAll').mockImplementation(() => {
        throw new Error('the disk is full')
      })
      await state.storage.deleteAlarm() // as the platform does when the handler starts
      await expect(instance.alarm()).rejects.toThrow('the disk is full')
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now())
    })
  })

  it('is set again by the constructor if the platform lost it while work is queued', async () => {
    const setting = await setUp()
    const { verification_id, expires_at } = await createSession(setting)
    await runInDurableObject(stubOf(verification_id), (_, state) => state.storage.deleteAlarm())
    expect(await alarmOf(verification_id)).toBeNull()
    await evictDurableObject(stubOf(verification_id))
    await poll(setting, verification_id)
    expect(await alarmOf(verification_id)).toBe(spreadExpiry(verification_id, expires_at))
  })

  it('stays at the time of the expiry during the first webhook attempt, and is set to the time of the retry if this attempt fails', async () => {
    const setting = await setUp(WEBHOOK)
    const answer = Promise.withResolvers<Response>()
    const fetched = vi.spyOn(globalThis, 'fetch').mockReturnValue(answer.promise)
    const { verification_id, expires_at } = await createSession(setting)
    await ask(setting, 'POST', verification_id, '/cancel')
    await vi.waitFor(() => expect(fetched).toHaveBeenCalled(), WAIT)
    expect(await alarmOf(verification_id)).toBe(spreadExpiry(verification_id, expires_at))
    answer.resolve(new Response(null, { status: 500 }))
    await vi.waitFor(async () => {
      expect(await alarmOf(verification_id)).toBeLessThan(Date.now() + 10_000)
    }, WAIT)
  })

  it('is set to an earlier time when the object is opened again after the first webhook attempt was interrupted', async () => {
    const setting = await setUp(WEBHOOK)
    receiver()
    const { verification_id, expires_at } = await createSession(setting)
    await ask(setting, 'POST', verification_id, '/cancel')
    const stub = stubOf(verification_id)
    await runInDurableObject(stub, async (_, { storage }) => {
      const stored = () => storage.kv.get<SessionDocument>('session')
      await vi.waitFor(() => expect(stored()?.pending_log_entry).toBeNull(), WAIT)
      // What the end has written, and no later write.
      const [ended, now] = [stored()!, Date.now()]
      const [sent] = ended.deliveries
      const unsent = { ...sent!, state: 'owed', automatic_attempts: 0, attempts: [] } as const
      const deliveries = startAttempt([unsent], unsent.delivery_id, now)
      storage.kv.put('session', { ...ended, ended_at: now, deliveries })
      await storage.setAlarm(spreadExpiry(verification_id, expires_at))
    })
    await evictDurableObject(stub)
    await poll(setting, verification_id)
    expect(await alarmOf(verification_id)).toBeLessThanOrEqual(Date.now() + 25_000)
  })

  it('is set to an earlier time at the end of a session that expires more than 15 minutes later', async () => {
    const setting = await setUp(WEBHOOK)
    const fetched = vi.spyOn(globalThis, 'fetch').mockReturnValue(new Promise(() => {}))
    const { verification_id } = await createSession(setting, { expires_in: 3_600 })
    await ask(setting, 'POST', verification_id, '/cancel')
    await vi.waitFor(() => expect(fetched).toHaveBeenCalled(), WAIT)
    expect(await alarmOf(verification_id)).toBeLessThanOrEqual(Date.now() + 25_000)
  })

  it('retries a delivery on the schedule, and never makes a seventh POST', async () => {
    const setting = await setUp(WEBHOOK)
    const fetched = receiver(500)
    const { verification_id } = await createSession(setting)
    await ask(setting, 'POST', verification_id, '/cancel')
    // A late event of another session is not counted.
    const posts = () => fetched.mock.calls.filter(([, init]) => String(init?.body).includes(verification_id))
    await vi.waitFor(() => expect(posts()).toHaveLength(1), WAIT)
    const waits = [6_000, 72_000, 12 * 60_000, 2.4 * HOUR, 28.8 * HOUR, HOUR, HOUR]
    for (const wait of waits) {
      await vi.waitFor(async () => {
        const log = await json(ask(setting, 'GET', verification_id, '/deliveries'))
        expect(log.deliveries[0].attempts.at(-1).error).toBeNull()
      }, WAIT)
      later(wait)
      await runDurableObjectAlarm(stubOf(verification_id))
    }
    expect(posts()).toHaveLength(6)
    const bodies = new Set(posts().map(([, init]) => init?.body))
    expect(bodies.size).toBe(1)
    const [delivery] = (await json(ask(setting, 'GET', verification_id, '/deliveries'))).deliveries
    expect(delivery).toMatchObject({ state: 'dead', next_attempt_at: null })
    expect(delivery.attempts).toHaveLength(6)
  })
})

describe('the erasure of a session', () => {
  it('has its own alarm, up to an hour after the retention', async () => {
    const setting = await setUp({ retention_seconds: 3600 })
    const delays = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { verification_id } = await createSession(setting)
        const before = Date.now()
        await ask(setting, 'POST', verification_id, '/cancel')
        await vi.waitFor(
          async () => expect(await alarmOf(verification_id)).toBeGreaterThan(Date.now() + HOUR / 2),
          WAIT,
        )
        return (await alarmOf(verification_id))! - before - HOUR
      }),
    )
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(HOUR / 6)
    expect(delays.every((delay) => delay >= 0 && delay < HOUR + 10_000)).toBe(true)
  })

  it('is done by a read after the retention, even before the alarm', async () => {
    const setting = await setUp({ retention_seconds: 3600 })
    const { verification_id } = await createSession(setting)
    await ask(setting, 'POST', verification_id, '/cancel')
    await vi.waitFor(
      async () => expect(await alarmOf(verification_id)).toBeGreaterThan(Date.now() + HOUR / 2),
      WAIT,
    )
    later(HOUR + 1000)
    expect((await ask(setting, 'GET', verification_id)).status).toBe(404)
    const left = await runInDurableObject(stubOf(verification_id), (_, state) => [...state.storage.kv.list()])
    expect(left).toEqual([])
  })

  it('leaves empty storage and no alarm', async () => {
    const setting = await setUp({ retention_seconds: 3600 })
    const { verification_id } = await createSession(setting)
    await ask(setting, 'POST', verification_id, '/cancel')
    later(HOUR - 10_000)
    await runDurableObjectAlarm(stubOf(verification_id))
    expect((await ask(setting, 'GET', verification_id)).status).toBe(200)
    later(20_000)
    await runDurableObjectAlarm(stubOf(verification_id))
    expect((await ask(setting, 'GET', verification_id)).status).toBe(404)
    const left = await runInDurableObject(stubOf(verification_id), async (_, state) => [
      [...state.storage.kv.list()],
      await state.storage.getAlarm(),
    ])
    expect(left).toEqual([[], null])
  })

  it('waits for a queued webhook', async () => {
    const setting = await setUp({ ...WEBHOOK, retention_seconds: 3600 })
    const fetched = receiver(500)
    const { verification_id } = await createSession(setting)
    await ask(setting, 'POST', verification_id, '/cancel')
    await vi.waitFor(() => expect(fetched).toHaveBeenCalledTimes(1), WAIT)
    await vi.waitFor(async () => {
      const log = await json(ask(setting, 'GET', verification_id, '/deliveries'))
      expect(log.deliveries[0].attempts[0].error).toBeNull()
    }, WAIT)
    later(2 * HOUR)
    fetched.mockImplementation(async () => new Response(null, { status: 204 }))
    await runDurableObjectAlarm(stubOf(verification_id))
    expect(fetched).toHaveBeenCalledTimes(2)
    // Delivered now, and after its retention: the next alarm, due at once, erases.
    await runDurableObjectAlarm(stubOf(verification_id))
    expect((await ask(setting, 'GET', verification_id)).status).toBe(404)
  })

  it('leaves a record without personal data for 24 h if the session has an Idempotency-Key', async () => {
    const setting = await setUp()
    const headers = { 'Idempotency-Key': 'order-17' }
    const body = { metadata: { user_id: 'canary-user' } }
    const { verification_id } = await createSession(setting, body, headers)
    expect((await ask(setting, 'DELETE', verification_id)).status).toBe(204)
    const left = await runInDurableObject(stubOf(verification_id), (_, state) => [...state.storage.kv.list()])
    expect(left).toHaveLength(1)
    expect(JSON.stringify(left)).not.toContain('canary-user')
    await expect(createSession(setting, body, headers)).rejects.toThrow('"code":"verification_ended"')
    later(25 * HOUR)
    await runDurableObjectAlarm(stubOf(verification_id))
    const again = await createSession(setting, body, headers)
    expect(again).toMatchObject({ verification_id, status: 'pending' })
  })

  it('does not wait for the verification of a response, and the response then finds no session', async () => {
    const setting = await setUp()
    const { verification_id, wallet_request } = await createSession(setting)
    const answer = await goodResponse(setting, await fetchRequest(wallet_request.request_uri))
    const verify = crypto.subtle.verify.bind(crypto.subtle)
    let erased: Promise<unknown> | undefined
    vi.spyOn(crypto.subtle, 'verify').mockImplementation(async (...parameters) => {
      erased ??= stubOf(verification_id).erase(setting.relyingPartyId)
      await erased
      return verify(...parameters)
    })
    expect((await post(verification_id, answer)).status).toBe(404)
    expect((await ask(setting, 'GET', verification_id)).status).toBe(404)
  })
})

describe('a stored document', () => {
  it('is refused if it has a newer schema version', async () => {
    const setting = await setUp()
    const { verification_id } = await createSession(setting)
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    await runInDurableObject(stubOf(verification_id), (_, state) => {
      const document = state.storage.kv.get<{ schema: number }>('session')
      state.storage.kv.put('session', { ...document, schema: 1000 })
    })
    await evictDurableObject(stubOf(verification_id))
    const response = await ask(setting, 'GET', verification_id)
    expect(response.status).toBe(503)
    expect((await json(response)).code).toBe('temporarily_unavailable')
  })

  it('contains no unencrypted secret and no claim value', async () => {
    const setting = await setUp()
    const { verification_id, wallet_request } = await createSession(setting)
    const read = () =>
      runInDurableObject(stubOf(verification_id), (_, state) =>
        JSON.stringify(state.storage.kv.get('session')),
      )
    expect(await read()).not.toMatch(/"d":"/)
    const request = await fetchRequest(wallet_request.request_uri)
    const answer = await goodResponse(setting, request, {
      age_over_18: true,
      family_name: 'Canary-Mustermann',
    })
    expect((await post(verification_id, answer)).status).toBe(200)
    expect(await read()).not.toContain('Canary-Mustermann')
  })
})

describe('concurrent create requests with one Idempotency-Key', () => {
  it('create one session, and all responses except one are marked as replays', async () => {
    const setting = await setUp()
    const headers = { ...setting.headers, 'Idempotency-Key': 'twins' }
    const body = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
    const { createApp } = await import('../../src/routes/app.ts')
    const app = createApp()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call(app, 'POST', '/v1/verify', { headers, body })),
    )
    const sessions = await Promise.all(answers.map((answer) => json(answer)))
    expect(new Set(sessions.map(({ verification_id }) => verification_id)).size).toBe(1)
    expect(new Set(sessions.map(({ qr_code }) => qr_code)).size).toBe(1)
    const replayed = answers.filter((answer) => answer.headers.get('Idempotent-Replayed') === 'true')
    expect(replayed).toHaveLength(4)
  })
})
