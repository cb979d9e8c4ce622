// api/request, api/outcome and api/webhooks: expiry. The shortest session lasts 60 seconds, as long as a
// superseded request that was not fetched. One wait therefore serves all tests.

import { setTimeout } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { type CreatedSession, OVER_18 } from '../support/service/service.ts'
import { type Begun, begin, eventOf, respondWithAge, useOwnStage } from '../support/service/stage.ts'

const stage = useOwnStage()
const SHORT = { ...OVER_18, expires_in: 60 }

/** Sessions without a reader. The first event comes some seconds after `expires_at`, the last after 60 s. */
let silent: readonly CreatedSession[]
let polled: CreatedSession
let attempted: Begun
let rendered: CreatedSession
let handedOut: Begun

beforeAll(async () => {
  silent = await Promise.all(Array.from({ length: 12 }, () => stage.rp.create(SHORT)))
  polled = await stage.rp.create(SHORT)
  attempted = await begin(stage, SHORT)
  await respondWithAge(stage, attempted.request, { nonce: 'x'.repeat(32) })
  rendered = await stage.rp.create()
  handedOut = await begin(stage)
  for (const { verification_id } of [rendered, handedOut.session]) {
    await stage.rp.call('GET', `/v1/verify/${verification_id}/qr`)
  }
  await setTimeout(61_000)
})

it('api/outcome: the service shows a session as expired after expires_at', async () => {
  expect(await stage.rp.poll(polled.verification_id)).toMatchObject({
    status: 'expired',
    stage: 'done',
    verified_at: null,
    reason: { code: 'session_expired' },
  })
})

it('api/outcome, api/webhooks: the service expires a session and sends its event without a poll', async () => {
  const { event } = await Promise.race(silent.map((one) => eventOf(stage, one.verification_id)))
  expect(event).toMatchObject({
    event_type: 'verification.expired',
    status: 'expired',
    reason: { code: 'session_expired' },
    checks: null,
  })
})

it("api/outcome: if an expired session is read, the service sends the event with the last attempt's reason", async () => {
  await stage.rp.poll(attempted.session.verification_id)
  const { event } = await eventOf(stage, attempted.session.verification_id)
  expect(event).toMatchObject({ status: 'expired', reason: { code: 'nonce_mismatch' } })
})

it('api/outcome: the service refuses a response in an expired session', async () => {
  const late = await respondWithAge(stage, attempted.request)
  expect(late.status).toBe(409)
  expect((await stage.rp.poll(attempted.session.verification_id)).status).toBe('expired')
})

it('api/request: a superseded request that nobody fetched ends after 60 s, and its session stays pending', async () => {
  const response = await stage.service.fetch(rendered.wallet_request.request_uri)
  expect(response.status).toBe(410)
  expect((await stage.rp.poll(rendered.verification_id)).status).toBe('pending')
})

it('api/request: a superseded request that a wallet fetched accepts a response until the session ends', async () => {
  expect((await respondWithAge(stage, handedOut.request)).status).toBe(200)
})
