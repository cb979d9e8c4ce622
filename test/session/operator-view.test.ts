// The view of a session for the operator (api/settings): its course, and nothing about the person.

import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { operatorVerification } from '../../src/api/responses/operator.ts'
import { createApp } from '../../src/routes/app.ts'
import { ADMIN, call, json } from '../routes/edge/edge-app.ts'
import { WAIT } from '../support/wait.ts'
import { createSession, fetchRequest, goodResponse, ISSUER, post, type Setting, setUp } from './driver.ts'

const app = createApp()
let setting: Setting

beforeAll(async () => {
  setting = await setUp({ webhook: { url: 'http://127.0.0.1:9/hook' } })
})
beforeEach(() => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status: 500 }))
})
afterEach(() => {
  vi.restoreAllMocks()
})

const read = (id: string) => call(app, 'GET', `/v1/admin/verifications/${id}`, { headers: ADMIN })

it('the operator’s view shows refused responses, the end and webhook attempts in the order of their times', async () => {
  const { verification_id: id, wallet_request } = await createSession(setting)
  expect(await json(read(id))).toMatchObject({ status: 'pending', stage: 'created', deliveries: [] })
  const request = await fetchRequest(wallet_request.request_uri)
  const stranger = await setUp()
  expect((await post(id, await goodResponse(stranger, request))).status).toBe(400)
  expect((await post(id, await goodResponse(setting, request))).status).toBe(200)
  await vi.waitFor(async () => {
    const { deliveries } = await json(read(id))
    expect(deliveries).toMatchObject([{ event_type: 'verification.verified', state: 'queued', attempts: 1 }])
  }, WAIT)
  const view = await json(read(id))
  expect(operatorVerification.safeParse(view).error).toBeUndefined()
  expect(view).toMatchObject({
    relying_party_id: setting.relyingPartyId,
    status: 'verified',
    attempt_count: 1,
  })
  const steps = view.timeline.map(({ event, detail }: { event: string; detail: string }) => [event, detail])
  expect(steps).toEqual([
    ['created', null],
    ['response_refused', expect.stringMatching(/^[a-z_]+$/)],
    ['verified', null],
    ['webhook_attempt', expect.stringMatching(/^verification\.verified 1: /)],
  ])
  const times = view.timeline.map(({ at }: { at: string }) => at)
  expect(times).toEqual(times.toSorted())
})

it('the operator’s view contains no checks, claims, issuers, metadata or tokens', async () => {
  const {
    verification_id: id,
    wallet_request,
    client_token,
  } = await createSession(setting, {
    metadata: { order: 'CANARY' },
    purpose: 'CANARY',
  })
  const request = await fetchRequest(wallet_request.request_uri)
  await post(id, await goodResponse(setting, request))
  const text = await (await read(id)).text()
  expect(JSON.parse(text).status).toBe('verified')
  for (const secret of ['CANARY', 'age_over_18', ISSUER, client_token, request.state, request.nonce]) {
    expect(text).not.toContain(secret)
  }
})

it('the operator’s view gets 404 for an unknown id, and requires the operator’s token', async () => {
  expect((await read('v_unknown')).status).toBe(404)
  const { verification_id: id } = await createSession(setting)
  const path = `/v1/admin/verifications/${id}`
  expect((await call(app, 'GET', path, { headers: setting.headers })).status).toBe(401)
})
