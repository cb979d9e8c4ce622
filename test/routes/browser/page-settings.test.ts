// What the session page shows from settings and creation: the lines about the request, the page for people
// without a wallet, and no way that no wallet can answer.

import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { createSession, setUp } from '../../session/driver.ts'
import { call } from '../edge/edge-app.ts'
import { newClient, openPage } from '../oidc/login-world.ts'

const app = createApp()
const BASE = 'https://verifier.example'
const RETURN = 'https://shop.example/done'
const OTHER = 'https://shop.example/other-ways'

async function page({ session_url }: { session_url: string }): Promise<string> {
  const response = await call(app, 'GET', session_url.replace(BASE, ''))
  return (await response.text()).replaceAll(/[\u2068\u2069]/g, '')
}

/** Returns the address of the link "Show it another way"; undefined without this link. */
function alternativeOf(html: string): string | undefined {
  return /<a id="alternative" href="([^"]*)"/.exec(html)?.[1]
}

const KEY = await exportJWK((await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })).publicKey)

describe('"About this request" on the session page', () => {
  it('has lines with values from the settings and the create request', async () => {
    const setting = await setUp({
      name: 'Shop',
      return_urls: [RETURN],
      retention_seconds: 7200,
      privacy_policy_uri: 'https://shop.example/privacy#wallets',
    })
    const html = await page(await createSession(setting, { return_url: RETURN }))
    expect(html).toContain('Afterwards you return to shop.example.')
    expect(html).toContain('Shop gets only yes or no')
    expect(html).toContain('for 2 hours after the end')
    expect(html).toContain('<a href="https://shop.example/privacy#wallets" target="_blank" rel="noopener">')
    expect(html).not.toMatch(/states that it|registration certificate/)
  })

  it.each([
    ['an age only', ['age_over_18'], 'gets only yes or no'],
    ['a name', ['age_over_18', 'family_name'], 'gets the values of these items'],
  ])(
    'says which data leaves the service if the claims are encrypted to the relying party: %s',
    async (_, scope, words) => {
      const setting = await setUp({ claims_encryption_jwk: KEY, values_retention_days: 90 }, [], ['pid'])
      const body = { credential_types: ['pid'], scope }
      const html = await page(await createSession(setting, { ...body, intent_to_retain: false }))
      expect(html).toContain(words)
      expect(html).toContain('stores the values only in encrypted form')
      expect(html.includes('states that it will not store the values')).toBe(scope.length > 1)
      expect(html).not.toContain('90 days')
      const other = await page(await createSession(setting, body))
      expect(other.includes('how long it will store the values: 90 days.')).toBe(scope.length > 1)
    },
  )

  it('says that the relying party keeps the shared values as evidence, even if only an age is requested', async () => {
    const evidence = { jwks: { keys: [{ ...KEY, kid: 'archive' }] } }
    const setting = await setUp({ name: 'Bank', evidence })
    const html = await page(await createSession(setting, { evidence: true }))
    expect(html).toContain('Bank keeps what your wallet app shares as evidence of this verification.')
    expect(html).toContain('gets the values of these items')
    expect(html).toContain('stores the values only in encrypted form')
    expect(html).not.toMatch(/only yes or no|does not store the values/)
    expect(await page(await createSession(setting))).not.toContain('as evidence')
  })
})

describe('the page for people without a wallet', () => {
  it('has the address of the create request, or else of the settings, and is not offered if neither has an address', async () => {
    const setting = await setUp({ return_urls: [RETURN], alternative_url: OTHER })
    expect(alternativeOf(await page(await createSession(setting)))).toBe(OTHER)
    const own = await createSession(setting, { alternative_url: RETURN })
    expect(alternativeOf(await page(own))).toBe(RETURN)
    expect(alternativeOf(await page(await createSession(await setUp())))).toBeUndefined()
  })

  it('is refused in a create request if the settings do not have its address', async () => {
    const setting = await setUp({ return_urls: [RETURN], alternative_url: OTHER })
    expect((await createSession(setting, { alternative_url: OTHER })).status).toBe('pending')
    const refused = createSession(setting, { alternative_url: 'https://evil.example/' })
    await expect(refused).rejects.toThrow('/alternative_url')
  })

  it('is not offered on the page of a login, because a login must end at its client', async () => {
    const { id, token, cookies } = await openPage(await newClient(await setUp({ alternative_url: OTHER })))
    const html = await (
      await call(app, 'GET', `/s/${id}?token=${token}`, { headers: { Cookie: cookies } })
    ).text()
    expect(html).toContain('id="about"')
    expect(alternativeOf(html)).toBeUndefined()
  })
})

describe('the button for an iPhone', () => {
  const BOTH = { formats: ['dc+sd-jwt', 'mso_mdoc'] }

  it.each([
    ['in live mode is offered for an age, which the EU age app answers', true, 'age_attestation', true],
    ['in live mode is not offered for a PID, which no iPhone app answers there', true, 'pid', false],
    ['in test mode is offered for a PID, which a test wallet answers', false, 'pid', true],
  ])('the button for an iPhone %s', async (_, livemode, type, isOffered) => {
    const setting = await setUp({ livemode }, [], [type])
    const html = await page(await createSession(setting, { ...BOTH, credential_types: [type] }))
    expect(html).toContain('<button id="dc-api"')
    expect(html.includes('<button id="dc-api-iphone"')).toBe(isOffered)
    expect(html).toContain(`&quot;dc_api_iphone&quot;:${isOffered}`)
  })
})
