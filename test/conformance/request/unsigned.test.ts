// api/protocols, OpenID4VP 1.0 §5.9.3 `redirect_uri`: the unsigned request, passed by value, and its
// responses.

import { describe, expect, it } from 'vitest'
import { openBrowser } from '../../support/browser/browser.ts'
import { jwtVcAgeOf, makeJwtVcPerson } from '../../support/people/jwt-vc-person.ts'
import { makeMdocPerson, mdocAgeOf } from '../../support/people/mdoc-person.ts'
import { ageOf } from '../../support/people/person.ts'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import { BASE_URL, expectStatus, OVER_18, type RelyingParty, readQr } from '../../support/service/service.ts'
import { begin, relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const holder = await makeMdocPerson()
const subject = await makeJwtVcPerson()

const client_id_prefix = 'redirect_uri'
const UNSIGNED = { ...OVER_18, request_options: { client_id_prefix } }

const FORMATS = [
  { format: 'dc+sd-jwt', answer: (request: ReceivedRequest) => ageOf(stage.person, request) },
  { format: 'mso_mdoc', answer: (request: ReceivedRequest) => mdocAgeOf(holder, request) },
  { format: 'jwt_vc_json', answer: (request: ReceivedRequest) => jwtVcAgeOf(subject, request) },
]
const MODES = ['direct_post.jwt', 'direct_post']
const CELLS = FORMATS.flatMap((one) => MODES.map((response_mode) => ({ ...one, response_mode })))

function trusting(settings: object = {}): Promise<RelyingParty> {
  return relyingPartyOf(stage, {
    trust_anchors: [stage.authority, holder, subject].map(({ anchor }) => anchor()),
    ...settings,
  })
}

describe.each(CELLS)('$format in $response_mode', ({ format, answer, response_mode }) => {
  const policy = { ...OVER_18, formats: [format], request_options: { client_id_prefix, response_mode } }

  it('api/protocols: a foreign wallet reads the request from the QR code, and its response verifies', async () => {
    const rp = await trusting()
    const session = await rp.create(policy)
    const uri = readQr(session.qr_code)
    expect(uri).toBe(session.wallet_request.uri)
    const request = await stage.service.wallet.receive(uri)
    expect(request.payload.client_id).toBe(`redirect_uri:${session.wallet_request.response_uri}`)
    expect((await stage.service.wallet.present(request, await answer(request))).status).toBe(200)
    const poll = await rp.poll(session.verification_id)
    const checks = { age_over_18: true }
    expect(poll).toMatchObject({ status: 'verified', channel: 'by_value', format, checks })
    expect(poll.assurance_level).toBe('low')
  })

  it('api/protocols: a foreign wallet reads the request from the link, and its response verifies after the browser has returned from the wallet', async () => {
    const rp = await trusting()
    const session = await rp.create({ ...policy, required_session_binding: 'page' })
    expect([session.qr_code, session.wallet_request]).toEqual([null, null])
    const browser = openBrowser(stage.service)
    const request = await stage.service.wallet.receive(await browser.link(session))
    const sent = await stage.service.wallet.present(request, await answer(request))
    const { redirect_uri } = (await expectStatus(sent, 200)) as { redirect_uri: string }
    await expectStatus(await browser.completeReturn(redirect_uri), 200)
    const poll = await rp.poll(session.verification_id)
    expect(poll).toMatchObject({ status: 'verified', channel: 'by_value', session_binding: 'page', format })
    expect(poll.assurance_level).toBe('substantial')
  })
})

describe('an unsigned request', () => {
  it('api/request: is complete in the link for each wallet, and has no request_uri', async () => {
    const { verification_id: id, wallet_request } = await stage.rp.create(UNSIGNED)
    expect(wallet_request).toMatchObject({
      client_id: `redirect_uri:${BASE_URL}/v1/verify/${id}/callback`,
      response_uri: `${BASE_URL}/v1/verify/${id}/callback`,
      request_uri: null,
      request_uri_method: null,
    })
    for (const [name, link] of Object.entries(wallet_request.wallet_links)) {
      expect(link.split('?')[1]).toBe(wallet_request.uri.split('?')[1])
      if (link.startsWith(`${name}:`)) await stage.service.wallet.receive(link)
    }
    const options = { client_id_prefix, response_mode: 'direct_post.jwt', request_uri_method: null }
    expect((await stage.rp.poll(id)).request_options).toEqual(options)
  })

  it('api/request: is new in each QR code, and a response to the first request verifies even after ten newer QR codes', async () => {
    const { session, request } = await begin(stage, UNSIGNED)
    const path = `/v1/verify/${session.verification_id}/qr?size=640`
    for (let drawn = 0; drawn < 10; drawn++) {
      const picture = new Uint8Array(await (await stage.rp.call('GET', path)).arrayBuffer())
      expect(readQr(picture)).not.toBe(request.uri)
    }
    expect((await respondWithAge(stage, request)).status).toBe(200)
    expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
  })

  it('api/dc-api: is also offered through the Digital Credentials API, without a signed request', async () => {
    const rp = await relyingPartyOf(stage, { origins: ['https://shop.example'] })
    const { verification_id } = await rp.create(UNSIGNED)
    const asked = await rp.call('POST', `/v1/verify/${verification_id}/dc-api/request`, { body: {} })
    const { digital } = (await expectStatus(asked, 200)) as {
      digital: { requests: readonly { protocol: string }[] }
    }
    // `org-iso-mdoc` names no verifier that signs.
    const offered = digital.requests.map(({ protocol }) => protocol)
    expect(offered).toEqual(['openid4vp-v1-unsigned', 'org-iso-mdoc'])
    expect(digital.requests[0]).not.toHaveProperty('data.client_id')
  })
})

describe('a response to an unsigned request', () => {
  it.each([
    ['client_id without its prefix', (clientId: string) => clientId.slice('redirect_uri:'.length)],
    [
      'client_id with the prefix x509_san_dns',
      (clientId: string) => clientId.replace('redirect_uri', 'x509_san_dns'),
    ],
  ])('api/protocols: is refused if its audience is the %s', async (_, change) => {
    const { session, request } = await begin(stage, UNSIGNED)
    const audience = change(request.payload.client_id)
    expect((await respondWithAge(stage, request, { audience })).status).toBe(400)
    const { status, attempts } = await stage.rp.poll(session.verification_id)
    expect([status, attempts[0]?.reason.code]).toEqual(['pending', 'audience_mismatch'])
    expect((await respondWithAge(stage, request)).status).toBe(200)
  })

  it('api/protocols: is refused if its audience is the client_id of another session', async () => {
    const one = await begin(stage, UNSIGNED)
    const other = await begin(stage, UNSIGNED)
    const audience = other.request.payload.client_id
    expect((await respondWithAge(stage, one.request, { audience })).status).toBe(400)
    const { attempts } = await stage.rp.poll(one.session.verification_id)
    expect(attempts[0]?.reason.code).toBe('audience_mismatch')
  })

  it('api/protocols: is refused if its mdoc is bound to the client_id without its prefix', async () => {
    const rp = await trusting()
    const { session, request } = await begin(stage, { ...UNSIGNED, formats: ['mso_mdoc'] }, { rp })
    const answering = { client_id: request.payload.response_uri }
    const sent = await stage.service.wallet.present(request, await mdocAgeOf(holder, request, { answering }))
    expect(sent.status).toBe(400)
    expect((await rp.poll(session.verification_id)).status).toBe('pending')
  })
})

describe("a wallet's error in response to an unsigned request", () => {
  it.each(MODES)(
    'api/outcome: ends the session if the error is access_denied, with the response mode %s',
    async (response_mode) => {
      const policy = { ...OVER_18, request_options: { client_id_prefix, response_mode } }
      const { session, request } = await begin(stage, policy)
      expect((await stage.service.wallet.decline(request, 'access_denied')).status).toBe(200)
      expect((await stage.rp.poll(session.verification_id)).status).toBe('declined')
    },
  )

  it('api/outcome: is recorded as an attempt if it has any other error code', async () => {
    const { session, request } = await begin(stage, UNSIGNED)
    expect((await stage.service.wallet.decline(request, 'server_error', { encrypted: true })).status).toBe(
      200,
    )
    const { status, attempts } = await stage.rp.poll(session.verification_id)
    expect([status, attempts[0]?.reason.code]).toEqual(['pending', 'wallet_error'])
    expect((await respondWithAge(stage, request)).status).toBe(200)
  })

  it('api/outcome: changes nothing if it has an unknown state', async () => {
    const { session, request } = await begin(stage, UNSIGNED)
    const body = new URLSearchParams({ error: 'access_denied', state: 'x'.repeat(26) })
    expect((await stage.service.fetch(request.payload.response_uri, { method: 'POST', body })).status).toBe(
      400,
    )
    expect((await stage.rp.poll(session.verification_id)).status).toBe('pending')
  })
})

describe('a create request for an unsigned request', () => {
  async function refusal(rp: RelyingParty, body: object) {
    return expectStatus(await rp.call('POST', '/v1/verify', { body }), 422)
  }
  const at = (name: string, code: string) => ({
    code: 'policy_unsatisfiable',
    errors: [{ pointer: `/request_options/${name}`, code }],
  })

  it('api/settings: gets 422 if the settings do not allow by_value', async () => {
    const rp = await relyingPartyOf(stage, { by_value: false })
    expect(await refusal(rp, UNSIGNED)).toMatchObject(at('client_id_prefix', 'not_allowed'))
    await expectStatus(await rp.call('PATCH', '/v1/relying_party', { body: { by_value: true } }), 200)
    await rp.create(UNSIGNED)
  })

  it('api/protocols: gets the default prefix of the protocol if the settings prefer an unsigned request but do not allow by_value', async () => {
    const rp = await relyingPartyOf(stage, { by_value: false, request_options: { client_id_prefix } })
    expect((await rp.create(OVER_18)).wallet_request.client_id).toMatch(/^x509_hash:/)
    await expectStatus(await rp.call('PATCH', '/v1/relying_party', { body: { by_value: true } }), 200)
    expect((await rp.create(OVER_18)).wallet_request.client_id).toMatch(/^redirect_uri:/)
  })

  it('api/protocols: gets 422 if it requires the level substantial without the session binding page', async () => {
    const above = { ...UNSIGNED, required_assurance_level: 'substantial' }
    expect(await refusal(stage.rp, above)).toMatchObject(at('client_id_prefix', 'low_level_only'))
    await stage.rp.create({ ...above, required_assurance_level: 'low' })
    await stage.rp.create({ ...above, required_session_binding: 'page' })
  })

  it('api/protocols: gets a signed request if only the settings prefer an unsigned request, and it requires the level substantial', async () => {
    const rp = await relyingPartyOf(stage, { request_options: { client_id_prefix } })
    const { wallet_request } = await rp.create({ ...OVER_18, required_assurance_level: 'substantial' })
    expect(wallet_request.client_id).toMatch(/^x509_hash:/)
  })

  it.each(['haip-1.0', 'openid4vp-draft24', 'openid4vp-draft18'])(
    'api/protocols: gets 422 in the protocol %s',
    async (protocol) => {
      expect(await refusal(stage.rp, { ...UNSIGNED, protocol })).toMatchObject(
        at('client_id_prefix', 'not_in_protocol'),
      )
    },
  )

  it.each(['get', 'post'])(
    'api/request: gets 422 with request_uri_method %s, because a request by value is not fetched',
    async (method) => {
      const request_options = { client_id_prefix, request_uri_method: method }
      expect(await refusal(stage.rp, { ...OVER_18, request_options })).toMatchObject(
        at('request_uri_method', 'not_by_value'),
      )
    },
  )

  it('api/qr: gets 422 and stores nothing if the session needs a QR code and the request is too long for a QR code', async () => {
    const long = { credential_types: ['age_attestation', 'pid', 'mdl', 'photo_id'], scope: ['age_over_18'] }
    const headers = { 'Idempotency-Key': 'long' }
    const body = { ...long, request_options: { client_id_prefix } }
    const refused = await stage.rp.call('POST', '/v1/verify', { body, headers })
    expect(await expectStatus(refused, 422)).toMatchObject(at('client_id_prefix', 'too_long'))
    await stage.rp.create(long, headers)
    await stage.rp.create({ ...body, required_session_binding: 'page' })
  })

  it('api/qr: may lead to a URI of at most 2,953 characters, which needs a QR code of at least 185 pixels', async () => {
    const dcql_query = { credentials: [longest(0)] }
    const { wallet_request } = await stage.rp.create({ dcql_query, request_options: { client_id_prefix } })
    const room = 2953 - wallet_request.uri.length
    const policy = { dcql_query: { credentials: [longest(room)] }, request_options: { client_id_prefix } }
    const session = await stage.rp.create(policy)
    expect(session.wallet_request.uri).toHaveLength(2953)
    expect(readQr(session.qr_code)).toBe(session.wallet_request.uri)
    const path = `/v1/verify/${session.verification_id}/qr`
    const small = await stage.rp.call('GET', `${path}?size=184`)
    expect(await expectStatus(small, 400)).toMatchObject({ code: 'invalid_qr_size' })
    expect((await stage.rp.call('GET', `${path}?size=185`)).status).toBe(200)
    const over = { ...policy, dcql_query: { credentials: [longest(room + 1)] } }
    expect(await refusal(stage.rp, over)).toMatchObject(at('client_id_prefix', 'too_long'))
  })
})

/** Returns a query that is longer by `more` bytes than with 0. */
function longest(more: number) {
  const values = Array.from({ length: 12 }, (_, index) => {
    const room = Math.min(Math.max(0, more - index * 190), 190)
    return `${index.toString(16)}${'v'.repeat(room)}`
  })
  return {
    id: 'pid',
    format: 'dc+sd-jwt',
    meta: { vct_values: ['urn:eudi:pid:1'] },
    claims: [{ path: ['family_name'], values }],
  }
}
