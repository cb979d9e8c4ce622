// api/page: the session page leads with one way for the device, and does not move while it loads. The network
// is slow, as Chromium simulates it. What is measured is a distance, not a time.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { request } from '../../conformance/oidc/openid-login.ts'
import {
  DEVICES,
  type Device,
  describeInBrowser,
  useBrowserStage,
} from '../../support/browser/browser-stage.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { registerClient } from '../../support/service/login.ts'
import { OVER_18 } from '../../support/service/service.ts'
import { relyingPartyOf } from '../../support/service/stage.ts'

/** 400 kbit/s in bytes per second, with a round trip of 400 ms. */
const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }

/** Limit of the layout shift. Above 0.1 people notice it (web.dev). */
const MOST_SHIFT = 0.05

/** Limit of the empty part of a column, as a part of the card's height. */
const MOST_UNEVEN = 1 / 3

const NAMES = { credential_types: ['pid'], scope: ['given_name', 'family_name'], locale: 'en' }
const DOCUMENT = 'Continue with a document on this device, such as a driving licence'
const BOUND = { ...OVER_18, required_session_binding: 'page' }

describeInBrowser('the first way to a wallet on the session page', () => {
  const stage = useBrowserStage()

  const SHOP = {
    name: 'Corner Wine Shop',
    return_urls: ['https://wine.example/back'],
    privacy_policy_uri: 'https://wine.example/privacy',
    alternative_url: 'https://wine.example/other-ways',
  }

  it.each([
    ['phone', true, ['Continue with a wallet on this device', DOCUMENT], ['Open wallet app'], true],
    ['phone', false, ['Open wallet app'], [], true],
    ['desktop', true, [], ['Continue with an Android phone nearby', 'Continue with an iPhone nearby'], false],
  ] as const)(
    'is visible, and all other ways are folded (device: %s, has the Digital Credentials API: %s)',
    async (device, hasApi, first, others, foldsCode) => {
      const session = await stage.rp.create({ ...OVER_18, locale: 'en' })
      const { page } = await stage.visitor(DEVICES[device])
      if (!hasApi) await page.addInitScript('delete globalThis.DigitalCredential')
      await page.goto(session.session_url)
      await page.locator('#time:visible').waitFor()
      const buttons = () => page.locator('#live button:visible').allInnerTexts()
      expect(await buttons()).toEqual([...first])
      expect(await page.locator('#qr').isVisible()).toBe(!foldsCode)
      await page.getByText('Another way').click()
      await page.locator('#qr:visible').waitFor()
      expect(await buttons()).toEqual([...first, ...others])
      await checkPage(page, `other-ways-${device}${hasApi ? '' : '-without-api'}`)
    },
  )

  it('is the QR code on a computer whose browser has no Digital Credentials API, and nothing is folded', async () => {
    const session = await stage.rp.create({ ...OVER_18, locale: 'en' })
    const { page } = await stage.visitor()
    await page.addInitScript('delete globalThis.DigitalCredential')
    await page.goto(session.session_url)
    await page.locator('#time:visible').waitFor()
    expect(await page.locator('#qr').isVisible()).toBe(true)
    expect(await page.locator('#others').isVisible()).toBe(false)
    expect(await unevenness(page)).toBeLessThan(MOST_UNEVEN)
  })

  it.each(['phone', 'desktop'] as const)(
    'comes with a section about the request and a section about apps, which open with the Enter key, on a %s',
    async (device) => {
      const rp = await relyingPartyOf(stage, SHOP)
      const session = await rp.create({ ...NAMES, return_url: SHOP.return_urls[0] })
      const { page } = await stage.visitor(DEVICES[device])
      await page.goto(session.session_url)
      await page.locator('#time:visible').waitFor()
      if (device === 'desktop') expect(await unevenness(page)).toBeLessThan(MOST_UNEVEN)
      await checkPage(page, `one-way-${device}`, { dark: true, forced: true })
      await page.locator('#about > summary').focus()
      await page.keyboard.press('Enter')
      await page.getByText('Afterwards you return to').waitFor()
      await checkPage(page, `about-${device}`, { dark: true })
      await page.locator('#no-wallet > summary').focus()
      await page.keyboard.press('Enter')
      await page.locator('#no-wallet a:visible').first().waitFor()
      await page.evaluate("document.querySelector('#no-wallet').scrollIntoView()")
      await checkPage(page, `no-wallet-${device}`, { dark: true })
      await page.setViewportSize({ width: 320, height: 720 })
      await page.evaluate("document.querySelector('#no-wallet').scrollIntoView()")
      await checkPage(page, `no-wallet-${device}-320`)
      await page.evaluate('scrollTo(0, 0)')
      await checkPage(page, `about-${device}-320`)
      const { host } = await openAlternative(page)
      expect(host).toBe('wine.example')
    },
  )

  /** Follows the link to the page for people without a wallet. */
  async function openAlternative(page: Page): Promise<URL> {
    await page.context().route(SHOP.alternative_url, (route) => route.fulfill({ body: 'another way' }))
    await page.getByRole('link', { name: 'Show it another way' }).click()
    await page.waitForURL(SHOP.alternative_url)
    return new URL(page.url())
  }
})

describeInBrowser('the session page on a slow network', () => {
  const stage = useBrowserStage()

  it.each([
    ['phone', 'with the Digital Credentials API', OVER_18, true],
    ['phone', 'without the Digital Credentials API', NAMES, false],
    ['phone', 'without a QR code', BOUND, true],
    ['desktop', 'with the Digital Credentials API', OVER_18, true],
    ['desktop', 'without the Digital Credentials API', NAMES, false],
    ['desktop', 'without a QR code', BOUND, true],
  ] as const)('does not move its content while it loads on a %s %s', async (device, _, body, hasApi) => {
    const rp = await relyingPartyOf(stage, { name: 'Corner Wine Shop' })
    const session = await rp.create({ ...body, purpose: 'We sell wine to adults only.' })
    const page = await openSlowly(device, session.session_url, hasApi)
    expect(await shiftOf(page)).toBeLessThan(MOST_SHIFT)
  })

  it('does not move its content while it loads for a chosen wallet or for a login, on a phone and on a desktop', async () => {
    const session = await stage.rp.create(NAMES)
    const { url } = await request(stage, await registerClient(stage.rp))
    const addresses = [`${session.session_url}&wallet=nl-wallet`, url.href]
    const visits = (Object.keys(DEVICES) as Device[]).flatMap((device) =>
      addresses.map(async (address) => shiftOf(await openSlowly(device, address, true))),
    )
    for (const shift of await Promise.all(visits)) expect(shift).toBeLessThan(MOST_SHIFT)
  })

  /** Opens the page on a slow network, and waits for its last script. */
  async function openSlowly(device: Device, address: string, hasApi: boolean): Promise<Page> {
    const { page } = await stage.visitor(DEVICES[device])
    if (!hasApi) await page.addInitScript('delete globalThis.DigitalCredential')
    await page.addInitScript(WATCH_SHIFTS)
    const devTools = await page.context().newCDPSession(page)
    await devTools.send('Network.enable')
    await devTools.send('Network.emulateNetworkConditions', SLOW)
    await page.goto(address)
    await page.locator('#time:visible').waitFor()
    return page
  }
})

/** Returns how far the ends of the two columns are apart, as a part of the card's height. */
function unevenness(page: Page): Promise<number> {
  return page.evaluate<number>(`(() => {
    const boxes = (parts) => [...document.querySelectorAll(parts)].map((part) => part.getBoundingClientRect())
    const end = (parts) => Math.max(...boxes(parts).map(({ bottom }) => bottom))
    const [card] = boxes('main')
    return Math.abs(end('.ask > *, .status > *, #help > *') - end('#live')) / card.height
  })()`)
}

/** Runs in the page: collects every layout shift that no input of the person caused. */
const WATCH_SHIFTS = `globalThis.shifts = []
new PerformanceObserver((list) => {
  shifts.push(...list.getEntries().filter((entry) => !entry.hadRecentInput).map((entry) => entry.value))
}).observe({ type: 'layout-shift', buffered: true })`

/** Returns the sum of all shifts, after the frames that are still to be drawn. */
async function shiftOf(page: Page): Promise<number> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  return page.evaluate<number>('shifts.reduce((sum, value) => sum + value, 0)')
}
