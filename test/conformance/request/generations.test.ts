// api/request: generations. Every render creates a new request. These tests show which requests are accepted,
// and the errors of all other requests.

import { expect, it } from 'vitest'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import {
  type CreatedSession,
  expectStatus,
  OVER_18,
  type Poll,
  readQr,
} from '../../support/service/service.ts'
import { begin, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()

/** Renders a QR and returns its request URI. */
async function render({ verification_id }: CreatedSession): Promise<string> {
  const response = await stage.rp.call('GET', `/v1/verify/${verification_id}/qr`)
  if (response.status !== 200) throw new Error(`HTTP ${response.status} ${await response.text()}`)
  return readQr(new Uint8Array(await response.arrayBuffer()))
}

function fetchRequest(uri: string): Promise<Response> {
  return stage.service.fetch(new URL(uri).searchParams.get('request_uri') ?? '')
}

async function newestNonce({ verification_id }: CreatedSession): Promise<string> {
  const response = await stage.rp.call('GET', `/v1/verify/${verification_id}/openid4vp`)
  const view = (await expectStatus(response, 200)) as { authorization_request: { nonce: string } }
  return view.authorization_request.nonce
}

const SUPERSEDED = { error: 'invalid_request', error_description: expect.stringMatching(/scan again/) }
const ENCRYPTION = {
  jwt: { ...OVER_18 },
  plain: { ...OVER_18, request_options: { response_mode: 'direct_post' } },
}

it('api/request: each QR code has a new request, with a new nonce, state and key', async () => {
  const session = await stage.rp.create()
  const uris = [session.wallet_request.uri, await render(session), await render(session)]
  const payloads = []
  for (const uri of uris) payloads.push((await stage.service.wallet.receive(uri)).payload)
  const kids = payloads.map(({ client_metadata }) => client_metadata.jwks?.keys[0]?.kid)
  for (const values of [uris, payloads.map(({ nonce }) => nonce), payloads.map(({ state }) => state), kids]) {
    expect(new Set(values).size).toBe(3)
  }
})

it('api/request: five QR codes that are drawn at the same time have different requests', async () => {
  const session = await stage.rp.create()
  const uris = await Promise.all(Array.from({ length: 5 }, () => render(session)))
  const requests = await Promise.all(uris.map((uri) => stage.service.wallet.receive(uri)))
  const nonces = requests.map(({ payload }) => payload.nonce)
  expect(new Set(nonces).size).toBe(5)
  expect(nonces).toContain(await newestNonce(session))
})

it('api/request: the service accepts a response to a request that a wallet fetched, even after further QR codes were drawn', async () => {
  const { session, request } = await begin(stage)
  for (let i = 0; i < 12; i++) await render(session)
  expect((await respondWithAge(stage, request)).status).toBe(200)
  expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
})

it('api/request: an older request stays valid if the relying party read it in the OpenID4VP view', async () => {
  const session = await stage.rp.create()
  const nonce = await newestNonce(session)
  for (let i = 0; i < 12; i++) await render(session)
  const { payload } = await stage.service.wallet.receive(session.wallet_request.uri)
  expect(payload.nonce).toBe(nonce)
})

it('api/request: of the requests that nobody fetched, the newest and the 8 before it stay valid; older ones get 410 request_superseded', async () => {
  const session = await stage.rp.create()
  const uris = [session.wallet_request.uri]
  for (let i = 0; i < 10; i++) uris.push(await render(session))
  const statuses: number[] = []
  for (const uri of uris) statuses.push((await fetchRequest(uri)).status)
  expect(statuses).toEqual([410, 410, ...Array(9).fill(200)])
  expect(await expectStatus(await fetchRequest(uris[0]!), 410)).toEqual(SUPERSEDED)
  expect((await stage.rp.poll(session.verification_id)).status).toBe('pending')
})

/** Returns a session whose first fetched request is dead: 33 other requests were handed out after it. */
async function withDeadRequest(policy: object): Promise<{ session: CreatedSession; dead: ReceivedRequest }> {
  const { session, request: dead } = await begin(stage, policy)
  for (let i = 0; i < 33; i++) await fetchRequest(await render(session))
  return { session, dead }
}

it.each(Object.entries(ENCRYPTION))(
  'api/request: the service keeps at most 32 fetched requests; a response to a dropped request (%s) gets 400 request_superseded',
  async (_, policy) => {
    const { session, dead } = await withDeadRequest(policy)
    expect(await expectStatus(await fetchRequest(dead.uri), 410)).toEqual(SUPERSEDED)
    expect(await expectStatus(await respondWithAge(stage, dead), 400)).toEqual(SUPERSEDED)
    const { status, attempts } = await stage.rp.poll(session.verification_id)
    expect([status, attempts.map(({ reason }) => reason.code)]).toEqual(['pending', ['request_superseded']])
  },
)

it('api/request: the service drops the least recently used of the fetched requests first', async () => {
  const { session, request } = await begin(stage)
  const second = await render(session)
  await fetchRequest(second)
  for (let i = 0; i < 20; i++) await fetchRequest(await render(session))
  await fetchRequest(request.uri)
  for (let i = 0; i < 11; i++) await fetchRequest(await render(session))
  expect((await fetchRequest(second)).status).toBe(410)
  expect((await respondWithAge(stage, request)).status).toBe(200)
})

it.each([
  ['unknown_state', ENCRYPTION.plain],
  ['unknown_encryption_key', ENCRYPTION.jwt],
])(
  'api/request: the service returns 400 for a response to a request of another session (%s)',
  async (reason, policy) => {
    const { session } = await begin(stage, policy)
    const { request: other } = await begin(stage, policy)
    const { response_uri } = session.wallet_request
    const strayed = { ...other, payload: { ...other.payload, response_uri } }
    expect((await respondWithAge(stage, strayed)).status).toBe(400)
    const { status, attempts } = await stage.rp.poll(session.verification_id)
    expect([status, attempts.map((attempt) => attempt.reason.code)]).toEqual(['pending', [reason]])
  },
)

it('api/request: all other requests of the session end with the first response that is processed', async () => {
  const { session, request } = await begin(stage)
  const other = await stage.service.wallet.receive(await render(session))
  expect((await respondWithAge(stage, request)).status).toBe(200)
  expect((await respondWithAge(stage, other)).status).toBe(409)
  for (const { uri } of [request, other]) expect((await fetchRequest(uri)).status).toBe(410)
})

it('api/request: if several good responses arrive at the same time, the service accepts exactly one of them', async () => {
  const { session, request } = await begin(stage)
  const other = await stage.service.wallet.receive(await render(session))
  const answers = await Promise.all([request, other, request].map((one) => respondWithAge(stage, one)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
})

it('api/access: a HEAD request gets 405: it draws no QR code, marks no request as fetched, and does not end the session', async () => {
  const session = await stage.rp.create()
  const nonce = await newestNonce(session)
  const path = `/v1/verify/${session.verification_id}`
  const statuses = []
  for (const url of [path, `${path}/qr`, `${path}/openid4vp`]) {
    statuses.push((await stage.rp.call('HEAD', url)).status)
  }
  for (const url of [session.wallet_request.request_uri, session.wallet_request.response_uri]) {
    statuses.push((await stage.service.fetch(url, { method: 'HEAD' })).status)
  }
  expect(statuses).toEqual([405, 405, 405, 405, 405])
  expect(await newestNonce(session)).toBe(nonce)
  const poll: Poll = await stage.rp.poll(session.verification_id)
  expect([poll.status, poll.stage]).toEqual(['pending', 'created'])
})
