// The session page by keyboard, without motion, without JavaScript, and in frames: only its relying party may
// frame it.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { readWithZxing } from '../qr/foreign-readers.ts'
import { DEVICES, describeInBrowser, useBrowserStage } from '../support/browser/browser-stage.ts'
import { OVER_18 } from '../support/service/service.ts'
import { relyingPartyOf, respondWithAge } from '../support/service/stage.ts'

const SHOP = 'https://shop.example'
const BOUND = { ...OVER_18, required_session_binding: 'page' }

describeInBrowser('the session page', () => {
  const stage = useBrowserStage()

  const focused = (page: Page) => page.evaluate('document.activeElement.id || document.activeElement.tagName')

  it('works by keyboard alone, and moves the focus to the outcome', async () => {
    const session = await stage.rp.create(BOUND)
    const { page, walletUris } = await stage.visitor()
    await page.goto(session.session_url)
    const stops: unknown[] = []
    for (let presses = 0; presses < 2; presses += 1) {
      await page.keyboard.press('Tab')
      stops.push(await focused(page))
    }
    expect(stops).toEqual(['dc-api', 'link'])
    expect(await page.locator('#link').evaluate(outlineOf)).not.toBe('0px')
    await page.keyboard.press('Enter')
    await expect.poll(() => walletUris).toHaveLength(1)
    await page.locator('#link-now').waitFor()
    expect(await focused(page)).toBe('link')
    await stage.rp.call('POST', `/v1/verify/${session.verification_id}/cancel`)
    await page.locator('main[data-state=canceled]').waitFor()
    expect(await focused(page)).toBe('title')
  })

  it('is animated only when the person allows motion', async () => {
    for (const [reducedMotion, moves] of [
      ['reduce', 'none'],
      ['no-preference', 'turn'],
    ] as const) {
      const session = await stage.rp.create()
      const { page } = await stage.visitor({ reducedMotion })
      await page.goto(session.session_url)
      await stage.service.wallet.receive(session.wallet_request.uri)
      await page.locator('main[data-state=scanned]').waitFor()
      expect(await page.locator('.scan').evaluate(animationAfter)).toBe(moves)
    }
  })

  it('shows its QR code without JavaScript, and the outcome after a reload', async () => {
    const session = await stage.rp.create()
    const { page } = await stage.visitor({ javaScriptEnabled: false })
    await page.goto(session.session_url)
    const [uri] = await readWithZxing(new Uint8Array(await page.screenshot()))
    const request = await stage.service.wallet.receive(uri!)
    await respondWithAge(stage, request)
    await page.getByRole('link', { name: 'Reload the page' }).click()
    await page.locator('main[data-state=verified]').waitFor()
  })

  it('says what to press on a phone, and what to scan on a desktop', async () => {
    const { session_url } = await stage.rp.create()
    const phone = await stage.visitor(DEVICES.phone)
    await phone.page.goto(session_url)
    await phone.page.getByRole('heading', { name: 'Open your wallet' }).waitFor()
    expect(await phone.page.locator('#link').isVisible()).toBe(true)
    const desktop = await stage.visitor(DEVICES.desktop)
    await desktop.page.goto(session_url)
    await desktop.page.getByRole('heading', { name: 'Scan with your wallet' }).waitFor()
    expect(await desktop.page.locator('#link').isVisible()).toBe(false)
  })

  it('appears in a frame of its relying party, where the link first opens it in a tab', async () => {
    const rp = await relyingPartyOf(stage, { origins: [SHOP] })
    const session = await rp.create()
    const { page, host, walletUris } = await stage.visitor(DEVICES.phone)
    await host(`${SHOP}/`, framing(session.session_url))
    await page.goto(SHOP)
    const frame = page.frameLocator('iframe')
    await frame.locator('#qr').waitFor()
    expect(await frame.locator('#dc-api').isVisible()).toBe(false)
    const opening = page.context().waitForEvent('page')
    await frame.locator('#link').click()
    const opened = await opening
    await opened.waitForURL(session.session_url)
    expect(await opened.evaluate('self === top && opener === null')).toBe(true)
    expect(walletUris).toEqual([])
    await opened.locator('#link').click()
    await expect.poll(() => walletUris).toHaveLength(1)
    await stage.service.wallet
      .receive(session.wallet_request.uri)
      .then((request) => respondWithAge(stage, request))
    await frame.locator('main[data-state=verified]').waitFor()
    await opened.locator('main[data-state=verified]').waitFor()
  })

  it('appears in no other frame', async () => {
    const rp = await relyingPartyOf(stage, { origins: [SHOP] })
    const session = await rp.create()
    const { page, host, takeErrors } = await stage.visitor()
    for (const address of ['https://other.example/', `${SHOP}:8443/`]) {
      await host(address, framing(session.session_url))
      const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
      await page.goto(address)
      await refused
      expect(await page.frameLocator('iframe').locator('main').count()).toBe(0)
    }
    expect(takeErrors()).toHaveLength(2)
  })
})

const framing = (address: string) => `<iframe src="${address}" width="390" height="900"></iframe>`

/** Runs in the page. */
function outlineOf(element: unknown): string {
  return (globalThis as unknown as Page_).getComputedStyle(element).outlineWidth
}

/** Runs in the page. */
function animationAfter(element: unknown): string {
  return (globalThis as unknown as Page_).getComputedStyle(element, '::after').animationName
}

type Page_ = {
  readonly getComputedStyle: (
    element: unknown,
    pseudo?: string,
  ) => { outlineWidth: string; animationName: string }
}
