// Facts that a holder of the `client_token` learns about wallets (api/result, api/page): a family, and never
// a reason.

import { expect, it } from 'vitest'
import { createApp } from '../../src/routes/app.ts'
import { call, json } from '../routes/edge/edge-app.ts'
import {
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

type Session = { readonly verification_id: string; readonly client_token: string }

/** Reads the state as the page does. */
async function stateOf({ verification_id, client_token }: Session) {
  const headers = { Authorization: `Bearer ${client_token}` }
  return json(call(app, 'GET', `/v1/verify/${verification_id}`, { headers }))
}

async function begin(setting: Setting, body: object = {}) {
  const session = await createSession(setting, body)
  const request = await fetchRequest(session.wallet_request.request_uri)
  return { session, request, id: session.verification_id as string }
}

const FETCHED = { number: 1, at: expect.any(String), kind: 'request_fetched', family: null }

it('the wallet activity is null at first, then the fetched request, then the newest refusal with its family, and null after the end', async () => {
  const setting = await setUp()
  const session = await createSession(setting)
  expect(await stateOf(session)).toMatchObject({ wallet_activity: null })
  const request = await fetchRequest(session.wallet_request.request_uri)
  expect(await stateOf(session)).toMatchObject({ wallet_activity: FETCHED })
  const id = session.verification_id
  await post(id, { error: 'invalid_request', state: request.state })
  await post(id, { vp_token: '{', state: request.state })
  const { wallet_activity } = await stateOf(session)
  expect(wallet_activity).toMatchObject({ number: 3, kind: 'response_refused', family: 'response' })
  expect(Object.keys(wallet_activity)).toEqual(['number', 'at', 'kind', 'family'])
  await post(id, await goodResponse(setting, request))
  expect(await stateOf(session)).toMatchObject({ status: 'verified', wallet_activity: null })
})

it('the wallet activity does not change for any number of responses that match no valid request', async () => {
  const setting = await setUp()
  const { session, request, id } = await begin(setting)
  await post(id, { vp_token: '{', state: request.state })
  const before = (await stateOf(session)).wallet_activity
  for (let i = 0; i < 12; i += 1) await post(id, { vp_token: '{}', state: `guessed-${i}` })
  await post(id, { nonsense: 'x' })
  expect((await stateOf(session)).wallet_activity).toEqual(before)
  expect((await poll(setting, id)).attempt_count).toBe(14)
})

type Form = Record<string, string>

it.each<[string, string, string, (good: Form) => Form, RegExp]>([
  [
    'is plain, but must be encrypted',
    'encryption_required',
    'direct_post.jwt',
    (good) => good,
    /must be encrypted/,
  ],
  [
    'is encrypted, but must be plain',
    'unexpected_encryption',
    'direct_post',
    ({ state = '' }) => ({ response: 'a.b.c.d.e', state }),
    /must be plain/,
  ],
])(
  'a response that %s is refused, and the refusal has the channel of the request with the same state',
  async (_, code, response_mode, change, description) => {
    const setting = await setUp()
    const { session, request, id } = await begin(setting, { request_options: { response_mode } })
    const sent = change(await goodResponse(setting, request))
    expect((await post(id, { ...sent, state: 'guessed' })).status).toBe(400)
    expect((await stateOf(session)).wallet_activity).toEqual(FETCHED)

    expect(await json(post(id, sent))).toEqual({
      error: 'invalid_request',
      error_description: expect.stringMatching(description),
    })
    expect(await stateOf(session)).toMatchObject({
      status: 'pending',
      wallet_activity: { number: 2, kind: 'response_refused', family: 'response' },
    })
    const { headers } = setting
    const { entries } = await json(call(app, 'GET', `/v1/verify/${id}/timeline`, { headers }))
    const refusal = { type: 'response_refused', reason: { code } }
    expect(entries.slice(2)).toMatchObject([
      { ...refusal, channel: null },
      { ...refusal, channel: 'qr' },
    ])
  },
)

it('the wallet activity neither ends nor extends the session', async () => {
  const setting = await setUp()
  const { session, request, id } = await begin(setting)
  const { expires_at, status } = await poll(setting, id)
  await post(id, { vp_token: '{', state: request.state })
  expect((await stubOf(id).render({ relyingPartyId: setting.relyingPartyId }, null)).ok).toBe(true)
  expect(await poll(setting, id)).toMatchObject({ expires_at, status })
  expect(await stateOf(session)).toMatchObject({ status: 'pending' })
})
