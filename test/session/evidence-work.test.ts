// The alarm's work on evidence (api/evidence): an authority or a store that is slow or gone. It changes no
// outcome, ends after its time, and touches no other session. Good answers are in
// test/slow/evidence/authority-and-store.test.ts.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env, withEnv } from 'cloudflare:workers'
import { exportJWK, generateKeyPair } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Env } from '../../src/env.ts'
import { createApp } from '../../src/routes/app.ts'
import type { SessionDocument } from '../../src/session/document/document.ts'
import { ADMIN, call, json } from '../routes/edge/edge-app.ts'
import { VERIFIER_CA_PEM } from '../support/service/environment.ts'
import { WAIT } from '../support/wait.ts'
import {
  ask,
  createSession,
  fetchRequest,
  goodResponse,
  poll,
  post,
  type Setting,
  setUp,
  stubOf,
} from './driver.ts'

const app = createApp()
const HOUR = 3_600_000
const AUTHORITY: Env = { ...env, TSA_URL: 'https://tsa.example.com/', TSA_CA_PEM: VERIFIER_CA_PEM }
const SHARED: Env = { ...env, SHARE_SESSIONS: '1' }
const { publicKey } = await generateKeyPair('ECDH-ES+A256KW', { crv: 'P-256', extractable: true })
const JWKS = { keys: [{ ...(await exportJWK(publicKey)), kid: 'archive' }] }
const PUSH = {
  kind: 's3',
  endpoint: 'https://s3.example.com',
  region: 'eu-central-1',
  bucket: 'case-files',
  access_key_id: 'AKIDEXAMPLE',
  secret_access_key: 'wJalrXUtnFEMI',
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/**
 * A relying party that keeps evidence. Only the edge has an authority: the sessions have none, as after a
 * change of the configuration.
 */
async function keeping(evidence: object, more: object = {}): Promise<Setting> {
  const setting = await setUp({ retention_seconds: 72 * 3_600, ...more })
  const path = `/v1/admin/relying_parties/${setting.relyingPartyId}`
  const body = { evidence: { jwks: JWKS, for: 'all', ...evidence } }
  expect((await call(app, 'PATCH', path, { headers: ADMIN, body, env: AUTHORITY })).status).toBe(200)
  return setting
}

async function ended(setting: Setting): Promise<string> {
  const { verification_id: id, wallet_request } = await createSession(setting)
  const request = await fetchRequest(wallet_request.request_uri)
  expect((await post(id, await goodResponse(setting, request))).status).toBe(200)
  expect((await poll(setting, id)).status).toBe('verified')
  return id
}

const evidenceIn = (id: string) =>
  runInDurableObject(stubOf(id), (_, { storage }) => storage.kv.get<SessionDocument>('session')?.evidence)

const deliveriesOf = async (setting: Setting, id: string) => json(ask(setting, 'GET', id, '/deliveries'))

/** Does what is due at a later time. */
async function later(id: string, hours: number): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * HOUR })
  await runDurableObjectAlarm(stubOf(id))
}

describe('a time stamp that never comes', () => {
  it.each([
    ['required', ['evidence.time_stamp_failed']],
    ['best_effort', []],
  ])(
    'is requested for 24 hours with the setting %s; then its state is failed, and the events are %j',
    async (time_stamp, events) => {
      vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status: 204 }))
      const types = ['verification.verified', 'evidence.time_stamped', 'evidence.time_stamp_failed']
      const webhook = { url: 'https://shop.example.com/hook', events: types }
      const setting = await keeping({ time_stamp }, { webhook })
      const id = await ended(setting)
      const isOwed = async (attempts: number) => {
        const stamp = (await evidenceIn(id))?.time_stamp
        if (stamp?.state !== 'owed') throw new Error(`the time stamp is ${stamp?.state}`)
        expect(stamp.attempts).toBeGreaterThanOrEqual(attempts)
        expect(stamp.next_attempt_at - Date.now()).toBeLessThanOrEqual(HOUR)
      }
      await vi.waitFor(() => isOwed(1), WAIT)
      await later(id, 23)
      await vi.waitFor(() => isOwed(2), WAIT)
      await later(id, 2)
      await vi.waitFor(async () => expect((await evidenceIn(id))?.time_stamp?.state).toBe('failed'), WAIT)
      const { status, evidence } = await poll(setting, id)
      expect([status, evidence.time_stamp]).toEqual(['verified', 'failed'])
      const { deliveries } = await deliveriesOf(setting, id)
      const [end, ...others] = deliveries as { event_type: string; body: string }[]
      expect(JSON.parse(end?.body ?? '')).toMatchObject({ sequence: 1, evidence: { time_stamp: 'owed' } })
      expect(others.map(({ event_type }) => event_type)).toEqual(events)
      for (const { body } of others)
        expect(JSON.parse(body)).toMatchObject({ sequence: 2, evidence: { time_stamp: 'failed' } })
    },
  )

  it('does not prevent the erasure of the session and its evidence after the retention', async () => {
    const setting = await keeping({ time_stamp: 'required' }, { retention_seconds: 3_600 })
    const id = await ended(setting)
    await later(id, 3)
    expect((await ask(setting, 'GET', id)).status).toBe(404)
    expect(await evidenceIn(id)).toBe(undefined)
  })

  it('is prevented by 422 for settings with a time stamp, if the service has no time-stamping authority', async () => {
    const body = { name: 'Bank', evidence: { jwks: JWKS, time_stamp: 'required' } }
    const created = await call(app, 'POST', '/v1/admin/relying_parties', { headers: ADMIN, body })
    expect(created.status).toBe(422)
    expect(await created.json()).toMatchObject({
      code: 'time_stamp_not_configured',
      errors: [{ pointer: '/evidence/time_stamp' }],
    })
    const setting = await setUp()
    const path = `/v1/admin/relying_parties/${setting.relyingPartyId}`
    const changed = await call(app, 'PATCH', path, { headers: ADMIN, body: { evidence: body.evidence } })
    expect(changed.status).toBe(422)
  })
})

describe('the push to an object store', () => {
  it('is dead after six attempts, and the session keeps the sealed bytes', async () => {
    const store = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async () => new Response('no', { status: 403 }))
    const setting = await keeping({ push: PUSH })
    const id = await ended(setting)
    let count = 0
    for (const hours of [0, 1, 1, 1, 3, 30]) {
      if (hours > 0) await later(id, hours)
      count = await vi.waitFor(async () => {
        const [push] = (await evidenceIn(id))?.push ?? []
        if (push?.state !== 'dead') expect(push?.attempts.length).toBeGreaterThan(count)
        expect(push?.attempts.at(-1)).toMatchObject({ status: 403, error: null })
        return push?.attempts.length ?? 0
      }, WAIT)
    }
    const log = await deliveriesOf(setting, id)
    expect(log.evidence_push).toBe('dead')
    expect(log.evidence_push_attempts).toHaveLength(6)
    expect(store.mock.calls.every(([, init]) => init?.redirect === 'manual')).toBe(true)
    expect(
      await runInDurableObject(stubOf(id), (_, { storage }) => storage.kv.get('evidence/0')),
    ).toBeDefined()
  })

  it('is dead if the settings have no store any more', async () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise(() => {}))
    const setting = await keeping({ push: PUSH })
    const { verification_id: id, wallet_request } = await createSession(setting)
    const request = await fetchRequest(wallet_request.request_uri)
    const path = `/v1/admin/relying_parties/${setting.relyingPartyId}`
    await call(app, 'PATCH', path, { headers: ADMIN, body: { evidence: null } })
    await post(id, await goodResponse(setting, request))
    await vi.waitFor(async () => expect((await deliveriesOf(setting, id)).evidence_push).toBe('dead'), WAIT)
  })

  it('does not affect another session of a shared object if the store does not respond', async () => {
    await withEnv(SHARED, async () => {
      const hanging = vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise(() => {}))
      const [first, second] = [await keeping({ push: PUSH }), await keeping({})]
      const id = await ended(first)
      await vi.waitFor(() => expect(hanging).toHaveBeenCalled(), WAIT)
      const other = await ended(second)
      expect((await ask(second, 'DELETE', other)).status).toBe(204)
      expect((await deliveriesOf(first, id)).evidence_push).toBe('queued')
    })
  })

  it('sends nothing while the Worker for background work is missing, and is repeated when this Worker is back', async () => {
    const sent = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async () => new Response('', { status: 403 }))
    const setting = await keeping({ push: PUSH })
    const { verification_id: id, wallet_request } = await createSession(setting)
    const lastAttempt = async () => (await evidenceIn(id))?.push?.[0]?.attempts.at(-1)
    await withoutBackgroundWork(id, async () => {
      const request = await fetchRequest(wallet_request.request_uri)
      expect((await post(id, await goodResponse(setting, request))).status).toBe(200)
      const failed = { status: null, error: 'unknown' }
      await vi.waitFor(async () => expect(await lastAttempt()).toMatchObject(failed), WAIT)
      expect(sent).not.toHaveBeenCalled()
    })
    await later(id, 1)
    await vi.waitFor(async () => expect(await lastAttempt()).toMatchObject({ status: 403 }), WAIT)
    expect((await poll(setting, id)).status).toBe('verified')
  })
})

/** Runs `work` while the object of a session has no binding to the Worker for background work. */
async function withoutBackgroundWork(id: string, work: () => Promise<void>): Promise<void> {
  const bind = (value: unknown) =>
    runInDurableObject(stubOf(id), (session) => {
      Reflect.set(Reflect.get(session, 'env'), 'BACKGROUND_WORK', value)
    })
  const binding = env.BACKGROUND_WORK
  await bind(undefined)
  try {
    await work()
  } finally {
    await bind(binding)
  }
}
