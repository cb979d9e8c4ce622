// A visitor in the demo shop, from the shelf to the webhook. Each state passes axe.

import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { readWithZxing } from '../../qr/foreign-readers.ts'
import {
  DEVICES,
  describeInBrowser,
  useOwnBrowserStage,
  type Visitor,
} from '../../support/browser/browser-stage.ts'
import { showLink } from '../../support/browser/login-page.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import type { Telling } from '../../support/people/person.ts'
import { BASE_URL } from '../../support/service/service.ts'
import { trustAuthority, WITH_SHOP } from '../../support/service/shop.ts'
import { respondWithAge } from '../../support/service/stage.ts'

describeInBrowser('the demo shop', () => {
  const stage = useOwnBrowserStage({ env: WITH_SHOP })
  beforeAll(() => trustAuthority(stage))

  /** Checks the page that `go` opens, on both devices. */
  const checked = async (name: string, go: (visitor: Visitor, device: string) => Promise<void>) => {
    const each = async ([device, options]: [string, BrowserContextOptions]) => {
      const visitor = await enter(options)
      await go(visitor, device)
      await checkPage(visitor.page, `shop-${name}-${device}`, { dark: name === 'confirmed' })
    }
    await Promise.all(Object.entries(DEVICES).map(each))
  }

  const enter = async (options: BrowserContextOptions = {}) => {
    const visitor = await stage.visitor({ reducedMotion: 'reduce', ...options })
    await visitor.page.goto(`${BASE_URL}/demo`)
    return visitor
  }

  /** Responds by the link of the session page, and follows the wallet's redirect. */
  const respondHere = async ({ page, walletUris }: Visitor, telling: Telling = {}) => {
    await showLink(page)
    await page.locator('#link').click()
    await expect.poll(() => walletUris).toHaveLength(1)
    const request = await stage.service.wallet.receive(walletUris[0]!)
    const { redirect_uri } = (await (await respondWithAge(stage, request, telling)).json()) as {
      redirect_uri: string
    }
    await page.goto(redirect_uri)
    await page.waitForURL(`${BASE_URL}/demo`)
  }

  /** Responds from another device, by the QR. */
  const respondThere = async ({ page }: Visitor, telling: Telling = {}) => {
    await respondWithAge(stage, await receive(page), telling)
    await page.locator('#back').click()
    await page.waitForURL(`${BASE_URL}/demo`)
  }

  const receive = async (page: Page) => {
    const code = page.locator('#qr')
    await page.locator('#time:visible').waitFor()
    if (!(await code.isVisible())) await page.locator('#others > summary').click()
    const [uri] = await readWithZxing(new Uint8Array(await code.screenshot()))
    return stage.service.wallet.receive(uri ?? '')
  }

  it('shows its products', () =>
    checked('shelf', async ({ page }) => {
      // The line below the header is as wide as the goods.
      const [line, goods] = await Promise.all(
        ['.top', '.goods'].map((part) => page.locator(part).boundingBox()),
      )
      expect([line!.x, line!.width]).toEqual([goods!.x, goods!.width])
      // Dark glass has a rim on a dark card.
      const rim = () => page.locator('.glass').first().evaluate(strokeOf)
      const bright = await rim()
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await rim()).not.toBe(bright)
      await page.emulateMedia({ colorScheme: 'light' })
    }))

  it('shows which claims it will request', () => checked('chosen', ({ page }) => take(page, 'Midnight Plum')))

  it('confirms an order with the test wallet', async () => {
    const { page } = await enter()
    await toProof(page, 'Lost Packet')
    await page.locator('#test-wallet').click()
    await page.getByRole('button', { name: 'Share' }).click()
    await page.waitForURL(`${BASE_URL}/demo`)
    await arrived(page, 'verification.verified')
    expect(await page.locator('main').getAttribute('data-state')).toBe('confirmed')
    await page.getByText('our server redeemed it for your order').waitFor()
  })

  it('waits for the proof of age, and updates without a reload', async () => {
    await checked('waiting', async ({ page }) => {
      await toProof(page, 'Lost Packet')
      await page.goto(`${BASE_URL}/demo`)
    })
    const { page } = await enter()
    await toProof(page, 'Lost Packet')
    const request = await receive(page)
    await page.goto(`${BASE_URL}/demo`)
    await page.locator('main[data-state=waiting]').waitFor()
    await respondWithAge(stage, request)
    await arrived(page, 'verification.verified')
    expect(await page.evaluate('document.activeElement.id')).toBe('title')
  })

  it('confirms an order with a wallet on this device, and shows the webhook', async () => {
    await checked('confirmed', async (visitor, device) => {
      await toProof(visitor.page, 'Midnight Plum')
      // The link beside the QR is shown on touch devices only.
      await (device === 'phone' ? respondHere(visitor) : respondThere(visitor))
      await arrived(visitor.page, 'verification.verified')
      const binding = device === 'phone' ? 'our server redeemed it for your order' : 'came by QR'
      await visitor.page.getByText(binding).waitFor()
      expect(await visitor.page.getByRole('link', { name: 'The API reference' }).getAttribute('href')).toBe(
        '/docs',
      )
    })
  })

  it('refuses a visitor who is not over 18', () =>
    checked('rejected', async (visitor, device) => {
      await toProof(visitor.page, 'North Meadow')
      const telling = { claims: { age_over_18: false } }
      await (device === 'phone' ? respondHere(visitor, telling) : respondThere(visitor, telling))
      await arrived(visitor.page, 'verification.rejected')
    }))

  it('shows that a verification was declined or canceled, and also sells a product that needs no proof', async () => {
    await checked('declined', async ({ page }) => {
      await toProof(page, 'Midnight Plum')
      await stage.service.wallet.decline(await receive(page), 'access_denied')
      await page.locator('#back').click()
      await arrived(page, 'verification.declined')
    })
    const { page } = await enter()
    await toProof(page, 'Midnight Plum')
    await page.goto(`${BASE_URL}/demo`)
    await page.getByRole('button', { name: 'Never mind' }).click()
    await arrived(page, 'verification.canceled')
    await checkPage(page, 'shop-canceled-desktop')
    await page.getByRole('button', { name: 'apple juice' }).click()
    await page.getByText('no questions asked').waitFor()
    await checkPage(page, 'shop-free-desktop')
  })
})

async function take(page: Page, name: string) {
  await page.getByRole('button', { name: `Take one: ${name}` }).click()
}

/** Opens the session page. */
async function toProof(page: Page, name: string) {
  await take(page, name)
  await page.getByRole('button', { name: 'Prove that you are over 18' }).click()
  await page.waitForURL(/\/s\/v_/)
}

/** Waits for the webhook. */
async function arrived(page: Page, eventType: string) {
  await page.locator('.webhook').getByText('Signature verified').waitFor()
  await page.locator('.webhook pre').getByText(`"${eventType}"`).waitFor()
}

/** Runs in the page. */
function strokeOf(element: unknown): string {
  const page = globalThis as unknown as { getComputedStyle: (element: unknown) => { stroke: string } }
  return page.getComputedStyle(element).stroke
}
