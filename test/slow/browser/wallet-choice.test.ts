// api/page: "Which wallet do you use?" on the session page, by keyboard, on a phone and on a desktop, in
// several languages. A choice makes a request of its own, and nothing is remembered.

import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { DEVICES, describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { scan } from '../../support/browser/scan.ts'
import { PID, presentationOf, queryFor } from '../../support/people/person.ts'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import { type CreatedSession, OVER_18 } from '../../support/service/service.ts'
import { relyingPartyOf, respondWithAge } from '../../support/service/stage.ts'

/** A choice of formats, which the NL Wallet cannot answer. */
const NAMES = { credential_types: ['pid'], scope: ['given_name', 'family_name'], locale: 'en' }
const ANDROID =
  'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36'
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15'
const PHONE: BrowserContextOptions = { ...DEVICES.phone, userAgent: ANDROID, locale: 'nl-NL' }
const DESKTOP: BrowserContextOptions = { ...DEVICES.desktop, locale: 'nl-NL' }
const VISITORS = { phone: PHONE, desktop: DESKTOP }

describeInBrowser('the choice of a wallet on the session page', () => {
  const stage = useBrowserStage()

  /** Opens a session's page on a device. */
  async function visit({ session_url }: CreatedSession, device: BrowserContextOptions) {
    const visitor = await stage.visitor({ ...device, reducedMotion: 'reduce' })
    await visitor.page.goto(session_url)
    return visitor
  }

  async function presentNames(request: ReceivedRequest): Promise<number> {
    const answer = { [queryFor(request, PID)]: [await presentationOf(stage.person, PID, request)] }
    return (await stage.service.wallet.present(request, answer)).status
  }

  it.each(['phone', 'desktop'] as const)(
    'opens with one key press and does not move the content above it, on a %s',
    async (name) => {
      const rp = await relyingPartyOf(stage, { name: 'Corner Wine Shop' })
      const { page } = await visit(await rp.create(NAMES), VISITORS[name])
      await page.locator('#time:visible').waitFor()
      expect(await page.locator('#wallets a:visible').count()).toBe(0)
      const above = await boxesAbove(page)
      await page.locator('#wallets > summary').focus()
      await page.keyboard.press('Enter')
      expect(await page.locator('#wallets a:visible').count()).toBeGreaterThan(3)
      expect(await boxesAbove(page)).toEqual(above)
      await page.evaluate("document.querySelector('#wallets').scrollIntoView()")
      await checkPage(page, `wallets-${name}`, { dark: true, forced: true })
      await narrow(page, `wallets-${name}`)
    },
  )

  it.each(['phone', 'desktop'] as const)('shows the request for the chosen wallet, on a %s', async (name) => {
    const rp = await relyingPartyOf(stage, { name: 'Corner Wine Shop' })
    const { page } = await visit(await rp.create(NAMES), VISITORS[name])
    await choose(page, 'NL Wallet')
    await page.getByText('This request is for NL Wallet').waitFor()
    if (name === 'phone') await page.getByRole('button', { name: 'Open NL Wallet' }).waitFor()
    expect(await page.locator('#wallets a', { hasText: 'NL Wallet' }).count()).toBe(0)
    await checkPage(page, `wallet-chosen-${name}`, { dark: true, forced: true })
    await narrow(page, `wallet-chosen-${name}`)
  })

  it('lists the wallets of the browser’s country first, and on a phone only wallets of its platform', async () => {
    const session = await stage.rp.create({ ...OVER_18, locale: 'en' })
    const { page } = await visit({ ...session }, PHONE)
    await page.locator('#wallets > summary').click()
    const android = await page.locator('#wallets a:visible').allTextContents()
    expect(android).not.toContain('EUDI reference wallet (iOS)')
    const { page: iphone } = await visit(session, {
      ...PHONE,
      userAgent: IPHONE,
    })
    await iphone.locator('#wallets > summary').click()
    const ios = await iphone.locator('#wallets a:visible').allTextContents()
    expect(ios).not.toEqual(android)
    const desktop = await visit(session, DESKTOP)
    await desktop.page.locator('#wallets > summary').click()
    const all = await desktop.page.locator('#wallets a:visible').allTextContents()
    expect(all).toEqual(expect.arrayContaining([...android, ...ios]))
    for (const shown of [page, iphone, desktop.page]) {
      const titles = await shown.locator('#wallets h3').allTextContents()
      expect(titles).toEqual(['Netherlands', 'Any country', 'Other countries'])
      expect(await shown.locator('#wallets ul').first().locator('a').allTextContents()).toEqual(['NL Wallet'])
    }
  })

  it.each([
    [ANDROID, 'Google Play', 'https://play.google.com/store/apps/details?id=id.paradym.wallet'],
    [IPHONE, 'App Store', 'https://apps.apple.com/app/paradym-wallet/id6449846111'],
  ])("links only to the app store of the phone's platform: case %#", async (userAgent, store, address) => {
    const { page } = await visit(await stage.rp.create(NAMES), { ...PHONE, userAgent })
    await choose(page, 'Paradym')
    const stores = page.locator('.chosen a[target=_blank]')
    expect(await stores.allTextContents()).toEqual([store])
    // The store itself is not part of the test.
    await page.context().route(address, (route) => route.fulfill({ body: 'the store' }))
    const [opened] = await Promise.all([page.context().waitForEvent('page'), stores.click()])
    await opened.waitForURL(address)
    expect(await opened.textContent('body')).toBe('the store')
    expect(await page.locator('.chosen').count()).toBe(1)
  })

  it('leads to a verified session through the QR code for the chosen wallet', async () => {
    const session = await stage.rp.create(NAMES)
    const { page } = await visit(session, DESKTOP)
    await choose(page, 'NL Wallet')
    const request = await stage.service.wallet.receive(await scan(page))
    expect(request.payload.dcql_query).not.toHaveProperty('credential_sets')
    expect(await presentNames(request)).toBe(200)
    await page.locator('main[data-state=verified]').waitFor()
    expect((await stage.rp.poll(session.verification_id)).channel).toBe('qr')
  })

  it('is kept if the person asks for a new QR code after a refused response', async () => {
    const session = await stage.rp.create(NAMES)
    const { page } = await visit(session, DESKTOP)
    await choose(page, 'NL Wallet')
    const request = await stage.service.wallet.receive(await scan(page))
    const wrong = { [queryFor(request, PID)]: ['not a credential'] }
    expect((await stage.service.wallet.present(request, wrong)).status).toBe(400)
    await page.locator('main[data-state=refused]').waitFor()
    const [drawn] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('/qr')),
      page.locator('#new-code').click(),
    ])
    expect(new URL(drawn.url()).searchParams.get('wallet')).toBe('nl-wallet')
    expect(new URL(page.url()).searchParams.get('wallet')).toBe('nl-wallet')
  })

  it('opens the chosen wallet on a phone with a request for that wallet', async () => {
    const session = await stage.rp.create({ ...NAMES, required_session_binding: 'page' })
    const { page, walletUris } = await visit(session, PHONE)
    await choose(page, 'NL Wallet')
    await page.locator('#link').click()
    await expect.poll(() => walletUris).toHaveLength(1)
    const request = await stage.service.wallet.receive(walletUris[0] ?? '')
    expect(request.payload.dcql_query).not.toHaveProperty('credential_sets')
    expect(await presentNames(request)).toBe(200)
  })

  it('is not stored in the browser (cookie or storage), and is gone at the next visit', async () => {
    const session = await stage.rp.create(NAMES)
    const { page } = await visit(session, DESKTOP)
    await choose(page, 'NL Wallet')
    const stored = 'Object.keys(localStorage).length + Object.keys(sessionStorage).length'
    expect([await page.context().cookies(), await page.evaluate(stored)]).toEqual([[], 0])
    await page.goto(session.session_url)
    expect(await page.locator('.chosen').count()).toBe(0)
  })

  it('shows the wallet that the relying party chose, and a link to a request for any wallet', async () => {
    const session = await stage.rp.create({ ...NAMES, wallet: 'nl-wallet' })
    const { page } = await visit(session, DESKTOP)
    await page.getByText('This request is for NL Wallet').waitFor()
    await page.getByRole('link', { name: 'Use another wallet' }).click()
    await page.locator('.chosen').waitFor({ state: 'detached' })
    const request = await stage.service.wallet.receive(await scan(page))
    expect(request.payload.dcql_query).toHaveProperty('credential_sets')
  })

  it('works without JavaScript', async () => {
    const session = await stage.rp.create({ ...OVER_18, locale: 'en' })
    const { page } = await visit(session, { ...DESKTOP, javaScriptEnabled: false })
    await choose(page, 'NL Wallet')
    const request = await stage.service.wallet.receive(await scan(page))
    expect((await respondWithAge(stage, request)).status).toBe(200)
    await page.getByRole('link', { name: 'Reload the page' }).click()
    await page.locator('main[data-state=verified]').waitFor()
  })

  it.each([
    ['de', 'Welche Wallet verwenden Sie?', 'NL Wallet öffnen'],
    ['fr', 'Quel portefeuille utilisez-vous ?', 'Ouvrir NL Wallet'],
    ['es', '¿Qué cartera usa?', 'Abrir NL Wallet'],
    ['it', 'Quale wallet usi?', 'Apri NL Wallet'],
    ['el', 'Ποιο πορτοφόλι χρησιμοποιείτε;', 'Άνοιγμα: NL Wallet'],
    ['en', 'Which wallet do you use?', 'Open NL Wallet'],
  ])('is in the language of the page: %s', async (locale, question, open) => {
    const session = await stage.rp.create({ ...NAMES, locale })
    const { page } = await visit(session, { ...PHONE, viewport: { width: 320, height: 720 } })
    await choose(page, 'NL Wallet')
    await page.getByRole('button', { name: open }).waitFor()
    await page.locator('#wallets > summary', { hasText: question }).click()
    await checkPage(page, `wallets-${locale}-320`)
  })
})

/** Chooses a wallet by keyboard alone. */
async function choose(page: Page, name: string): Promise<void> {
  await page.locator('#wallets > summary').focus()
  await page.keyboard.press('Enter')
  await page.locator('#wallets a', { hasText: name }).focus()
  await page.keyboard.press('Enter')
  await page.locator('.chosen').waitFor()
}

/** Returns the places of what is above the choice. */
function boxesAbove(page: Page): Promise<unknown> {
  return page.evaluate(`['h1', '#title', '#link', '#qr', '#wallets > summary'].map((selector) => {
    const { x, y, width, height } = document.querySelector(selector).getBoundingClientRect()
    return height === 0 ? selector : [selector, x, y + scrollY, width, height].join(' ')
  })`)
}

async function narrow(page: Page, name: string): Promise<void> {
  await page.setViewportSize({ width: 320, height: 720 })
  await checkPage(page, `${name}-320`)
}
