// Attacks by somebody who sees a QR or a wallet's traffic. Each attack fails, and the honest wallet still
// succeeds.

import { expect, it } from 'vitest'
import { compareWithJudge } from '../../support/judge/compared.ts'
import { askedOf, compareResponse, useJudge } from '../../support/judge/responses.ts'
import { makeKey } from '../../support/people/issuer.ts'
import { AGE, ageOf, presentationOf } from '../../support/people/person.ts'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import { type CreatedSession, expectStatus, OVER_18, readQr } from '../../support/service/service.ts'
import { type Begun, begin, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()
useJudge(stage)
const stranger = await makeKey()
const PLAIN = { ...OVER_18, request_options: { response_mode: 'direct_post' } }

function post({ session }: Pick<Begun, 'session'>, parameters: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams(parameters)
  return stage.service.fetch(session.wallet_request.response_uri, { method: 'POST', body })
}

async function render({ verification_id }: CreatedSession): Promise<string> {
  const response = await stage.rp.call('GET', `/v1/verify/${verification_id}/qr`)
  return readQr(new Uint8Array(await response.arrayBuffer()))
}

async function succeeds({ session, request }: Begun): Promise<void> {
  await expectStatus(await respondWithAge(stage, request), 200)
  expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
}

it.each([
  ['without a state', () => ({})],
  ['with an unknown state', () => ({ state: 'AAAA' })],
  ['with the nonce as state', ({ request }: Begun) => ({ state: request.payload.nonce })],
  [
    'with the kid as state',
    ({ request }: Begun) => ({ state: String(request.payload.client_metadata.jwks?.keys[0]?.kid) }),
  ],
  ['with the state of another session', (_: Begun, other: Begun) => ({ state: other.request.payload.state })],
])('error posting: an access_denied error %s does not end the session', async (_, stolen) => {
  const [begun, other] = [await begin(stage), await begin(stage)]
  const form: Record<string, string> = { error: 'access_denied', ...stolen(begun, other) }
  expect((await post(begun, form)).status).toBe(400)
  await succeeds(begun)
  await succeeds(other)
})

it('error posting: the service refuses an error in response to a request by value, because the error has no state', async () => {
  const session = await stage.rp.create()
  const shown = await viewOf(session)
  expect((await post({ session }, { error: 'access_denied' })).status).toBe(400)
  await succeedsByValue(session, shown)
})

it('error posting: any other error from somebody who saw the QR code is recorded only as an attempt', async () => {
  const begun = await begin(stage)
  const { state } = begun.request.payload
  for (const error of ['invalid_request', 'server_error', 'made_up']) {
    expect((await post(begun, { error, state })).status).toBe(200)
  }
  await succeeds(begun)
})

it('flooding with requests: a wallet can respond to its request after 8 fetches of other requests', async () => {
  const begun = await begin(stage)
  for (let i = 0; i < 8; i++) await stage.service.wallet.receive(await render(begun.session))
  await succeeds(begun)
})

it('flooding with requests: a wallet can respond if it scans the current QR code after 40 fetches of other requests', async () => {
  const { session } = await begin(stage)
  for (let i = 0; i < 40; i++) {
    const uri = new URL(await render(session)).searchParams.get('request_uri')
    await stage.service.fetch(String(uri))
  }
  const request = await stage.service.wallet.receive(await render(session))
  await succeeds({ session, request })
})

it('flooding with requests: a request still accepts a response after 100 fetches', async () => {
  const begun = await begin(stage)
  const uri = begun.session.wallet_request.request_uri
  for (let i = 0; i < 100; i++) await stage.service.fetch(uri)
  await succeeds(begun)
})

it.each([
  ['formats', { vp_formats_supported: { ldp_vc: {} } }],
  ['prefixes', { client_id_prefixes_supported: ['redirect_uri'] }],
  ['algorithms', { request_object_signing_alg_values_supported: ['none'] }],
  ['encryption methods', { authorization_encryption_enc_values_supported: ['A128CBC-HS256'] }],
  ['response modes', { response_modes_supported: ['fragment'] }],
])(
  'metadata narrowing: the wallet_metadata of a stranger (%s) change nothing for the next wallet',
  async (_, metadata) => {
    const session = await stage.rp.create()
    const body = new URLSearchParams({ wallet_metadata: JSON.stringify(metadata) })
    await stage.service.fetch(session.wallet_request.request_uri, { method: 'POST', body })
    const request = await stage.service.wallet.receive(session.wallet_request.uri)
    expect(request.payload.dcql_query).toEqual(session.wallet_request.dcql_query)
    await succeeds({ session, request })
  },
)

it('cross-session replay: a presentation that was made for another session is refused', async () => {
  const [begun, other] = [await begin(stage, PLAIN), await begin(stage, PLAIN)]
  const presentations = await ageOf(stage.person, other.request)
  const form = { vp_token: JSON.stringify(presentations), state: begun.request.payload.state }
  expect((await post(begun, form)).status).toBe(400)
  const { status, attempts } = await stage.rp.poll(begun.session.verification_id)
  expect([status, attempts[0]?.reason.code]).toEqual(['pending', 'nonce_mismatch'])
  const anchors = [stage.authority.anchor()]
  await compareResponse({ request: begun.request, presentations, anchors }, 'nonce_mismatch')
  await succeeds(begun)
  await succeeds(other)
})

it('cross-session replay: a whole response to another session is refused, encrypted or unencrypted', async () => {
  for (const policy of [OVER_18, PLAIN]) {
    const [begun, other] = [await begin(stage, policy), await begin(stage, policy)]
    const { response_uri } = begun.request.payload
    const strayed = { ...other.request, payload: { ...other.request.payload, response_uri } }
    expect((await respondWithAge(stage, strayed)).status).toBe(400)
    await succeeds(begun)
    await succeeds(other)
  }
})

it('cross-session replay: a presentation for the OpenID4VP view of another session is refused', async () => {
  const session = await stage.rp.create()
  const elsewhere = await viewOf(await stage.rp.create())
  const here = await viewOf(session)
  const stolen = await presentationOf(stage.person, AGE, elsewhere)
  expect((await post({ session }, byValue(session, stolen))).status).toBe(400)
  await expectJudgedRefused(stolen, here)
  await succeedsByValue(session, here)
})

it('by value: forged presentations are refused, and a good presentation is then accepted by value and by request_uri', async () => {
  const sessions = await Promise.all([stage.rp.create(), stage.rp.create()])
  for (const [i, session] of sessions.entries()) {
    const shown = await viewOf(session)
    for (const telling of [{ issuer: stranger }, { holder: stranger }, { unbound: true }]) {
      const forged = await presentationOf(stage.person, AGE, shown, telling)
      expect((await post({ session }, byValue(session, forged))).status).toBe(400)
      await expectJudgedRefused(forged, shown)
    }
    if (i === 0) await succeedsByValue(session, shown)
    else await succeeds({ session, request: await stage.service.wallet.receive(session.wallet_request.uri) })
  }
})

/** Puts a presentation that the service refused to the judge, with the request that it was sent for. */
async function expectJudgedRefused(presentation: string, request: ReceivedRequest): Promise<void> {
  const asked = askedOf({ request, anchors: [stage.authority.anchor()] })
  await compareWithJudge('dc+sd-jwt', presentation, asked, 'refused')
}

/** Returns the relying party's view as a lenient wallet's request. */
async function viewOf({ verification_id }: CreatedSession): Promise<ReceivedRequest> {
  const response = await stage.rp.call('GET', `/v1/verify/${verification_id}/openid4vp`)
  return { payload: ((await expectStatus(response, 200)) as View).authorization_request } as never
}

type View = { readonly authorization_request: { readonly client_id: string; readonly nonce: string } }

function byValue({ verification_id: id }: CreatedSession, vp_token: string): Record<string, string> {
  const descriptor_map = [{ id: `descriptor_${id}`, format: 'vc+sd-jwt', path: '$' }]
  return {
    vp_token,
    presentation_submission: JSON.stringify({ id: 's', definition_id: `pd_${id}`, descriptor_map }),
  }
}

async function succeedsByValue(session: CreatedSession, shown: ReceivedRequest): Promise<void> {
  const presentation = await presentationOf(stage.person, AGE, shown)
  await expectStatus(await post({ session }, byValue(session, presentation)), 200)
  expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
}
