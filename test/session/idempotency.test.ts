// An `Idempotency-Key` over time (api/creation): after its tombstone is erased, and after a change of the
// settings.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../src/routes/app.ts'
import { call, json } from '../routes/edge/edge-app.ts'
import { ask, createSession, poll, type Setting, setUp, stubOf } from './driver.ts'

const app = createApp()
const HOUR = 3_600_000

afterEach(() => vi.useRealTimers())

/** Moves the clock only. */
function later(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}

describe('the client_token of an erased session', () => {
  const headers = { 'Idempotency-Key': 'order-17' }

  /** Returns the token of the first session, and its successor with the same id. */
  async function succeeded() {
    const setting = await setUp()
    const first = await createSession(setting, {}, headers)
    await ask(setting, 'DELETE', first.verification_id)
    later(25 * HOUR)
    await runDurableObjectAlarm(stubOf(first.verification_id))
    const second = await createSession(setting, {}, headers)
    expect(second.verification_id).toBe(first.verification_id)
    expect(second.client_token).not.toBe(first.client_token)
    return { id: first.verification_id, first, second, setting }
  }

  const ROUTES = [
    ['GET', ''],
    ['GET', '?wait=1'],
    ['GET', '/qr'],
    ['GET', '/watch'],
    ['POST', '/link'],
  ] as const

  it.each(ROUTES)(
    'gets 404 for %s /v1/verify/{id}%s if a new session has the same id; the new token is accepted',
    async (method, path) => {
      const { id, first, second } = await succeeded()
      const send = (token: string) => {
        const browser = { Origin: 'https://verifier.example', Upgrade: 'websocket' }
        const own = { Authorization: `Bearer ${token}`, ...browser }
        return call(app, method, `/v1/verify/${id}${path}`, { headers: own })
      }
      const refused = await send(first.client_token)
      expect([refused.status, (await json(refused)).code]).toEqual([404, 'verification_not_found'])
      const opened = await send(second.client_token)
      expect(opened.status).toBe(path === '/watch' ? 101 : 200)
      opened.webSocket?.accept()
      opened.webSocket?.close()
    },
  )

  it('does not open the session page if a new session has this id: only the new session_url opens the page', async () => {
    const { first, second } = await succeeded()
    const open = (address: string) => call(app, 'GET', address.slice('https://verifier.example'.length))
    expect((await open(first.session_url)).status).toBe(404)
    expect((await open(second.session_url)).status).toBe(200)
  })
})

describe('a repeated create request', () => {
  const TYPE = {
    formats: { 'dc+sd-jwt': { meta: { vct_values: ['urn:example:card'] }, scopes: { age: ['age'] } } },
  }
  const ACCEPTED = {
    credential_types: ['card'],
    scope: ['age'],
    metadata: { order: '18' },
    formats: ['dc+sd-jwt'],
  }

  /** Returns a relying party that added a type, created a session with it, and removed the type. */
  async function changed(key: string) {
    const setting = await setUp({ credential_types: [{ type: 'card', ...TYPE }] }, [], ['card'])
    const session = await createSession(setting, ACCEPTED, { 'Idempotency-Key': key })
    const patched = await call(app, 'PATCH', '/v1/relying_party', {
      headers: setting.headers,
      body: { credential_types: [], trust_anchors: [] },
    })
    expect(patched.status).toBe(200)
    return { setting, session }
  }

  const create = ({ headers }: Setting, key: string, more: object = {}) =>
    call(app, 'POST', '/v1/verify', {
      headers: { ...headers, 'Idempotency-Key': key },
      body: { ...ACCEPTED, request_options: { response_mode: 'direct_post' }, ...more },
    })

  it('gets the first session again even if the current settings would refuse the request', async () => {
    const { setting, session } = await changed('a')
    const again = await create(setting, 'a')
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([201, 'true'])
    // The settings of today are not those that the findings were about.
    expect(await json(again)).toEqual({ ...session, warnings: [], wallets: [] })
    expect((await poll(setting, session.verification_id)).version).toBe(session.version)
  })

  it('gets 409 if its body is different, and 410 if the session is erased', async () => {
    const { setting, session } = await changed('a')
    expect((await create(setting, 'a', { metadata: { order: '19' } })).status).toBe(409)
    await ask(setting, 'DELETE', session.verification_id)
    expect((await create(setting, 'a')).status).toBe(410)
  })

  it('creates a session if the first create request with this Idempotency-Key was refused', async () => {
    const { setting } = await changed('a')
    const refused = await create(setting, 'b')
    expect([refused.status, (await json(refused)).code]).toEqual([400, 'unsupported_credential_type'])
    const { verification_id } = await createSession(setting, {}, { 'Idempotency-Key': 'b' })
    const stored = await runInDurableObject(stubOf(verification_id), (_, state) =>
      state.storage.kv.get('session'),
    )
    expect(stored).toMatchObject({ request: { credential_types: ['age_attestation'] } })
  })
})
