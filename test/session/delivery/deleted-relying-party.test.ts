// A relying party that is deleted while its sessions run (api/settings).

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, expect, it, vi } from 'vitest'
import { RelyingParty } from '../../../src/relying-party/relying-party.ts'
import { forgetSettings } from '../../../src/relying-party/settings/settings-cache.ts'
import { ADMIN, call, edgeApp, json } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import {
  ask,
  createSession,
  fetchRequest,
  fetchRequestRaw,
  goodResponse,
  post,
  type Setting,
  setUp,
  stubOf,
} from '../driver.ts'

const HOUR = 3_600_000
const WEBHOOK = { webhook: { url: 'http://127.0.0.1:9/hook' }, retention_seconds: 3600 }

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Moves the clock only. */
function later(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}

function receiver(status: number) {
  return vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status }))
}

async function deleteRelyingParty({ relyingPartyId }: Setting): Promise<void> {
  const path = `/v1/admin/relying_parties/${relyingPartyId}`
  expect((await call(edgeApp(), 'DELETE', path, { headers: ADMIN })).status).toBe(204)
}

const stored = (id: string) => runInDurableObject(stubOf(id), (_, { storage }) => [...storage.kv.list()])

it('after its relying party is deleted, a session answers wallets with 404, and its expiry sends no event', async () => {
  const setting = await setUp(WEBHOOK)
  const posts = receiver(204)
  const { verification_id: id, wallet_request } = await createSession(setting)
  const answer = await goodResponse(setting, await fetchRequest(wallet_request.request_uri))
  await deleteRelyingParty(setting)
  const fetched = await fetchRequestRaw(wallet_request.request_uri)
  expect([fetched.status, (await json(fetched)).error]).toEqual([404, 'invalid_request'])
  expect((await post(id, answer)).status).toBe(404)
  expect((await ask(setting, 'GET', id)).status).toBe(401)
  later(HOUR)
  await runDurableObjectAlarm(stubOf(id))
  expect(await stored(id)).toMatchObject([['session', { status: 'expired', deliveries: [] }]])
  expect(posts).not.toHaveBeenCalled()
})

it('a deleted relying party gets no queued event, and the results of its sessions are erased after the retention', async () => {
  const setting = await setUp(WEBHOOK)
  const posts = receiver(500)
  const { verification_id: id } = await createSession(setting)
  await ask(setting, 'POST', id, '/cancel')
  await vi.waitFor(async () => {
    const attempt = { status: 500 }
    expect(await stored(id)).toMatchObject([['session', { deliveries: [{ attempts: [attempt] }] }]])
  }, WAIT)
  await deleteRelyingParty(setting)
  later(60_000)
  await runDurableObjectAlarm(stubOf(id))
  expect(posts).toHaveBeenCalledTimes(1)
  expect(await stored(id)).toMatchObject([['session', { deliveries: [{ state: 'dead' }] }]])
  later(HOUR)
  await runDurableObjectAlarm(stubOf(id))
  expect(await stored(id)).toEqual([])
})

it('unreachable settings are not treated as a deletion: the wallet gets its request, and its response gets 503', async () => {
  const setting = await setUp()
  const { verification_id: id, wallet_request } = await createSession(setting)
  const answer = await goodResponse(setting, await fetchRequest(wallet_request.request_uri))
  forgetSettings(setting.relyingPartyId)
  vi.spyOn(RelyingParty.prototype, 'settings').mockRejectedValue(new Error('no such machine'))
  expect((await fetchRequestRaw(wallet_request.request_uri)).status).toBe(200)
  expect((await post(id, answer)).status).toBe(503)
})
