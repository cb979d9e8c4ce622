// api/dc-api, the Digital Credentials API: on our page and on the relying party's, signed and unsigned,
// encrypted and plain.

import { describe, expect, it } from 'vitest'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import type { DigitalRequest } from '../../support/linters/dc-api-linter.ts'
import { receiveDigital, respondDigital } from '../../support/people/dc-api-wallet.ts'
import { ageOf, certified, type Telling } from '../../support/people/person.ts'
import {
  BASE_URL,
  type CreatedSession,
  expectStatus,
  OVER_18,
  type RelyingParty,
} from '../../support/service/service.ts'
import { eventOf, relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const SHOP = 'https://shop.example'

type RequestOptions = {
  readonly digital: { readonly requests: readonly DigitalRequest[] }
  readonly expires_at: string
}

/** A page that can use the API: its origin, and a function that posts below the session. */
type Page = {
  readonly origin: string
  readonly post: (path: string, body: unknown) => Promise<Response>
}

/** Our own page in a separate browser. */
function ourPage({ verification_id, client_token }: CreatedSession): Page {
  let cookie = ''
  const post = async (path: string, body: unknown) => {
    const response = await stage.service.fetch(`/v1/verify/${verification_id}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Origin: BASE_URL,
        Cookie: cookie,
        Authorization: `Bearer ${client_token}`,
      },
      body: JSON.stringify(body),
    })
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    return response
  }
  return { origin: BASE_URL, post }
}

/** A page of the relying party, whose server calls the service. */
function shopPage(rp: RelyingParty, { verification_id }: CreatedSession): Page {
  const post = (path: string, body: unknown) =>
    rp.call('POST', `/v1/verify/${verification_id}${path}`, { body })
  return { origin: SHOP, post }
}

const shop = () => relyingPartyOf(stage, { origins: [SHOP] })

async function ask(page: Page): Promise<readonly DigitalRequest[]> {
  const asked = (await expectStatus(await page.post('/dc-api/request', {}), 200)) as RequestOptions
  return asked.digital.requests
}

/** Returns the credential that a browser on the page's origin creates for a request, with one change. */
async function credentialFor(
  request: DigitalRequest,
  page: Page,
  telling: Telling & { origin?: string } = {},
) {
  const browser = { origin: page.origin, ...stage.service }
  const received = await receiveDigital(request, browser)
  const audience = `origin:${telling.origin ?? page.origin}`
  return respondDigital(received, await ageOf(stage.person, received, { audience, ...telling }), browser)
}

const MODES = ['direct_post.jwt', 'direct_post'] as const
const PROTOCOLS = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'] as const
const CELLS = MODES.flatMap((mode) => PROTOCOLS.map((protocol) => [protocol, mode] as const))

describe.each(CELLS)('%s with %s', (protocol, response_mode) => {
  const request = { ...OVER_18, request_options: { response_mode } }

  it('the service verifies a response from the session page, and the session is bound to the browser of the page', async () => {
    const session = await stage.rp.create(request)
    const page = ourPage(session)
    const asked = (await ask(page)).find((one) => one.protocol === protocol)
    const sent = await page.post('/dc-api', await credentialFor(asked as DigitalRequest, page))
    expect(await expectStatus(sent, 200)).toEqual({ object: 'browser_return', return_url: null })
    const poll = await stage.rp.poll(session.verification_id)
    expect(poll).toMatchObject({ status: 'verified', channel: 'dc_api', session_binding: 'page' })
    const { event } = await eventOf(stage, session.verification_id)
    expect(event).toMatchObject({ status: 'verified', channel: 'dc_api', session_binding: 'page' })
  })

  it('the service verifies a response from a page of the relying party, and the session is bound to this page', async () => {
    const rp = await shop()
    const session = await rp.create(request)
    const page = shopPage(rp, session)
    const asked = (await ask(page)).find((one) => one.protocol === protocol)
    const sent = await page.post('/dc-api', await credentialFor(asked as DigitalRequest, page))
    expect(await expectStatus(sent, 200)).toMatchObject({
      status: 'verified',
      channel: 'dc_api',
      session_binding: 'relying_party',
    })
  })
})

it.each(PROTOCOLS)(
  'HAIP §5.2, H10: the service verifies an issuer with a certificate chain in the Digital Credentials API: %s',
  async (protocol) => {
    const pki = await mintIssuerPki()
    const { name, credential_types, assurance_level } = stage.authority.anchor()
    const anchor = { name, credential_types, assurance_level, x509_ca_pem: pki.root.pem }
    const rp = await relyingPartyOf(stage, { origins: [SHOP], trust_anchors: [anchor] })
    const page = shopPage(rp, await rp.create({ ...OVER_18, protocol: 'haip-1.0' }))
    const request = (await ask(page)).find((one) => one.protocol === protocol) as DigitalRequest
    const credential = await credentialFor(request, page, certified(pki))
    expect(Object.keys(credential.data as object)).toEqual(['response'])
    const sent = await page.post('/dc-api', credential)
    expect(await expectStatus(sent, 200)).toMatchObject({ status: 'verified', protocol: 'haip-1.0' })
  },
)

describe('a response', () => {
  async function begin() {
    const rp = await shop()
    const session = await rp.create(OVER_18)
    const page = shopPage(rp, session)
    const [request] = await ask(page)
    return { rp, session, page, request: request as DigitalRequest }
  }

  it.each<[string, Telling & { origin?: string }, string]>([
    ['for another origin', { origin: 'https://evil.example' }, 'audience_mismatch'],
    ['for the client id', { audience: 'x509_hash:abc' }, 'audience_mismatch'],
    ['for the bare origin', { audience: SHOP }, 'audience_mismatch'],
    ['with another nonce', { nonce: '0'.repeat(32) }, 'nonce_mismatch'],
  ])(
    'a response %s is refused with its reason, and the session stays pending',
    async (_, telling, reason) => {
      const { rp, session, page, request } = await begin()
      const bad = await page.post('/dc-api', await credentialFor(request, page, telling))
      expect(await expectStatus(bad, 400)).toMatchObject({
        code: 'presentation_refused',
        errors: [{ pointer: '/data', code: reason }],
      })
      expect((await rp.poll(session.verification_id)).status).toBe('pending')
      const good = await page.post('/dc-api', await credentialFor(request, page))
      expect(await expectStatus(good, 200)).toMatchObject({ status: 'verified' })
    },
  )

  it('is accepted only from the page that got the request, and is refused at the callback', async () => {
    const { rp, session, page, request } = await begin()
    const credential = await credentialFor(request, page)
    const elsewhere = ourPage(session)
    expect((await elsewhere.post('/dc-api', credential)).status).toBe(400)
    const callback = await stage.service.fetch(`/v1/verify/${session.verification_id}/callback`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams(credential.data as Record<string, string>)}`,
    })
    expect(callback.status).toBe(400)
    expect((await rp.poll(session.verification_id)).status).toBe('pending')
    expect((await page.post('/dc-api', credential)).status).toBe(200)
  })

  it('is refused if one browser got the request and another browser sends the response', async () => {
    const session = await stage.rp.create(OVER_18)
    const [first, second] = [ourPage(session), ourPage(session)]
    const [request] = await ask(first)
    await ask(second)
    const credential = await credentialFor(request as DigitalRequest, first)
    const refused = await expectStatus(await second.post('/dc-api', credential), 400)
    expect(refused).toMatchObject({ code: 'presentation_refused', errors: [] })
  })

  it('gets the same result if it is sent again, and a different response is refused as too late', async () => {
    const { page, request } = await begin()
    const credential = await credentialFor(request, page)
    expect((await page.post('/dc-api', credential)).status).toBe(200)
    expect((await page.post('/dc-api', credential)).status).toBe(200)
    const other = await page.post('/dc-api', await credentialFor(request, page))
    expect(await expectStatus(other, 409)).toMatchObject({ code: 'verification_already_terminal' })
  })

  it('a response with access_denied ends the session; any other error is recorded as an attempt', async () => {
    const { rp, session, page } = await begin()
    const protocol = 'openid4vp-v1-signed'
    const failed = await page.post('/dc-api', { protocol, data: { error: 'invalid_request' } })
    expect(await expectStatus(failed, 200)).toMatchObject({ status: 'pending' })
    const denied = await page.post('/dc-api', { protocol, data: { error: 'access_denied' } })
    expect(await expectStatus(denied, 200)).toMatchObject({ status: 'declined' })
    expect((await rp.poll(session.verification_id)).attempts).toHaveLength(1)
  })
})

describe('required_session_binding', () => {
  it('keeps the session pending with the value relying_party until the relying party redeems the return code', async () => {
    const return_url = 'https://shop.example/done'
    const rp = await relyingPartyOf(stage, { return_urls: [return_url] })
    const session = await rp.create({ ...OVER_18, required_session_binding: 'relying_party', return_url })
    const page = ourPage(session)
    const [request] = await ask(page)
    const sent = await page.post('/dc-api', await credentialFor(request as DigitalRequest, page))
    const { return_url: next } = (await expectStatus(sent, 200)) as { return_url: string }
    expect((await rp.poll(session.verification_id)).status).toBe('pending')
    const return_code = new URL(next).searchParams.get('return_code')
    const redeemed = await rp.call('POST', `/v1/verify/${session.verification_id}/return`, {
      body: { return_code },
    })
    expect(await expectStatus(redeemed, 200)).toMatchObject({
      status: 'verified',
      session_binding: 'relying_party',
    })
  })
})

describe('a request for the Digital Credentials API', () => {
  it("is refused unless it names an origin from the relying party's settings", async () => {
    const rp = await relyingPartyOf(stage, { origins: [SHOP, 'https://other.example'] })
    const session = await rp.create(OVER_18)
    const path = `/v1/verify/${session.verification_id}/dc-api/request`
    for (const body of [
      {},
      { origin: 'https://evil.example' },
      { origin: `${SHOP}/` },
      { origin: BASE_URL },
    ]) {
      const refused = await expectStatus(await rp.call('POST', path, { body }), 400)
      expect(refused).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/origin' }] })
    }
    const asked = (await expectStatus(
      await rp.call('POST', path, { body: { origin: SHOP } }),
      200,
    )) as RequestOptions
    await receiveDigital(asked.digital.requests[0] as DigitalRequest, {
      origin: SHOP,
      ...stage.service,
    })
  })

  it('a request for the Digital Credentials API with a client token is refused if it does not come from the session page', async () => {
    const session = await stage.rp.create(OVER_18)
    const send = (headers: Record<string, string>) =>
      stage.service.fetch(`/v1/verify/${session.verification_id}/dc-api/request`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: '{}',
      })
    const token = { Authorization: `Bearer ${session.client_token}` }
    expect((await send({})).status).toBe(401)
    for (const headers of [token, { ...token, Origin: 'https://evil.example' }]) {
      expect(await expectStatus(await send(headers), 403)).toMatchObject({ code: 'cross_site_request' })
    }
  })

  it('does not invalidate the request of a QR code', async () => {
    const session = await stage.rp.create(OVER_18)
    const received = await stage.service.wallet.receive(session.wallet_request.uri)
    const page = ourPage(session)
    for (let i = 0; i < 40; i++) await ask(page)
    expect((await respondWithAge(stage, received)).status).toBe(200)
  })
})
