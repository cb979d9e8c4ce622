// Logins by OpenID Connect in Chromium (api/logins). The client is `openid-client`, the wallet is a foreign
// wallet.

import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LANGUAGES } from '../../../src/session/views/page-language.ts'
import { type Request, redeem, request, respond } from '../../conformance/oidc/openid-login.ts'
import { DEVICES, describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { namesClient, pressLink, scanLogin, showCode } from '../../support/browser/login-page.ts'
import { LOGO } from '../../support/browser/logo.ts'
import { checkPage, overflowOf } from '../../support/browser/page-check.ts'
import { scan } from '../../support/browser/scan.ts'
import { type Front, startFront } from '../../support/service/front.ts'
import { CALLBACK, registerClient } from '../../support/service/login.ts'
import { type Receiver, startReceiver } from '../../support/service/receiver.ts'
import type { RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf, respondWithAge } from '../../support/service/stage.ts'

const HOST = new URL(CALLBACK).host

describeInBrowser('a login in a browser', () => {
  const client = useClientSite()
  const stage = useBrowserStage({ sites: () => ({ [HOST]: client.front }) })

  /** Opens the page of a login. Its client's page is at the end. */
  const begin = async ({ rp = stage.rp, parameters = {}, device = DEVICES.desktop }: Setup = {}) => {
    const made = await request(stage, await registerClient(rp), { parameters })
    const { page } = await stage.visitor({ ...device, reducedMotion: 'reduce' })
    await page.goto(made.url.href)
    await namesClient(page, 'Wine shop', HOST)
    return { page, made, id: new URL(page.url()).pathname.slice('/s/'.length) }
  }

  /** Waits until the browser is at the client. Returns the address. */
  const end = async (page: Page): Promise<URL> => {
    await page.waitForURL(`${CALLBACK}**`)
    await page.getByText('Welcome back.').waitFor()
    return new URL(page.url())
  }

  const errorAt = async (page: Page, made: Request) => {
    const { searchParams } = await end(page)
    expect([searchParams.get('state'), searchParams.has('code')]).toEqual([made.state, false])
    return [searchParams.get('error'), searchParams.get('error_description')]
  }

  it('shows the relying party, the client, and the host of its redirect_uri', async () => {
    const branding = { color: '#0f7a4d', logo: LOGO }
    const rp = await relyingPartyOf(stage, { name: 'Sparbank Musterstadt', branding })
    for (const [name, device] of Object.entries(DEVICES)) {
      const { page } = await begin({ rp, device })
      expect(await page.locator('img.logo').getAttribute('src')).toBe(LOGO)
      expect(await page.locator('h1').innerText()).toContain('Sparbank Musterstadt')
      expect(await page.evaluate(BRAND)).toBe(branding.color)
      await checkPage(page, `login-${name}`, { dark: true })
    }
  })

  it.each<[string, string, Readonly<Record<string, string>>, number]>([
    [
      'a page with a link to the client if the login cannot start',
      'login-failed',
      { scope: 'openid unknown' },
      1,
    ],
    ['a page without a link if the client is unknown', 'login-unknown', { client_id: 'unknown' }, 0],
  ])('shows %s', async (_, picture, parameters, links) => {
    const { url } = await request(stage, await registerClient(stage.rp))
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    for (const [name, device] of Object.entries(DEVICES)) {
      const { page } = await stage.visitor(device)
      await page.goto(url.href)
      await page.locator('main[data-state=login-failed]').waitFor()
      expect(await page.locator('main a').count()).toBe(links)
      expect(await page.locator('.mark path:visible').count()).toBe(1)
      await checkPage(page, `${picture}-${name}`)
    }
  })

  it('is shown in each language, and every text fits on a phone', async () => {
    const registered = await registerClient(stage.rp)
    const { page } = await stage.visitor({ ...DEVICES.phone, viewport: { width: 320, height: 640 } })
    for (const [index, ui_locales] of LANGUAGES.entries()) {
      const { url } = await request(stage, registered, { parameters: { ui_locales } })
      // The two pages take turns, so that each language costs one page.
      if (index % 2 === 1) url.searchParams.set('scope', 'openid unknown')
      await page.goto(url.href)
      expect(await page.locator('html').getAttribute('lang')).toBe(ui_locales)
      expect([ui_locales, await overflowOf(page)]).toEqual([ui_locales, 0])
    }
  })

  it('is shown as over in the same browser and in another browser after its code was redeemed', async () => {
    const { page, made, id } = await begin()
    await respondWithAge(stage, await stage.service.wallet.receive(await scanLogin(page)))
    await redeem(made, await end(page))
    const address = `${new URL(made.url).href.split('/authorize')[0]}/finish/${id}`
    const other = await stage.visitor(DEVICES.phone)
    for (const [name, one] of [['desktop', page] as const, ['phone', other.page] as const]) {
      await one.goto(address)
      await one.locator('main[data-state=login-over]').waitFor()
      expect(await one.locator('.mark path:visible').count()).toBe(1)
      await checkPage(one, `login-over-${name}`)
    }
  })

  it('ends at the client with a code for this browser, if browser and wallet are on one device', async () => {
    const rp = await relyingPartyOf(stage, { livemode: true, webhook: null })
    const { page, made } = await begin({ rp, device: DEVICES.phone })
    expect(await page.locator('#qr').count()).toBe(0)
    const redirectUri = await respond(stage, await pressLink(page))
    const back = await page.context().newPage()
    await back.goto(redirectUri)
    const { claims, userInfo } = await redeem(made, await end(back))
    expect(claims).toMatchObject({ age_over_18: true, session_binding: 'relying_party', livemode: true })
    expect(userInfo).toMatchObject({ sub: claims.sub, age_over_18: true })
    // The page that began does not continue, too.
    await page.locator('main[data-state=verified]').waitFor()
  })

  it('has no session until the person presses a button, even if the page is reloaded', async () => {
    for (const [press, device] of [
      [(page: Page) => showCode(page), DEVICES.desktop],
      [(page: Page) => pressLink(page), DEVICES.phone],
    ] as const) {
      const { page, id } = await begin({ device })
      await page.reload()
      await page.locator('main[data-state=waiting]').waitFor()
      const statusOf = async () => (await stage.rp.call('GET', `/v1/verify/${id}`)).status
      expect(await statusOf()).toBe(404)
      await press(page)
      expect(await statusOf()).toBe(200)
      // The page follows its session now, with and without a reload.
      await page.reload()
      await page.locator('#qr').waitFor({ state: 'attached' })
      await stage.rp.call('POST', `/v1/verify/${id}/cancel`)
      await end(page)
    }
  })

  it('shows each change of its session after the button is pressed, without a reload', async () => {
    const { page, made, id } = await begin({ device: DEVICES.phone })
    await pressLink(page)
    await stage.rp.call('POST', `/v1/verify/${id}/cancel`)
    expect(await errorAt(page, made)).toEqual(['access_denied', 'canceled_by_relying_party'])
  })

  it('returns an error to the client after a button press, if its settings were changed and now forbid the request', async () => {
    const rp = await relyingPartyOf(stage, { livemode: true, webhook: null })
    const registered = await registerClient(rp)
    const made = await request(stage, registered)
    const { page } = await stage.visitor({ ...DEVICES.phone, reducedMotion: 'reduce' })
    await page.goto(made.url.href)
    await namesClient(page, 'Wine shop', HOST)
    const body = { require_pushed_authorization_requests: true }
    const changed = await rp.call('PATCH', `/v1/oidc_clients/${registered.client_id}`, { body })
    expect(changed.status).toBe(200)
    await page.locator('#link').click()
    const [error] = await errorAt(page, made)
    expect(error).toBe('invalid_request')
  })

  it('stays the same login if the person goes back, or opens a pushed request again', async () => {
    const made = await request(stage, await registerClient(stage.rp), { pushed: true })
    const { page } = await stage.visitor({ ...DEVICES.desktop, reducedMotion: 'reduce' })
    await page.goto(made.url.href)
    const { pathname } = new URL(page.url())
    await showCode(page)
    await page.goBack()
    await page.goto(made.url.href)
    expect(new URL(page.url()).pathname).toBe(pathname)
    await respondWithAge(stage, await stage.service.wallet.receive(await scan(page)))
    expect((await redeem(made, await end(page))).claims.verification_id).toBe(pathname.slice('/s/'.length))
  })

  it('ends at the client without a click, if the wallet is on another device', async () => {
    const { page, made } = await begin()
    await respondWithAge(stage, await stage.service.wallet.receive(await scanLogin(page)))
    const { claims } = await redeem(made, await end(page))
    expect(claims).toMatchObject({ age_over_18: true, session_binding: 'none' })
  })

  it('ends at the client by form_post', async () => {
    const { page, made } = await begin({ parameters: { response_mode: 'form_post' } })
    await respondWithAge(stage, await stage.service.wallet.receive(await scanLogin(page)))
    await end(page)
    expect((await redeem(made, postedTo(client.site))).claims.age_over_18).toBe(true)
  })

  it('shows a button if the browser does not send the form of form_post automatically', async () => {
    const { page, id } = await begin({ parameters: { response_mode: 'form_post' }, device: DEVICES.phone })
    await showCode(page)
    await page.route(/form-post/, (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
    await stage.rp.call('POST', `/v1/verify/${id}/cancel`)
    await page.locator('main[data-state=login-sending]').waitFor()
    expect(await page.locator('.mark path:visible').count()).toBe(1)
    const [title, button] = await Promise.all(
      ['h1', 'button'].map((part) => page.locator(part).boundingBox()),
    )
    expect(button!.y - title!.y - title!.height).toBeGreaterThanOrEqual(16)
    await checkPage(page, 'login-sending-phone')
  })

  it('ends at the client by a link and a button, if the browser has no JavaScript', async () => {
    const device = { ...DEVICES.desktop, javaScriptEnabled: false }
    const { page, made } = await begin({ parameters: { response_mode: 'form_post' }, device })
    await respondWithAge(stage, await stage.service.wallet.receive(await scanLogin(page)))
    await page.reload()
    await page.getByRole('link', { name: HOST }).click()
    await page.getByRole('button', { name: HOST }).click()
    await end(page)
    expect((await redeem(made, postedTo(client.site))).claims.age_over_18).toBe(true)
  })

  it('ends with access_denied if the person declines in the wallet', async () => {
    const { page, made } = await begin()
    await stage.service.wallet.decline(
      await stage.service.wallet.receive(await scanLogin(page)),
      'access_denied',
    )
    expect(await errorAt(page, made)).toEqual(['access_denied', 'access_denied'])
  })

  it('ends with access_denied if the person declines on the page, before or after the session begins', async () => {
    for (const parameters of [{}, { response_mode: 'form_post' }] as const) {
      for (const isBegun of [false, true]) {
        const { page, made, id } = await begin({ parameters })
        if (isBegun) await showCode(page)
        await page.getByText('Do not share, back to').click()
        await page.getByRole('button', { name: 'Yes, do not share' }).click()
        await end(page)
        const status = (await stage.rp.call('GET', `/v1/verify/${id}`)).status
        expect(status).toBe(isBegun ? 200 : 404)
        if (!('response_mode' in parameters))
          expect(await errorAt(page, made)).toEqual(['access_denied', 'declined_on_page'])
      }
    }
  })

  it('ends with access_denied if the presentation is rejected', async () => {
    const { page, made } = await begin()
    const received = await stage.service.wallet.receive(await scanLogin(page))
    await respondWithAge(stage, received, { claims: { age_over_18: false } })
    expect(await errorAt(page, made)).toEqual(['access_denied', 'predicate_false'])
  })

  it('ends with access_denied if the session expires', async () => {
    const { page, made, id } = await begin()
    await showCode(page)
    const body = { reason: 'session_expired' }
    expect((await stage.rp.call('POST', `/v1/test/verify/${id}/outcome`, { body })).status).toBe(200)
    expect(await errorAt(page, made)).toEqual(['access_denied', 'session_expired'])
  })

  it('ends with access_denied if the relying party cancels', async () => {
    const { page, made, id } = await begin()
    await showCode(page)
    await stage.rp.call('POST', `/v1/verify/${id}/cancel`)
    expect(await errorAt(page, made)).toEqual(['access_denied', 'canceled_by_relying_party'])
  })
})

/** The client's site: it responds to everything with one page. */
function useClientSite(): { readonly site: Receiver; readonly front: Front } {
  const open = {} as { site: Receiver; front: Front }
  beforeAll(async () => {
    open.site = await startReceiver()
    open.site.answer({ headers: { 'content-type': 'text/html' }, body: '<title>Shop</title>Welcome back.' })
    open.front = await startFront(HOST, () => `http://127.0.0.1:${open.site.port}`)
  })
  afterAll(async () => {
    await open.front?.close()
    await open.site?.close()
  })
  return open
}

/** Returns the last form that the client received, as an address. */
function postedTo({ requests }: Receiver): URL {
  const posted = requests.findLast(({ method }) => method === 'POST')
  return new URL(`${CALLBACK}?${posted?.body}`)
}

/** Runs in the page: the colour of its buttons. */
const BRAND = `getComputedStyle(document.documentElement).getPropertyValue('--brand')`

type Setup = {
  readonly rp?: RelyingParty
  readonly parameters?: Readonly<Record<string, string>>
  readonly device?: BrowserContextOptions
}
