// A person in the demonstration shop, click by click: from the shelf to the webhook, each state clean before axe.

import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { readWithZxing } from '../qr/judges.ts'
import {
  DEVICES,
  describeInBrowser,
  useBrowserStage,
  type Visitor,
} from '../support/browser/browser-stage.ts'
import { judge } from '../support/browser/page-judge.ts'
import type { Telling } from '../support/people/person.ts'
import { BASE_URL } from '../support/service/service.ts'
import { trustAuthority, WITH_SHOP } from '../support/service/shop.ts'
import { answerAge } from '../support/service/stage.ts'

describeInBrowser('the demonstration shop', () => {
  const stage = useBrowserStage(WITH_SHOP)
  beforeAll(() => trustAuthority(stage))

  /** Both devices at what `go` leads to. */
  const judged = async (name: string, go: (visitor: Visitor, device: string) => Promise<void>) => {
    const each = async ([device, options]: [string, BrowserContextOptions]) => {
      const visitor = await enter(options)
      await go(visitor, device)
      await judge(visitor.page, `shop-${name}-${device}`, { dark: name === 'confirmed' })
    }
    await Promise.all(Object.entries(DEVICES).map(each))
  }

  const enter = async (options: BrowserContextOptions = {}) => {
    const visitor = await stage.visitor({ reducedMotion: 'reduce', ...options })
    await visitor.page.goto(`${BASE_URL}/demo`)
    return visitor
  }

  /** Answers by the link of the session page, and comes back as the wallet says. */
  const answerHere = async ({ page, walletUris }: Visitor, telling: Telling = {}) => {
    await page.locator('#link').click()
    await expect.poll(() => walletUris).toHaveLength(1)
    const request = await stage.service.wallet.receive(walletUris[0]!)
    const { redirect_uri } = (await (await answerAge(stage, request, telling)).json()) as {
      redirect_uri: string
    }
    await page.goto(redirect_uri)
    await page.waitForURL(`${BASE_URL}/demo`)
  }

  /** Answers from another device, by the QR. */
  const answerThere = async ({ page }: Visitor, telling: Telling = {}) => {
    await answerAge(stage, await receive(page), telling)
    await page.locator('#back').click()
    await page.waitForURL(`${BASE_URL}/demo`)
  }

  const receive = async (page: Page) => {
    const [uri] = await readWithZxing(new Uint8Array(await page.locator('#qr').screenshot()))
    return stage.service.wallet.receive(uri ?? '')
  }

  it('shows its shelf', () => judged('shelf', async () => {}))

  it('says beforehand what it will ask', () => judged('chosen', ({ page }) => take(page, 'Midnight Plum')))

  it('is clicked through with the test wallet: from the shelf to the webhook', async () => {
    const { page } = await enter()
    await toProof(page, 'Lost Packet')
    await page.locator('#test-wallet').click()
    await page.getByRole('button', { name: 'Share' }).click()
    await page.waitForURL(`${BASE_URL}/demo`)
    await arrived(page, 'verification.verified')
    expect(await page.locator('main').getAttribute('data-state')).toBe('confirmed')
    await page.getByText('our server redeemed it for your order').waitFor()
  })

  it('waits for the proof, and hears of it by itself', async () => {
    await judged('waiting', async ({ page }) => {
      await toProof(page, 'Lost Packet')
      await page.goto(`${BASE_URL}/demo`)
    })
    const { page } = await enter()
    await toProof(page, 'Lost Packet')
    const request = await receive(page)
    await page.goto(`${BASE_URL}/demo`)
    await page.locator('main[data-state=waiting]').waitFor()
    await answerAge(stage, request)
    await arrived(page, 'verification.verified')
    expect(await page.evaluate('document.activeElement.id')).toBe('title')
  })

  it('confirms the order of a person with the wallet on this device, and shows the webhook', async () => {
    await judged('confirmed', async (visitor, device) => {
      await toProof(visitor.page, 'Midnight Plum')
      // Beside a QR, the link is there for devices that are touched.
      await (device === 'phone' ? answerHere(visitor) : answerThere(visitor))
      await arrived(visitor.page, 'verification.verified')
      const binding = device === 'phone' ? 'our server redeemed it for your order' : 'came by QR'
      await visitor.page.getByText(binding).waitFor()
    })
  })

  it('refuses who is not over 18', () =>
    judged('rejected', async (visitor, device) => {
      await toProof(visitor.page, 'North Meadow')
      const telling = { claims: { age_over_18: false } }
      await (device === 'phone' ? answerHere(visitor, telling) : answerThere(visitor, telling))
      await arrived(visitor.page, 'verification.rejected')
    }))

  it('bears nobody a grudge who declines, and has apple juice', async () => {
    await judged('declined', async ({ page }) => {
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
    await judge(page, 'shop-canceled-desktop')
    await page.getByRole('button', { name: 'apple juice' }).click()
    await page.getByText('no questions asked').waitFor()
    await judge(page, 'shop-free-desktop')
  })
})

async function take(page: Page, name: string) {
  await page.getByRole('button', { name: `Take one: ${name}` }).click()
}

/** To the session page. */
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
