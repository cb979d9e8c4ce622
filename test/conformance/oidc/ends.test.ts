// api/logins: how a login ends at the client if there is no success, and what happens before the page.

import { describe, expect, it } from 'vitest'
import type { DigitalRequest } from '../../support/linters/dc-api-linter.ts'
import { receiveDigital, respondDigital } from '../../support/people/dc-api-wallet.ts'
import { ageOf, makeAuthority } from '../../support/people/person.ts'
import { ADULT, CALLBACK, openLoginBrowser, registerClient } from '../../support/service/login.ts'
import { BASE_URL, expectStatus } from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'
import { answer, login, redeem, request, respond } from './openid-login.ts'

const stage = useStage()

/** Begins a login, lets something happen, and returns what the client gets. */
async function endOf(
  happen: (login: { readonly id: string; readonly link: () => Promise<string> }) => Promise<unknown>,
  members: object = {},
) {
  const made = await request(stage, await registerClient(stage.rp, members))
  const browser = openLoginBrowser(stage.service)
  const begun = await browser.start(await browser.begin(made.url.href))
  await happen({ id: begun.verification_id, link: () => browser.link(begun) })
  const { origin, pathname, searchParams } = await browser.finish(begun.finish)
  expect([origin + pathname, searchParams.get('state')]).toEqual([CALLBACK, made.state])
  expect(searchParams.has('code')).toBe(false)
  return [searchParams.get('error'), searchParams.get('error_description')]
}

const sandbox = (id: string, reason: string) =>
  stage.rp.call('POST', `/v1/test/verify/${id}/outcome`, { body: { reason } })

describe('without a success, the client gets', () => {
  it('access_denied if the person declined', async () => {
    const end = await endOf(async ({ link }) => {
      const received = await stage.service.wallet.receive(await link())
      await stage.service.wallet.decline(received, 'access_denied')
    })
    expect(end).toEqual(['access_denied', 'access_denied'])
  })

  it('access_denied with the reason if the policy is not satisfied', async () => {
    const end = await endOf(({ link }) =>
      link().then((uri) => respond(stage, uri, { telling: { claims: { age_over_18: false } } })),
    )
    expect(end).toEqual(['access_denied', 'predicate_false'])
  })

  it('access_denied if the relying party canceled the session', async () => {
    const end = await endOf(({ id }) => stage.rp.call('POST', `/v1/verify/${id}/cancel`))
    expect(end).toEqual(['access_denied', 'canceled_by_relying_party'])
  })

  it('access_denied if the session expired, and a later response changes nothing', async () => {
    const end = await endOf(async ({ id, link }) => {
      const received = await stage.service.wallet.receive(await link())
      await sandbox(id, 'session_expired')
      const late = await stage.service.wallet.present(received, await ageOf(stage.person, received))
      expect([409, 410]).toContain(late.status)
    })
    expect(end).toEqual(['access_denied', 'session_expired'])
  })

  it('temporarily_unavailable if the session expired because the status of a credential could not be checked', async () => {
    const status = { status_list: { idx: 0, uri: 'https://127.0.0.1/status' } }
    const end = await endOf(async ({ id, link }) => {
      const received = await stage.service.wallet.receive(await link())
      const presentations = await ageOf(stage.person, received, { claims: { status } })
      expect((await stage.service.wallet.present(received, presentations)).status).toBe(503)
      await sandbox(id, 'session_expired')
    })
    expect(end).toEqual(['temporarily_unavailable', 'status_unavailable'])
  })

  it('no response while the session is pending, and the browser returns to the login page', async () => {
    const { url } = await request(stage, await registerClient(stage.rp))
    const browser = openLoginBrowser(stage.service)
    const begun = await browser.start(await browser.begin(url.href))
    const page = await browser.finish(begun.finish)
    expect(page.pathname).toBe(new URL(begun.page).pathname)
    expect((await browser.visit(page.href)).status).toBe(200)
  })
})

describe('an error before the login page opens', () => {
  const CASES: [string, Readonly<Record<string, string>>, string][] = [
    ['prompt=none', { prompt: 'none' }, 'login_required'],
    ['a scope without openid', { scope: 'profile' }, 'invalid_scope'],
    ['an unknown scope', { scope: 'openid unknown' }, 'invalid_scope'],
    ['an unsupported response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['a Request Object in the parameter request', { request: 'e30.e30.' }, 'request_not_supported'],
    [
      'a request_uri that was not pushed',
      { request_uri: 'https://client.example/r' },
      'request_uri_not_supported',
    ],
    ['claims that are not JSON', { claims: 'given_name' }, 'invalid_request'],
    [
      'claims with an acr that is no text',
      { claims: JSON.stringify({ id_token: { acr: { essential: true, values: [1] } } }) },
      'invalid_request',
    ],
    [
      'claims with a sub that is no text',
      { claims: JSON.stringify({ userinfo: { sub: { value: null } } }) },
      'invalid_request',
    ],
    [
      'claims with a list of conditions on the acr',
      { claims: JSON.stringify({ id_token: { acr: [{ essential: true, value: 'urn:example:gold' }] } }) },
      'invalid_request',
    ],
    [
      'an essential acr under userinfo that is no level',
      { claims: JSON.stringify({ userinfo: { acr: { essential: true, value: 'urn:example:gold' } } }) },
      'unmet_authentication_requirements',
    ],
    ['id_token_hint', { id_token_hint: 'e30.e30.' }, 'invalid_request'],
    ['id_token_hint with prompt=none', { id_token_hint: 'e30.e30.', prompt: 'none' }, 'login_required'],
    ['an unsupported response_mode', { response_mode: 'fragment' }, 'invalid_request'],
    [
      'an unknown pushed request',
      { request_uri: 'urn:ietf:params:oauth:request_uri:none' },
      'invalid_request_uri',
    ],
    [
      'an essential acr that is no level',
      { claims: JSON.stringify({ id_token: { acr: { essential: true, value: 'urn:example:gold' } } }) },
      'unmet_authentication_requirements',
    ],
  ]

  it.each(CASES)('in live mode is sent to the client: %s', async (_, parameters, error) => {
    const rp = await relyingPartyOf(stage, { livemode: true, webhook: null })
    const { url } = await request(stage, await registerClient(rp))
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    const browser = openLoginBrowser(stage.service)
    const { origin, pathname, searchParams } = await browser.finish(url.href)
    expect([origin + pathname, searchParams.get('error')]).toEqual([CALLBACK, error])
    expect(searchParams.get('iss')).toContain(rp.relying_party_id)
  })

  it('in live mode with form_post is sent to the client by a form in the language of ui_locales', async () => {
    const rp = await relyingPartyOf(stage, { livemode: true, webhook: null })
    const parameters = { response_mode: 'form_post', ui_locales: 'fr', scope: 'openid unknown' }
    const { url, state } = await request(stage, await registerClient(rp), { parameters })
    const response = await stage.service.fetch(url.href, { headers: { 'Accept-Language': 'it' } })
    const text = await response.text()
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])
    expect(text).toContain('<html lang="fr" dir="ltr">')
    expect(text).toContain(`<form method="post" action="${CALLBACK}">`)
    expect(text).toContain('name="error" value="invalid_scope"')
    expect(text).toContain(`name="state" value="${state}"`)
    expect(text).not.toContain('name="code"')
  })

  it.each(CASES)(
    'in test mode is shown on a page of the service, with a link that names the client’s host: %s',
    async (_, parameters, error) => {
      const { url } = await request(stage, await registerClient(await relyingPartyOf(stage)))
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      const response = await stage.service.fetch(url.href)
      const text = (await response.text()).replace(/[\u2068\u2069]/g, '')
      expect([response.status, response.headers.get('Location')]).toEqual([400, null])
      expect(text).toContain(`href="${CALLBACK}?error=${error}`)
      expect(text).toContain('Continue to client.example')
    },
  )

  it('is shown on a page without a link if the client or the relying party is unknown', async () => {
    const { url } = await request(stage, await registerClient(stage.rp))
    const unknown = new URL(url)
    unknown.searchParams.set('client_id', 'oc_00000000000000000000000000000000')
    const other = `/oidc/rp_${'A'.repeat(43)}/authorize${url.search}`
    for (const address of [unknown.href, other]) {
      const response = await stage.service.fetch(address, { headers: { 'Accept-Language': 'fr' } })
      const text = await response.text()
      expect([response.status, text.includes('Cette connexion'), text.includes('<a ')]).toEqual([
        400,
        true,
        false,
      ])
    }
  })
})

describe('an essential acr above the required level', () => {
  const LIVE = { livemode: true, webhook: null }
  const essential = (level: string) => ({
    claims: JSON.stringify({
      id_token: { acr: { essential: true, value: `urn:wallet-verifier:assurance:${level}` } },
    }),
  })

  /** A live relying party. The issuer of the test's person is of `level`, and another one of `other`. */
  async function trusting(level: string, other: string) {
    const another = await makeAuthority('https://another.example')
    const anchors = [
      stage.authority.anchor({ assurance_level: level }),
      another.anchor({ name: 'Another issuer', assurance_level: other }),
    ]
    return relyingPartyOf(stage, { ...LIVE, trust_anchors: anchors })
  }

  it('ends the login before the login page opens if no trusted issuer has this level', async () => {
    const registered = await registerClient(await trusting('substantial', 'low'))
    const { url } = await request(stage, registered, { parameters: essential('high') })
    const response = await openLoginBrowser(stage.service).visit(url.href)
    const { searchParams } = new URL(response.headers.get('Location') ?? '')
    expect(searchParams.get('error')).toBe('unmet_authentication_requirements')
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it('is in the ID token if the presented credential has this level', async () => {
    const registered = await registerClient(await trusting('substantial', 'low'))
    const { claims } = await login(stage, registered, { parameters: essential('substantial') })
    expect(claims.acr).toBe('urn:wallet-verifier:assurance:substantial')
  })

  it.each(['page', 'relying_party'])(
    'ends the login without a code if a trusted issuer has this level but the credential does not (session binding %s)',
    async (required_session_binding) => {
      const rp = await trusting('substantial', 'high')
      const registered = await registerClient(rp, { policies: [{ ...ADULT, required_session_binding }] })
      const made = await request(stage, registered, { parameters: essential('high') })
      const { searchParams } = await answer(stage, openLoginBrowser(stage.service), made.url.href)
      expect(Object.fromEntries(searchParams)).toEqual({
        error: 'unmet_authentication_requirements',
        error_description: 'assurance_level_too_low',
        state: made.state,
        iss: registered.issuer,
      })
    },
  )
})

describe('binding and devices', () => {
  it('a registration has the defaults cross_device false and session binding page in live mode, but cross_device true and session binding none in test mode', async () => {
    const rp = await relyingPartyOf(stage, { livemode: true, webhook: null })
    const live = await registerClient(rp)
    const test = await registerClient(stage.rp)
    expect([live.cross_device, test.cross_device]).toEqual([false, true])
    expect(live.policies).toMatchObject([{ required_session_binding: 'page' }])
    expect(test.policies).toMatchObject([{ required_session_binding: 'none' }])
  })

  it('a response from a wallet on another device has the session_binding none', async () => {
    const made = await request(stage, await registerClient(stage.rp))
    const browser = openLoginBrowser(stage.service)
    const begun = await browser.start(await browser.begin(made.url.href))
    const view = await stage.rp.call('GET', `/v1/verify/${begun.verification_id}/openid4vp`)
    const { wallet_request } = (await view.json()) as { wallet_request: { uri: string } }
    await respond(stage, wallet_request.uri)
    const { claims } = await redeem(made, await browser.finish(begun.finish))
    expect(claims).toMatchObject({ age_over_18: true, session_binding: 'none' })
    expect(await stage.rp.poll(begun.verification_id)).toMatchObject({ session_binding: 'none' })
  })

  it('the Digital Credentials API works in the browser that began the login, not in another browser or on a relying party’s page', async () => {
    const rp = await relyingPartyOf(stage, { origins: ['https://shop.example'] })
    const made = await request(stage, await registerClient(rp))
    const browser = openLoginBrowser(stage.service)
    const begun = await browser.begin(made.url.href)
    const path = `/v1/verify/${begun.verification_id}/dc-api`
    const stranger = openLoginBrowser(stage.service)
    expect((await stranger.post(`${path}/request`, {}, begun.token)).status).toBe(404)
    const first = await browser.post(`${path}/request`, {}, begun.token)
    expect((await stranger.post(`${path}/request`, {}, begun.token)).status).toBe(404)
    const ofShop = await rp.call('POST', `${path}/request`, { body: { origin: 'https://shop.example' } })
    expect(await expectStatus(ofShop, 409)).toMatchObject({ code: 'dc_api_not_offered' })

    const asked = await expectStatus(first, 200)
    const { requests } = (asked as { digital: { requests: readonly DigitalRequest[] } }).digital
    const signed = requests.find(({ protocol }) => protocol === 'openid4vp-v1-signed')!
    const device = { origin: BASE_URL, ...stage.service }
    const received = await receiveDigital(signed, device)
    const presentations = await ageOf(stage.person, received, { audience: `origin:${BASE_URL}` })
    const credential = await respondDigital(received, presentations, device)
    expect((await stranger.post(path, credential, begun.token)).status).toBe(404)
    const sent = await expectStatus(await browser.post(path, credential, begun.token), 200)
    const { return_url } = sent as { return_url: string }
    const { claims } = await redeem(made, await browser.finish(return_url))
    expect(claims).toMatchObject({ age_over_18: true, session_binding: 'relying_party' })
  })

  it('a session whose policy requires session binding relying_party is verified only when the client redeems the code', async () => {
    const policy = {
      name: 'bound',
      credential_types: ['age_attestation'],
      scope: ['age_over_18'],
      required_session_binding: 'relying_party',
    }
    const made = await request(stage, await registerClient(stage.rp, { policies: [policy] }))
    const response = await answer(stage, openLoginBrowser(stage.service), made.url.href)
    const [id = ''] = (response.searchParams.get('code') ?? '').split('.')
    expect(await stage.rp.poll(`v_${id}`)).toMatchObject({ status: 'pending', stage: 'awaiting_return' })
    const { claims } = await redeem(made, response)
    expect(claims.session_binding).toBe('relying_party')
    expect(await stage.rp.poll(`v_${id}`)).toMatchObject({
      status: 'verified',
      session_binding: 'relying_party',
    })
    const refused = { name: 'Shop', redirect_uris: [CALLBACK], policies: [policy] }
    const body = { ...refused, token_endpoint_auth_method: 'none' }
    expect((await stage.rp.call('POST', '/v1/oidc_clients', { body })).status).toBe(400)
  })
})
