// The page of the test wallet (api/sandbox): the displayed request, and the result of each response.
// Unavailable in live mode.

import { describe, expect, it } from 'vitest'
import { expectStatus, OVER_18 } from '../../support/service/service.ts'
import { useStage } from '../../support/service/stage.ts'
import { PAYMENT } from '../../support/service/transaction-data.ts'

const stage = useStage()

const addressOf = (uri: string) => `/test/wallet?uri=${encodeURIComponent(uri)}`

async function open(uri: string, status = 200): Promise<string> {
  const response = await stage.service.fetch(addressOf(uri))
  expect(response.status).toBe(status)
  return response.text()
}

/** Posts the page's form. */
function respond(uri: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ uri, reason: '', ...fields }).toString()
  return stage.service.fetch(addressOf(uri), { method: 'POST', headers, body })
}

describe('the page of the test wallet', () => {
  it('shows the verifier, and the claims of each suitable credential', async () => {
    const { wallet_request } = await stage.rp.create({
      ...OVER_18,
      credential_types: ['age_attestation', 'pid'],
      formats: ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'],
    })
    const page = await open(wallet_request.uri)
    for (const shown of [
      'verifier.example asks you to show',
      'urn:eu.europa.ec.av:1',
      'urn:eudi:pid:1',
      'age_over_18',
    ]) {
      expect(page).toContain(shown)
    }
    expect(
      page.match(/<input type="radio" name="credential" value="[^"]+ (dc\+sd-jwt|mso_mdoc|jwt_vc_json)"/g),
    ).toHaveLength(6)
  })

  it('sends no referrer and runs no script', async () => {
    const { wallet_request } = await stage.rp.create()
    const { headers } = await stage.service.fetch(addressOf(wallet_request.uri))
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]+; img-src data:;/,
    )
    expect(headers.get('content-security-policy')).not.toContain('script')
  })

  it('presents a credential, and follows the verifier’s redirect', async () => {
    const { verification_id, wallet_request } = await stage.rp.create()
    const shared = await respond(wallet_request.uri, { credential: 'age_attestation-mso_mdoc mso_mdoc' })
    expect(shared.status).toBe(303)
    expect(shared.headers.get('location')).toContain(`/v1/verify/${verification_id}/return#response_code=`)
    expect(await stage.rp.poll(verification_id)).toMatchObject({ status: 'verified', format: 'mso_mdoc' })
  })

  it('presents two credentials if two are required', async () => {
    const types = { credential_types: ['age_attestation', 'pid'], credential_match: 'all' }
    const { verification_id, wallet_request } = await stage.rp.create({ ...OVER_18, ...types })
    expect(await open(wallet_request.uri)).not.toContain('type="radio"')
    expect((await respond(wallet_request.uri, {})).status).toBe(303)
    expect((await stage.rp.poll(verification_id)).credentials).toHaveLength(2)
  })

  it('declines a request', async () => {
    const { verification_id, wallet_request } = await stage.rp.create()
    expect((await respond(wallet_request.uri, { decline: '1' })).status).toBe(303)
    expect((await stage.rp.poll(verification_id)).status).toBe('declined')
  })

  it('sends a wrong response, shows the refusal, and can still respond correctly', async () => {
    const { verification_id, wallet_request } = await stage.rp.create()
    const refused = await respond(wallet_request.uri, { reason: 'untrusted_issuer', mistake: '1' })
    expect(refused.status).toBe(422)
    const page = await refused.text()
    expect(page).toMatch(/of an untrusted issuer[\s\S]*HTTP 400/)
    expect(page).toContain('<details open>')
    expect(page).toContain('<option value="untrusted_issuer" selected>')
    expect(await stage.rp.poll(verification_id)).toMatchObject({
      status: 'pending',
      attempts: [{ reason: { code: 'untrusted_issuer' } }],
    })
    // *Share* responds correctly, whatever the list of mistakes shows.
    expect((await respond(wallet_request.uri, { reason: 'untrusted_issuer' })).status).toBe(303)
    expect((await stage.rp.poll(verification_id)).status).toBe('verified')
  })

  it('shows the chosen credential and folds the others, and keeps the choice after a wrong response', async () => {
    const { wallet_request } = await stage.rp.create({ ...OVER_18, formats: ['dc+sd-jwt', 'mso_mdoc'] })
    const first = /name="credential" value="([^"]+)" checked>/
    const page = await open(wallet_request.uri)
    expect(page).toContain('<summary>Other credentials (1)</summary>')
    expect(first.exec(page)?.[1]).toContain('dc+sd-jwt')
    const [other = ''] = /age_attestation-mso_mdoc mso_mdoc/.exec(page) ?? []
    const refused = await respond(wallet_request.uri, {
      credential: other,
      reason: 'nonce_mismatch',
      mistake: '1',
    })
    expect(first.exec(await refused.text())?.[1]).toBe(other)
  })

  it('shows transaction data, and offers only the wrong responses that the request allows', async () => {
    const pay = { ...OVER_18, formats: ['dc+sd-jwt'], transaction_data: [PAYMENT] }
    const { wallet_request } = await stage.rp.create(pay)
    const page = await open(wallet_request.uri)
    expect(page).toContain('€12.50 to <bdi>Shöp &amp; Söhne</bdi>')
    expect(page).toContain('(transaction_data_mismatch)')
    expect(page).not.toContain('(unexpected_encryption)')
    expect(await open((await stage.rp.create()).wallet_request.uri)).not.toContain(
      '(transaction_data_mismatch)',
    )
  })

  it('escapes text of the request', async () => {
    const uri = `openid4vp://?${new URLSearchParams({
      client_id: '<script>1</script>',
      nonce: 'n',
      response_uri: 'https://verifier.example/callback',
      dcql_query: JSON.stringify({
        credentials: [
          { id: '"><b>', format: 'dc+sd-jwt', meta: { vct_values: ['<i>'] }, claims: [{ path: ['<u>'] }] },
        ],
      }),
    })}`
    expect(await open(uri)).not.toMatch(/<(script|b|i|u)>/)
  })

  it.each([
    '',
    'nonsense',
    'openid4vp://?request_uri=https://verifier.example/r/none',
    'openid4vp://?request_uri=https://other.example/r',
  ])('shows no request at the address %j', async (uri) => {
    expect(await open(uri, 404)).toContain('There is no request to answer')
    expect((await respond(uri, {})).status).toBeGreaterThanOrEqual(404)
  })
})

it('the test wallet does not fetch a request from its own page', async () => {
  const own = 'openid4vp://?request_uri=https://verifier.example/test/wallet?uri=nonsense'
  expect((await open(own, 404)).match(/There is no request to answer/g)).toHaveLength(1)
})

/** Creates a relying party in live mode that trusts the stage's authority. */
function liveParty() {
  return stage.service.relyingParty({ livemode: true, trust_anchors: [stage.authority.anchor()] })
}

describe('the session page', () => {
  it('links to the test wallet with the request of its QR code, in test mode only', async () => {
    const { session_url, verification_id } = await stage.rp.create()
    const page = await (await stage.service.fetch(session_url)).text()
    const [, address = ''] = /id="test-wallet" href="([^"]+)"/.exec(page) ?? []
    const uri = decodeURIComponent(address.replace('/test/wallet?uri=', ''))
    expect((await respond(uri, {})).status).toBe(303)
    expect((await stage.rp.poll(verification_id)).status).toBe('verified')

    const live = await liveParty()
    const created = await live.create()
    expect(await (await stage.service.fetch(created.session_url)).text()).not.toContain('id="test-wallet"')
  })

  it('links to the test wallet by a script if the session requires a browser', async () => {
    const { session_url } = await stage.rp.create({ ...OVER_18, required_session_binding: 'page' })
    const page = await (await stage.service.fetch(session_url)).text()
    expect(page).toContain('<a id="test-wallet" hidden')
  })
})

it('the test wallet cannot fetch a request of a relying party in live mode', async () => {
  const live = await liveParty()
  const { verification_id, wallet_request } = await live.create()
  expect(await open(wallet_request.uri, 404)).toContain('There is no request to answer')
  expect((await respond(wallet_request.uri, { decline: '1' })).status).toBe(404)
  expect(await live.poll(verification_id)).toMatchObject({
    status: 'pending',
    stage: 'created',
    attempts: [],
  })
  const other = await stage.service.fetch(wallet_request.request_uri)
  expect(other.status).toBe(200)
  await expectStatus(await live.call('POST', `/v1/verify/${verification_id}/cancel`), 200)
})
