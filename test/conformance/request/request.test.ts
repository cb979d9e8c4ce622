// api/request and api/protocols: the signed request that a wallet fetches, and the processing of its
// response. All combinations are in test/conformance/protocols/cells.test.ts.

import { decodeProtectedHeader } from 'jose'
import { expect, it } from 'vitest'
import { ageOf } from '../../support/people/person.ts'
import { expectStatus, OVER_18 } from '../../support/service/service.ts'
import { begin, relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()

it('api/protocols: the service answers a wallet that supports only GET, although the request offered POST', async () => {
  const { session, request } = await begin(stage, OVER_18, { getOnly: true })
  expect((await respondWithAge(stage, request)).status).toBe(200)
  expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
})

it('api/protocols: the service returns a wallet_nonce in standard base64 verbatim', async () => {
  // The wallet itself rejects another nonce than its own.
  const { request } = await begin(stage, OVER_18, { walletNonce: '+/+/AAECAwQFBgcICQoLDA==' })
  expect(request.payload).toMatchObject({ wallet_nonce: '+/+/AAECAwQFBgcICQoLDA==' })
})

it('api/protocols: with the prefix x509_san_dns, the client_id is the prefix and the host name of base_url', async () => {
  const request_options = { client_id_prefix: 'x509_san_dns' }
  const { wallet_request } = await stage.rp.create({ ...OVER_18, request_options })
  expect(wallet_request.client_id).toBe('x509_san_dns:verifier.example')
})

it('api/creation: the service uses the settings for missing request_options', async () => {
  const request_options = { client_id_prefix: 'x509_san_dns', response_mode: 'direct_post' }
  const rp = await relyingPartyOf(stage, { request_options })
  const own = { request_options: { response_mode: 'direct_post.jwt' } }
  const { verification_id } = await rp.create({ ...OVER_18, ...own })
  expect((await rp.poll(verification_id)).request_options).toEqual({
    client_id_prefix: 'x509_san_dns',
    response_mode: 'direct_post.jwt',
    request_uri_method: 'post',
  })
})

it('api/request: the service gives the same nonce, state and key when a request_uri is fetched again', async () => {
  const session = await stage.rp.create()
  const { uri } = session.wallet_request
  const first = (await stage.service.wallet.receive(uri)).payload
  const again = (await stage.service.wallet.receive(uri, { getOnly: true })).payload
  const lastingMembers = ({ nonce, state, client_metadata }: typeof first) => ({
    nonce,
    state,
    client_metadata,
  })
  expect(lastingMembers(again)).toEqual(lastingMembers(first))
})

it('api/protocols: the service serves a Request Object as application/oauth-authz-req+jwt, uncached, and open to every origin', async () => {
  const { wallet_request } = await stage.rp.create()
  const response = await stage.service.fetch(wallet_request.request_uri)
  const headers = ['content-type', 'cache-control', 'access-control-allow-origin'].map((name) =>
    response.headers.get(name),
  )
  expect([response.status, ...headers]).toEqual([200, 'application/oauth-authz-req+jwt', 'no-store', '*'])
  expect(decodeProtectedHeader(await response.text())).toMatchObject({
    alg: 'ES256',
    typ: 'oauth-authz-req+jwt',
    x5c: [expect.any(String)],
  })
})

const FORM = 'application/x-www-form-urlencoded'

it('OpenID4VP 1.0 §5.10, §8.2: the service accepts forms with unknown parameters and with a charset', async () => {
  const policy = { ...OVER_18, request_options: { response_mode: 'direct_post' } }
  const { session, request } = await begin(stage, policy)
  const type = `${FORM}; charset=UTF-8`
  const { request_uri, response_uri } = session.wallet_request
  for (const form of ['', 'wallet_issuer=https%3A%2F%2Fwallet.example&x=1']) {
    expect((await stage.service.fetch(request_uri, post(form, type))).status).toBe(200)
  }
  const vp_token = JSON.stringify(await ageOf(stage.person, request))
  const form = new URLSearchParams({ vp_token, state: request.payload.state, iss: 'x', y: '1' })
  await expectStatus(await stage.service.fetch(response_uri, post(`${form}`, type)), 200)
  expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
})

/** Invalid messages of a wallet, and the status that each gets. */
const WRONG: readonly (readonly [string, 'request' | 'callback', RequestInit, number])[] = [
  ['DELETE of a request_uri', 'request', { method: 'DELETE' }, 405],
  ['a request_uri with JSON', 'request', post('{}', 'application/json'), 415],
  ['wallet_metadata that is not JSON', 'request', post('wallet_metadata=%7B', FORM), 400],
  ['wallet_metadata of over 16 KiB', 'request', post(`wallet_metadata=${'x'.repeat(16_384)}`, FORM), 413],
  ['a wallet_nonce of 10,000 characters', 'request', post(`wallet_nonce=${'x'.repeat(10_000)}`, FORM), 400],
  ['GET of the callback', 'callback', { method: 'GET' }, 405],
  ['a callback with JSON', 'callback', post('{}', 'application/json'), 415],
  ['an empty callback', 'callback', post('', FORM), 400],
  ['a callback with state twice', 'callback', post('vp_token=%7B%7D&state=a&state=a', FORM), 400],
  ['a callback that is not UTF-8', 'callback', post('vp_token=%ff', FORM), 400],
  ['a callback of over 1 MiB', 'callback', post(`vp_token=${'x'.repeat(1_048_576)}`, FORM), 413],
]

it.each(WRONG)(
  'api/protocols: the service refuses %s with an uncached OAuth error in JSON that every origin can read',
  async (_, target, init, status) => {
    const { verification_id, wallet_request } = await stage.rp.create()
    const response = await stage.service.fetch(
      target === 'request' ? wallet_request.request_uri : wallet_request.response_uri,
      init,
    )
    const headers = ['content-type', 'cache-control', 'access-control-allow-origin'].map((name) =>
      response.headers.get(name),
    )
    expect(headers).toEqual(['application/json', 'no-store', '*'])
    expect(await expectStatus(response, status)).toEqual({
      error: expect.stringMatching(/^[a-z_]+$/),
      error_description: expect.stringMatching(/./),
    })
    expect((await stage.rp.poll(verification_id)).status).toBe('pending')
  },
)

it('api/protocols: the 200 for a processed response contains only a redirect_uri, and this URI does not contain the client_token', async () => {
  const { session, request } = await begin(stage)
  const response = await respondWithAge(stage, request)
  const page = `https://verifier.example/v1/verify/${session.verification_id}/return`
  const body = (await expectStatus(response, 200)) as { redirect_uri: string }
  expect(Object.keys(body)).toEqual(['redirect_uri'])
  expect(body.redirect_uri.split('#')[0]).toBe(page)
  expect(body.redirect_uri.split('#')[1]).toMatch(/^response_code=[A-Za-z0-9_-]{22,}$/)
  expect(body.redirect_uri).not.toContain(session.client_token)
})

function post(body: string, type: string): RequestInit {
  return { method: 'POST', body, headers: { 'content-type': type } }
}
