// The session page by keyboard, without motion, without JavaScript, and in frames: only its relying party may
// frame it.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { readWithZxing } from '../../qr/foreign-readers.ts'
import { DEVICES, describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { showLink } from '../../support/browser/login-page.ts'
import { saveScreenshot } from '../../support/browser/page-check.ts'
import { OVER_18 } from '../../support/service/service.ts'
import { relyingPartyOf, respondWithAge } from '../../support/service/stage.ts'

const SHOP = 'https://shop.example'
const BOUND = { ...OVER_18, required_session_binding: 'page' }

describeInBrowser('the session page', () => {
  const stage = useBrowserStage()

  const focused = (page: Page) => page.evaluate('document.activeElement.id || document.activeElement.tagName')

  it('works with the keyboard only, and moves the focus to the outcome', async () => {
    const session = await stage.rp.create(BOUND)
    const { page, walletUris } = await stage.visitor()
    await page.goto(session.session_url)
    const stops: unknown[] = []
    await page.locator('#about > summary').focus()
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

  it("has animations only if the person's settings allow motion", async () => {
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

  it('shows its QR code, a refused response, a new QR code and the outcome without JavaScript', async () => {
    const session = await stage.rp.create()
    const { page } = await stage.visitor({ javaScriptEnabled: false })
    await page.goto(session.session_url)
    const scan = async () => {
      const [uri] = await readWithZxing(new Uint8Array(await page.screenshot()))
      return stage.service.wallet.receive(uri!)
    }
    await stage.service.wallet.decline(await scan(), 'invalid_request')
    await page.getByRole('link', { name: 'Reload the page' }).click()
    await page.locator('main[data-state=refused]').getByText('reported a problem').waitFor()
    await page.getByRole('link', { name: 'Show a new code' }).click()
    await page.locator('main[data-state=waiting]').waitFor()
    await respondWithAge(stage, await scan())
    await page.getByRole('link', { name: 'Reload the page' }).click()
    await page.locator('main[data-state=verified]').waitFor()
  })

  it('shows only the buttons that suit the device and its browser, and a heading for the first button or QR code', async () => {
    const { session_url } = await stage.rp.create()
    const open = async (device: keyof typeof DEVICES, hasApi: boolean) => {
      const { page } = await stage.visitor(DEVICES[device])
      if (!hasApi) await page.addInitScript('delete globalThis.DigitalCredential')
      await page.goto(session_url)
      await page.locator('#test-wallet').waitFor()
      const heading = await page.getByRole('heading', { level: 2 }).innerText()
      const { height } = (await page.locator('#test-wallet').boundingBox())!
      expect(height).toBeGreaterThanOrEqual(44)
      return [
        heading,
        ...(await page.locator('#live').locator('button:visible, .button:visible').allInnerTexts()),
      ]
    }
    const byTest = 'Use the test wallet'
    expect(await open('desktop', true)).toEqual(['Scan with your wallet', byTest])
    const here = 'Continue with a wallet on this device'
    const document = 'Continue with a document on this device, such as a driving licence'
    expect(await open('phone', true)).toEqual(['Use your wallet', here, document, byTest])
    expect(await open('desktop', false)).toEqual(['Scan with your wallet', byTest])
    expect(await open('phone', false)).toEqual(['Open your wallet', 'Open wallet app', byTest])
  })

  it('is compact in a frame: the QR code is visible without scrolling, and no text says to close the page', async () => {
    const rp = await relyingPartyOf(stage, { origins: [SHOP] })
    const [session, long] = await Promise.all([
      rp.create(),
      rp.create({ credential_types: ['pid'], scope: MANY_CLAIMS, purpose: 'To open your account.' }),
    ])
    const { page, host } = await stage.visitor()
    await host(`${SHOP}/`, [session, long].map(({ session_url }) => framing(session_url)).join(''))
    await page.setViewportSize({ width: 900, height: 800 })
    await page.goto(SHOP)
    const frames = page.locator('iframe')
    for (const [width, height] of [
      [420, 700],
      [360, 600],
    ] as const) {
      for (const index of [0, 1]) {
        const frame = frames.nth(index)
        await frame.evaluate(resize, [width, height] as const)
        const code = frame.contentFrame().locator('#qr')
        await expect.poll(async () => (await frame.boundingBox())!.width).toBe(width)
        const [around, qr] = [(await frame.boundingBox())!, (await code.boundingBox())!]
        expect(qr.y + qr.height).toBeLessThanOrEqual(around.y + height)
        expect(qr.width).toBeGreaterThan(200)
      }
      await saveScreenshot(page, `framed-${width}`)
    }
    expect(await frames.first().contentFrame().locator('html').evaluate(overflowOf)).toBe(0)
    await respondWithAge(stage, await stage.service.wallet.receive(session.wallet_request.uri))
    const main = frames.first().contentFrame().locator('main[data-state=verified]')
    await main.waitFor()
    expect(await main.innerText()).not.toContain('close')
  })

  it('appears in a frame on a page of its relying party, and the link button then opens the page in a tab', async () => {
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
    await showLink(opened)
    await opened.locator('#link').click()
    await expect.poll(() => walletUris).toHaveLength(1)
    await stage.service.wallet
      .receive(session.wallet_request.uri)
      .then((request) => respondWithAge(stage, request))
    await frame.locator('main[data-state=verified]').waitFor()
    await opened.locator('main[data-state=verified]').waitFor()
  })

  it('does not appear in a frame on any other page', async () => {
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

const framing = (address: string) =>
  `<iframe src="${address}" width="390" height="900" frameborder="0"></iframe>`

const MANY_CLAIMS = ['given_name', 'family_name', 'birthdate', 'nationalities', 'address', 'email', 'sex']

/** Runs in the page. */
function resize(frame: unknown, [width, height]: readonly [number, number]): void {
  Object.assign(frame as object, { width: String(width), height: String(height) })
}

/** Runs in the page. */
function overflowOf(element: unknown): number {
  const { scrollWidth, clientWidth } = element as { scrollWidth: number; clientWidth: number }
  return scrollWidth - clientWidth
}

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
