// api/creation, api/protocols: the preset `age_over_18` for the EU age verification app in live mode. The app
// is a fake of its sources. Nothing else may be unsigned, plain or by value without the setting `by_value`.

import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { openBrowser } from '../../support/browser/browser.ts'
import { expectStatus, type RelyingParty, readQr } from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'
import { euAgeAndroid } from '../../support/wallets/eu/eu-age-android.ts'
import { euAgeIos } from '../../support/wallets/eu/eu-age-ios.ts'
import type { FakeWallet, Invocation } from '../../support/wallets/fake-wallet.ts'
import { makeHoldings } from '../../support/wallets/holdings.ts'

const stage = useStage()
const { holdings, anchors } = await makeHoldings()
const SHOP = 'https://shop.example'

const PRESET = { preset: 'age_over_18' }
const ANDROID = { ...PRESET, wallet: 'eu-age-android' }
const QUESTION = { credential_types: ['age_attestation'], scope: ['age_over_18'], formats: ['mso_mdoc'] }
const ON = { eu_age_verification: true }
const LIVE = { livemode: true, webhook: null, trust_anchors: anchors, origins: [SHOP] }

const shop = (settings: object = {}) => relyingPartyOf(stage, { ...LIVE, ...ON, ...settings })

const offer = (wallet: FakeWallet, invocation: Invocation) =>
  wallet.answer(invocation, { fetch: stage.service.fetch, verifierCa: stage.service.verifierCa, holdings })

async function accepted(wallet: FakeWallet, link: string) {
  const answer = await offer(wallet, { link })
  if (!('response' in answer)) throw new Error(JSON.stringify(answer))
  expect(answer.disclosed).toEqual([{ format: 'mso_mdoc', type: 'eu.europa.ec.av.1', claim: 'age_over_18' }])
  return (await expectStatus(answer.response, 200)) as { redirect_uri: string }
}

async function refusal(rp: RelyingParty, body: object, status = 422) {
  const { code, errors } = (await expectStatus(await rp.call('POST', '/v1/verify', { body }), status)) as {
    code: string
    errors: readonly { pointer: string; code: string }[]
  }
  return [code, ...errors.map((error) => `${error.pointer} ${error.code}`)]
}

const OFF = { eu_age_verification: false }

/** Annex C stays, which the browser binds to its page. No QR code and no link reaches the app. */
async function expectAnnexCOnly(rp: RelyingParty, body: object) {
  const session = await rp.create(body)
  expect([session.wallet_request, session.qr_code]).toEqual([null, null])
  const path = `/v1/verify/${session.verification_id}`
  expect((await rp.call('GET', `${path}/qr`)).status).toBe(409)
  await expect(openBrowser(stage.service).link(session)).rejects.toThrow('HTTP 4')
  const asked = await rp.call('POST', `${path}/dc-api/request`, { body: {} })
  const { digital } = (await expectStatus(asked, 200)) as { digital: { requests: { protocol: string }[] } }
  expect(digital.requests.map(({ protocol }) => protocol)).toEqual(['org-iso-mdoc'])
  // A response of a protocol that was not offered belongs to no request.
  const data = { protocol: 'openid4vp-v1-signed', data: { error: 'access_denied' } }
  expect((await rp.call('POST', `${path}/dc-api`, { body: data })).status).toBe(400)
  expect(await rp.poll(session.verification_id)).toMatchObject({ status: 'pending' })
}

describe.each([
  ['eu-age-android', euAgeAndroid],
  ['eu-age-ios', euAgeIos],
] as const)('the preset for %s in live mode', (id, wallet) => {
  it('makes an unsigned request by value for one element, and its response verifies at level low with channel by_value', async () => {
    const rp = await shop()
    const session = await rp.create({ ...PRESET, wallet: id })
    const { uri } = session.wallet_request
    const parameters = new URL(uri.replace('av://', 'https://a.example/')).searchParams
    const callback = `https://verifier.example/v1/verify/${session.verification_id}/callback`
    expect(uri.startsWith('av://?')).toBe(true)
    expect(Object.fromEntries(parameters)).toMatchObject({
      client_id: `redirect_uri:${callback}`,
      response_mode: 'direct_post',
      response_uri: callback,
    })
    expect([parameters.get('request'), parameters.get('request_uri')]).toEqual([null, null])
    expect(JSON.parse(parameters.get('dcql_query') ?? '').credentials).toEqual([
      {
        id: expect.any(String),
        format: 'mso_mdoc',
        meta: { doctype_value: 'eu.europa.ec.av.1' },
        claims: [{ path: ['eu.europa.ec.av.1', 'age_over_18'], intent_to_retain: false }],
      },
    ])
    await accepted(wallet, uri)
    const poll = await rp.poll(session.verification_id)
    expect(poll).toMatchObject({
      status: 'verified',
      preset: 'age_over_18',
      channel: 'by_value',
      session_binding: 'none',
      assurance_level: 'low',
      checks: { age_over_18: true },
    })
    expect(poll.assurance_derivation).toMatchObject([
      { step: 'anchor', level: 'substantial' },
      { step: 'certificate_status', level: 'substantial' },
      { step: 'holder_binding', level: 'substantial' },
      { step: 'no_session_binding', level: 'low' },
      { step: 'status', level: 'low' },
    ])
    const { events } = (await expectStatus(await rp.call('GET', '/v1/events'), 200)) as { events: object[] }
    expect(events).toMatchObject([
      {
        verification_id: session.verification_id,
        status: 'verified',
        channel: 'by_value',
        assurance_level: 'low',
      },
    ])
  })

  it('gives the session the level of the anchor if the browser that opened the link returns', async () => {
    const rp = await shop()
    const session = await rp.create({ ...PRESET, wallet: id, required_session_binding: 'page' })
    const browser = openBrowser(stage.service)
    const { redirect_uri } = await accepted(wallet, await browser.link(session))
    expect((await rp.poll(session.verification_id)).stage).toBe('awaiting_return')
    expect((await browser.completeReturn(redirect_uri)).status).toBe(200)
    expect(await rp.poll(session.verification_id)).toMatchObject({
      status: 'verified',
      channel: 'by_value',
      session_binding: 'page',
      assurance_level: 'substantial',
    })
  })

  it('also makes an Annex C request (ISO/IEC TS 18013-7), and its response verifies with channel dc_api', async () => {
    const rp = await shop()
    const { verification_id } = await rp.create(PRESET)
    const asked = await rp.call('POST', `/v1/verify/${verification_id}/dc-api/request`, {
      body: { wallet: id },
    })
    const { digital } = (await expectStatus(asked, 200)) as {
      digital: { requests: { protocol: string; data: Record<string, unknown> }[] }
    }
    expect(digital.requests.map(({ protocol }) => protocol)).toEqual(['org-iso-mdoc'])
    const [request] = digital.requests
    const answer = await offer(wallet, { digital: request as never, origin: SHOP })
    if (!('credential' in answer)) throw new Error(JSON.stringify(answer))
    const path = `/v1/verify/${verification_id}/dc-api`
    await expectStatus(await rp.call('POST', path, { body: answer.credential }), 200)
    expect(await rp.poll(verification_id)).toMatchObject({
      status: 'verified',
      channel: 'dc_api',
      assurance_level: 'substantial',
    })
  })
})

describe('the preset', () => {
  it('makes a signed request if the create request names no wallet', async () => {
    const { wallet_request } = await (await shop()).create(PRESET)
    expect(wallet_request.client_id).toMatch(/^x509_hash:/)
    const fetched = await stage.service.fetch(wallet_request.request_uri)
    expect(decodeJwt(await fetched.text()).response_mode).toBe('direct_post.jwt')
  })

  it('offers the EU age app on the session page, and in the response to the create request', async () => {
    const rp = await shop()
    const session = await rp.create(PRESET)
    const page = await stage.service.fetch(session.session_url)
    expect(await page.text()).toContain('eu-age-android')
    const { wallets } = session as unknown as { wallets: readonly { id: string; result: string }[] }
    expect(wallets.find(({ id }) => id === 'eu-age-android')?.result).toBe('lowered')
    const drawn = await rp.call('GET', `/v1/verify/${session.verification_id}/qr?size=1024&wallet=eu-age-ios`)
    await accepted(euAgeIos, readQr(new Uint8Array(await drawn.arrayBuffer())))
    expect(await rp.poll(session.verification_id)).toMatchObject({ status: 'verified', channel: 'by_value' })
  })

  it('shows the app on the session page only with the setting `eu_age_verification`, or if the browser supports org-iso-mdoc', async () => {
    const entries = async (settings: object) => {
      const { session_url } = await (await shop(settings)).create(PRESET)
      const html = await (await stage.service.fetch(session_url)).text()
      return [...html.matchAll(/<li([^>]*)><a [^>]*wallet=eu-age-\w+"/g)].map(([, attributes]) => attributes)
    }
    expect(await entries({})).toEqual(['', ''])
    const hidden = ' data-exchanges="org-iso-mdoc" hidden'
    expect(await entries(OFF)).toEqual([hidden, hidden])
  })

  it('makes no further request by value after the setting is turned off', async () => {
    const rp = await shop()
    const { verification_id, client_token } = await rp.create(ANDROID)
    const path = `/v1/verify/${verification_id}`
    expect((await rp.call('GET', `${path}/qr`)).status).toBe(200)
    await expectStatus(await stage.service.admin('PATCH', `/${rp.relying_party_id}`, OFF), 200)
    for (const query of ['', '?wallet=eu-age-android']) {
      expect((await rp.call('GET', `${path}/qr${query}`)).status).toBe(422)
    }
    await expect(openBrowser(stage.service).link({ verification_id, client_token })).rejects.toThrow('422')
    expect((await rp.call('GET', `${path}/qr?wallet=any`)).status).toBe(200)
  })

  it('has the channel by_value in its event', async () => {
    const rp = await relyingPartyOf(stage, { ...ON, by_value: false, trust_anchors: anchors })
    const { verification_id, wallet_request } = await rp.create(ANDROID)
    await accepted(euAgeAndroid, wallet_request.uri)
    await expect
      .poll(() => stage.receiver.requests.map(({ body }) => JSON.parse(String(body))))
      .toContainEqual(expect.objectContaining({ verification_id, channel: 'by_value', status: 'verified' }))
  })

  it.each([
    ['credential_types', { credential_types: ['pid'] }],
    ['scope', { scope: ['age_over_21'] }],
    ['formats', { formats: ['dc+sd-jwt'] }],
    ['credential_match', { credential_match: 'all' }],
    ['allow_derived', { allow_derived: true }],
    ['intent_to_retain', { intent_to_retain: true }],
    [
      'dcql_query',
      {
        dcql_query: {
          credentials: [{ id: 'a', format: 'mso_mdoc', meta: { doctype_value: 'eu.europa.ec.av.1' } }],
        },
      },
    ],
  ])('is refused together with %s', async (name, member) => {
    expect(await refusal(await shop(), { ...PRESET, ...member }, 400)).toEqual([
      'invalid_request',
      expect.stringContaining(`/${name} `),
    ])
  })
})

describe('in live mode, a request by value', () => {
  it.each([
    ['without the setting eu_age_verification', {}, OFF],
    ['for the same question without the preset', { preset: undefined, ...QUESTION }, {}],
    ['above level low', { required_assurance_level: 'substantial' }, {}],
    ['with a plain response', { request_options: { response_mode: 'direct_post' } }, OFF],
  ])('is not made %s', async (_, change, settings) => {
    await expectAnnexCOnly(await shop(settings), { ...ANDROID, ...change })
  })

  it('is not made for inji, which accepts only requests by value', async () => {
    const [code] = await refusal(await shop(), { ...PRESET, wallet: 'inji' })
    expect(code).toBe('policy_unsatisfiable')
  })

  it.each(['walt-id', 'credo'])(
    'is not made for %s, which accepts requests by value and signed requests',
    async (wallet) => {
      const { wallet_request } = await (await shop()).create({ ...PRESET, wallet })
      expect(wallet_request.client_id).not.toMatch(/^redirect_uri:/)
      expect(wallet_request.request_uri).not.toBeNull()
    },
  )

  it.each([
    ['another age', { credential_types: ['age_attestation'], scope: ['age_over_21'] }],
    [
      'a dcql_query without the preset',
      {
        dcql_query: {
          credentials: [
            {
              id: 'a',
              format: 'mso_mdoc',
              meta: { doctype_value: 'eu.europa.ec.av.1' },
              claims: [{ path: ['eu.europa.ec.av.1', 'age_over_18'], intent_to_retain: false }],
            },
          ],
        },
      },
    ],
  ])('is not made for %s', async (_, question) => {
    await expectAnnexCOnly(await shop(), { ...question, wallet: 'eu-age-android' })
  })

  it.each([
    ['another credential type', { credential_types: ['mdl'], scope: ['age_over_18'] }],
    ['another credential format', { ...QUESTION, formats: ['dc+sd-jwt'] }],
  ])('is not made if the create request requires %s', async (_, question) => {
    const [code] = await refusal(await shop(), { ...question, wallet: 'eu-age-android' })
    expect(code).toBe('policy_unsatisfiable')
  })

  it.each(['haip-1.0', 'openid4vp-draft24', 'openid4vp-draft18'])('is not made in %s', async (protocol) => {
    const rp = await shop()
    const body = { ...ANDROID, protocol }
    if (protocol === 'haip-1.0') await expectAnnexCOnly(rp, body)
    else expect(await refusal(rp, body)).toEqual(['policy_unsatisfiable', '/wallet not_in_protocol'])
  })

  it('is not made if the create request has client_id_prefix redirect_uri, with or without the preset', async () => {
    const rp = await shop()
    const unsigned = { request_options: { client_id_prefix: 'redirect_uri' } }
    for (const body of [PRESET, ANDROID, QUESTION]) {
      expect(await refusal(rp, { ...body, ...unsigned })).toEqual([
        'policy_unsatisfiable',
        '/request_options/client_id_prefix not_allowed',
      ])
    }
  })

  it('does not allow an unencrypted response to the signed request of the same session', async () => {
    const rp = await shop()
    const { verification_id, wallet_request } = await rp.create(ANDROID)
    const path = `/v1/verify/${verification_id}`
    const signed = await expectStatus(await rp.call('GET', `${path}/openid4vp`), 200)
    expect(signed).toMatchObject({ wallet_request: { wallet: 'eu-age-android' } })
    const png = await rp.call('GET', `${path}/qr?wallet=any&size=1024`)
    expect(png.status).toBe(200)
    const uri = readQr(new Uint8Array(await png.arrayBuffer()))
    const fetched = await stage.service.fetch(new URL(uri).searchParams.get('request_uri') ?? '')
    const { state } = decodeJwt(await fetched.text()) as { state: string }
    const body = new URLSearchParams({ vp_token: JSON.stringify({ age: ['AA'] }), state })
    const posted = await stage.service.fetch(wallet_request.response_uri, { method: 'POST', body })
    expect(posted.status).toBe(400)
    const { status, attempts } = await rp.poll(verification_id)
    expect([status, attempts.at(-1)?.reason.code]).toEqual(['pending', 'encryption_required'])
  })

  it('does not allow a response in the form of March 2023 (presentation_submission)', async () => {
    const rp = await shop()
    const { verification_id, wallet_request } = await rp.create(ANDROID)
    await expectStatus(await rp.call('GET', `/v1/verify/${verification_id}/openid4vp`), 200)
    const presentation_submission = JSON.stringify({
      id: 's',
      definition_id: `pd_${verification_id}`,
      descriptor_map: [],
    })
    const body = new URLSearchParams({ vp_token: 'x', presentation_submission })
    const posted = await stage.service.fetch(wallet_request.response_uri, { method: 'POST', body })
    expect(posted.status).toBe(400)
    expect((await rp.poll(verification_id)).status).toBe('pending')
  })

  it('is not made after `eu_age_verification` was turned off: neither for a new session nor for a QR code of an older session', async () => {
    const rp = await shop()
    const session = await rp.create(PRESET)
    await expectStatus(
      await rp.call('PATCH', '/v1/relying_party', { body: { eu_age_verification: false } }),
      200,
    )
    const drawn = await rp.call('GET', `/v1/verify/${session.verification_id}/qr?size=1024&wallet=eu-age-ios`)
    expect(drawn.status).toBe(409)
    await expectAnnexCOnly(rp, ANDROID)
  })
})
