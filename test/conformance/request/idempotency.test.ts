// api/creation: Idempotency-Key. A repeated creation returns the same session, in its current state.

import { expect, it } from 'vitest'
import { type CreatedSession, expectStatus, OVER_18 } from '../../support/service/service.ts'
import { begin, relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()

let keys = 0
const newKey = () => `order ${++keys}`

function post(key: string, body: object = OVER_18): Promise<Response> {
  return stage.rp.call('POST', '/v1/verify', { body, headers: { 'idempotency-key': key } })
}

async function created(response: Response): Promise<CreatedSession> {
  return (await expectStatus(response, 201)) as CreatedSession
}

it('api/creation: the service returns 201 and the same session for the same key and body, with the header Idempotent-Replayed', async () => {
  const key = newKey()
  const first = await post(key)
  const second = await post(key)
  expect([first.headers.has('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([
    false,
    'true',
  ])
  expect(await created(second)).toEqual(await created(first))
})

it('api/creation: a replay returns the wallet_request of the newest QR code, and makes no new wallet_request', async () => {
  const key = newKey()
  const { verification_id } = await created(await post(key))
  await stage.rp.call('GET', `/v1/verify/${verification_id}/qr`)
  const view = await stage.rp.call('GET', `/v1/verify/${verification_id}/openid4vp`)
  const { wallet_request } = (await expectStatus(view, 200)) as CreatedSession
  expect((await created(await post(key))).wallet_request).toEqual(wallet_request)
})

it('api/creation: a replay shows the current state of the session', async () => {
  const key = newKey()
  const session = await created(await post(key))
  const request = await stage.service.wallet.receive(session.wallet_request.uri)
  expect((await respondWithAge(stage, request)).status).toBe(200)
  const replay = await created(await post(key))
  expect(replay).toMatchObject({ verification_id: session.verification_id, status: 'verified' })
  expect(replay.version).toBeGreaterThan(session.version)
})

it('api/creation: the service treats members in another order and explicit defaults as the same body', async () => {
  const key = newKey()
  const { verification_id } = await created(await post(key))
  const spelled = {
    metadata: {},
    expires_in: 600,
    scope: OVER_18.scope,
    credential_types: OVER_18.credential_types,
  }
  expect((await created(await post(key, spelled))).verification_id).toBe(verification_id)
})

it('api/creation: the service returns 409 idempotency_conflict for another body under the same key, and changes nothing', async () => {
  const key = newKey()
  const session = await created(await post(key))
  const other = await post(key, { ...OVER_18, metadata: { order: '2' } })
  expect(await expectStatus(other, 409)).toMatchObject({ code: 'idempotency_conflict', retryable: false })
  expect((await created(await post(key))).verification_id).toBe(session.verification_id)
})

it('api/creation: identical calls at the same time return the same session, and all but one are marked as replays', async () => {
  const key = newKey()
  const responses = await Promise.all(Array.from({ length: 8 }, () => post(key)))
  const first = responses.filter((response) => !response.headers.has('idempotent-replayed'))
  const sessions = await Promise.all(responses.map(created))
  expect(first).toHaveLength(1)
  expect(new Set(sessions.map(({ verification_id }) => verification_id)).size).toBe(1)
})

it('api/creation: a response 4xx is not stored under the key, and the corrected body creates the session', async () => {
  const key = newKey()
  expect((await post(key, { ...OVER_18, scope: [] })).status).toBe(400)
  expect((await post(key, { ...OVER_18, scope: ['sex'] })).status).toBe(422)
  const session = await post(key)
  expect([session.status, session.headers.has('idempotent-replayed')]).toEqual([201, false])
})

it('api/creation: the same key of two relying parties creates two sessions', async () => {
  const key = newKey()
  const { verification_id } = await created(await post(key))
  const rp = await relyingPartyOf(stage)
  const other = await rp.create(OVER_18, { 'idempotency-key': key })
  expect(other.verification_id).not.toBe(verification_id)
})

it('api/creation: two equal bodies without a key create two sessions', async () => {
  const ids = [await begin(stage), await begin(stage)].map(({ session }) => session.verification_id)
  expect(ids[0]).not.toBe(ids[1])
})

it('api/creation: if the Idempotency-Key belongs to an erased session, the service returns 410 for the same body and 409 for another body', async () => {
  const key = newKey()
  const { verification_id } = await created(await post(key))
  expect((await stage.rp.call('DELETE', `/v1/verify/${verification_id}`)).status).toBe(204)
  expect((await post(key)).status).toBe(410)
  expect((await post(key, { ...OVER_18, metadata: { order: '2' } })).status).toBe(409)
  expect((await stage.rp.call('GET', `/v1/verify/${verification_id}`)).status).toBe(404)
})

it('api/creation: the service accepts a key of 255 characters, and refuses an empty key and a longer key with 400', async () => {
  const statuses = ['k'.repeat(255), '', 'k'.repeat(256)].map(async (key) => (await post(key)).status)
  expect(await Promise.all(statuses)).toEqual([201, 400, 400])
})
