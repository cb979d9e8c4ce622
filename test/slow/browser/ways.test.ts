// A person's ways through the session page (api/dc-api): QR code, link, and the browser's own API. The wallet
// is a foreign wallet.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, useOwnBrowserStage } from '../../support/browser/browser-stage.ts'
import { scan } from '../../support/browser/scan.ts'
import { answerAnnexC } from '../../support/people/annex-c-person.ts'
import { type AnnexCRequest, receiveAnnexC } from '../../support/people/annex-c-wallet.ts'
import { receiveDigital, respondDigital } from '../../support/people/dc-api-wallet.ts'
import { makeMdocPerson } from '../../support/people/mdoc-person.ts'
import { ageOf } from '../../support/people/person.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'
import { relyingPartyOf, respondWithAge } from '../../support/service/stage.ts'

const BOUND = { ...OVER_18, required_session_binding: 'page' }

describeInBrowser('a person on the session page', () => {
  const stage = useOwnBrowserStage()

  it('is verified through the QR code that a camera sees on the screen', async () => {
    const session = await stage.rp.create()
    const { page } = await stage.visitor()
    await page.goto(session.session_url)
    const request = await stage.service.wallet.receive(await scan(page))
    await showsState(page, 'scanned')
    expect((await respondWithAge(stage, request)).status).toBe(200)
    await showsState(page, 'verified')
    expect((await stage.rp.poll(session.verification_id)).channel).toBe('qr')
  })

  it('is verified through the link, and returns with a code for the relying party', async () => {
    const return_url = 'https://shop.example/done'
    const rp = await relyingPartyOf(stage, { return_urls: [return_url] })
    const session = await rp.create({ ...OVER_18, return_url, required_session_binding: 'relying_party' })
    const { page, walletUris, host } = await stage.visitor()
    await host(`${return_url}?*`, 'Thank you.')
    await page.goto(session.session_url)
    await page.locator('#link').click()
    await expect.poll(() => walletUris).toHaveLength(1)
    const back = await page.context().newPage()
    await back.goto(await respondByLink(walletUris[0]!))
    await back.waitForURL(`${return_url}?*`)
    const return_code = new URL(back.url()).searchParams.get('return_code')
    const path = `/v1/verify/${session.verification_id}/return`
    expect((await rp.call('POST', path, { body: { return_code } })).status).toBe(200)
    await showsState(page, 'verified')
    const { channel, session_binding } = await rp.poll(session.verification_id)
    expect([channel, session_binding]).toEqual(['link', 'relying_party'])
  })

  it('sees in both browsers that the wallet returned to the wrong browser, and can start again', async () => {
    const session = await stage.rp.create(BOUND)
    const { page, walletUris } = await stage.visitor()
    await page.goto(session.session_url)
    await page.locator('#link').click()
    await expect.poll(() => walletUris).toHaveLength(1)
    const other = await stage.visitor()
    await other.page.goto(await respondByLink(walletUris[0]!))
    await other.page.getByText('This is a different browser').waitFor()
    await showsState(page, 'refused')
    await page.getByText('did not come back to this browser').waitFor()
    // Chromium's dialogue about the wallet's address takes the input of a mouse.
    await page.getByRole('link', { name: 'Try again' }).dispatchEvent('click')
    await page.locator('#link:enabled').waitFor()
  })

  it('is verified through the Digital Credentials API', async () => {
    const session = await stage.rp.create(BOUND)
    const { page } = await stage.visitor()
    await page.exposeFunction('askWallet', respondFromBrowser)
    await page.addInitScript(pretendDigitalCredentials)
    await page.goto(session.session_url)
    await page.locator('#dc-api').click()
    await showsState(page, 'verified')
    const { channel, session_binding } = await stage.rp.poll(session.verification_id)
    expect([channel, session_binding]).toEqual(['dc_api', 'page'])
  })

  it.each([
    ['on this device, with OpenID4VP in the first call', true, 'wallet on this device', 'dc-api', 2, ''],
    ['on this device, with org-iso-mdoc in the second call', true, 'a document', 'dc-api-document', 1, ''],
    ['on an Android phone nearby, with OpenID4VP only', false, 'Android phone nearby', 'dc-api', 2, ''],
    ['on an iPhone nearby, with org-iso-mdoc only', false, 'iPhone nearby', 'dc-api-iphone', 1, ''],
    ['on an iPhone nearby, with a request from Safari', false, 'iPhone nearby', 'dc-api', 1, 'org-iso'],
  ])(
    'is verified over the Digital Credentials API by a wallet %s',
    async (_, isTouch, words, id, count, allowed) => {
      const person = await makeMdocPerson()
      const trust_anchors = [stage.authority.anchor(), person.anchor()]
      const rp = await relyingPartyOf(stage, { trust_anchors })
      const session = await rp.create({ ...BOUND, locale: 'en' })
      const { page } = await stage.visitor(isTouch ? { hasTouch: true, isMobile: true } : {})
      const calls: string[][] = []
      await page.exposeFunction('askWallet', (requests: AnnexCRequest[]) => {
        calls.push(requests.map(({ protocol }) => protocol))
        const iso = requests.find(({ protocol }) => protocol === 'org-iso-mdoc')
        if (iso === undefined) return respondFromBrowser(requests as never)
        return answerAnnexC(person, receiveAnnexC(iso, BASE_URL))
      })
      await page.addInitScript(pretendDigitalCredentials, allowed)
      await page.goto(session.session_url)
      const button = page.locator(`#${id}`)
      expect(await button.textContent()).toContain(words)
      await button.click()
      await showsState(page, 'verified')
      expect(calls.map(({ length }) => length)).toEqual([count])
      const { channel, protocol } = await rp.poll(session.verification_id)
      const expected = count === 2 ? 'openid4vp-1.0' : 'iso-18013-7-c'
      expect([channel, protocol]).toEqual(['dc_api', expected])
    },
  )

  it('sees only the button for a phone nearby if the session has only the protocol iso-18013-7-c', async () => {
    const session = await stage.rp.create({ ...OVER_18, protocol: 'iso-18013-7-c', locale: 'en' })
    const { page } = await stage.visitor()
    await page.addInitScript(pretendDigitalCredentials)
    await page.goto(session.session_url)
    await page.getByRole('button', { name: 'a wallet on a phone nearby' }).waitFor()
    expect(await page.locator('#live button:visible').count()).toBe(1)
    expect(await page.locator('#qr').count()).toBe(0)
  })

  it('sees the outcome after the network was interrupted', async () => {
    const session = await stage.rp.create()
    const { page } = await stage.visitor()
    await page.goto(session.session_url)
    const request = await stage.service.wallet.receive(await scan(page))
    await showsState(page, 'scanned')
    stage.front.cut()
    await page.locator('#lost').waitFor()
    expect((await respondWithAge(stage, request)).status).toBe(200)
    expect(await page.locator('main').getAttribute('data-state')).toBe('scanned')
    stage.front.mend()
    await showsState(page, 'verified')
  })

  it('sees the outcome after the service restarted', async () => {
    const session = await stage.rp.create()
    const { page } = await stage.visitor()
    await page.goto(session.session_url)
    const request = await stage.service.wallet.receive(await scan(page))
    await showsState(page, 'scanned')
    await stage.service.server.restart()
    expect((await respondWithAge(stage, request)).status).toBe(200)
    await showsState(page, 'verified')
  })

  /** Responds to a link as the wallet on the device does. Returns the address that the wallet opens. */
  async function respondByLink(uri: string): Promise<string> {
    const answer = await respondWithAge(stage, await stage.service.wallet.receive(uri))
    return ((await answer.json()) as { redirect_uri: string }).redirect_uri
  }

  async function respondFromBrowser([request]: Parameters<typeof receiveDigital>[0][]) {
    const { verifierCa, fetch } = stage.service
    const browser = { origin: BASE_URL, verifierCa, fetch }
    const received = await receiveDigital(request!, browser)
    const answer = await ageOf(stage.person, received, { audience: `origin:${BASE_URL}` })
    return respondDigital(received, answer, browser)
  }
})

function showsState(page: Page, state: string): Promise<void> {
  return page.locator(`main[data-state=${state}]`).waitFor()
}

/**
 * Runs in the page: gives the browser the API, which sends requests to the wallet of the test. It allows the
 * protocols whose names begin so.
 */
function pretendDigitalCredentials(allowed = '') {
  const browser = globalThis as unknown as { askWallet: (requests: object[]) => Promise<object> }
  const DigitalCredential = { userAgentAllowsProtocol: (name: string) => name.startsWith(allowed) }
  Object.defineProperty(globalThis, 'DigitalCredential', { value: DigitalCredential })
  const get = (options: { digital: { requests: object[] } }) => browser.askWallet(options.digital.requests)
  Object.defineProperty(navigator, 'credentials', { value: { get } })
}
