// CONTRACT 3, 4 and 7: what passes by itself. The shortest session lasts 60 seconds, as long as a superseded request nobody
// fetched, so one wait serves all of it.

import { setTimeout } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { type CreatedSession, OVER_18 } from '../../support/service/service.ts'
import { answerAge, type Begun, begin, eventOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const SHORT = { ...OVER_18, expires_in: 60 }

let silent: CreatedSession
let polled: CreatedSession
let attempted: Begun
let rendered: CreatedSession
let handedOut: Begun

beforeAll(async () => {
  silent = await stage.rp.create(SHORT)
  polled = await stage.rp.create(SHORT)
  attempted = await begin(stage, SHORT)
  await answerAge(stage, attempted.request, { nonce: 'x'.repeat(32) })
  rendered = await stage.rp.create()
  handedOut = await begin(stage)
  for (const { verification_id } of [rendered, handedOut.session]) {
    await stage.rp.call('GET', `/v1/verify/${verification_id}/qr`)
  }
  await setTimeout(61_000)
}, 120_000)

it('CONTRACT 4: a session that passed expires_at is expired when it is read', async () => {
  expect(await stage.rp.poll(polled.verification_id)).toMatchObject({
    status: 'expired',
    stage: 'done',
    verified_at: null,
    reason: { code: 'session_expired' },
  })
})

it('CONTRACT 4, 7: it expires and sends its event without being polled', async () => {
  const { event } = await eventOf(stage, silent.verification_id)
  expect(event).toMatchObject({
    event_type: 'verification.expired',
    status: 'expired',
    reason: { code: 'session_expired' },
    checks: null,
  })
})

it("CONTRACT 4: the event carries the last attempt's reason", async () => {
  const { event } = await eventOf(stage, attempted.session.verification_id)
  expect(event).toMatchObject({ status: 'expired', reason: { code: 'nonce_mismatch' } })
})

it('CONTRACT 4: an expired session hears no answer', async () => {
  const late = await answerAge(stage, attempted.request)
  expect(late.status).toBe(409)
  expect((await stage.rp.poll(attempted.session.verification_id)).status).toBe('expired')
})

it('CONTRACT 3: a superseded request nobody fetched is dead after 60 s, its session untouched', async () => {
  const response = await stage.service.fetch(rendered.wallet_request.request_uri)
  expect(response.status).toBe(410)
  expect((await stage.rp.poll(rendered.verification_id)).status).toBe('pending')
})

it('CONTRACT 3: a superseded request that was fetched is heard until the session ends', async () => {
  expect((await answerAge(stage, handedOut.request)).status).toBe(200)
})
