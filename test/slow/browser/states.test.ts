// Every state of the session page, on a phone and on a desktop. Axe finds no violation, in light and dark
// mode, and for the states with buttons in forced colours and on 320 pixels.

import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  DEVICES,
  type Device,
  describeInBrowser,
  useBrowserStage,
  type Visitor,
} from '../../support/browser/browser-stage.ts'
import { LOGO } from '../../support/browser/logo.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { type CreatedSession, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf, respondWithAge } from '../../support/service/stage.ts'
import { PAYMENT } from '../../support/service/transaction-data.ts'

const RETURN_URL = 'https://shop.example/done'
const SHOP = { name: 'Corner Wine Shop', return_urls: [RETURN_URL], branding: { color: '#7a1f3d' } }
const WHY = 'Wine and spirits are sold to adults only.'
const LINK_ONLY = { ...OVER_18, required_session_binding: 'page' }
const BANK = {
  name: 'Sparbank Musterstadt',
  livemode: true,
  webhook: null,
  branding: { color: '#0f7a4d', logo: LOGO },
}

describeInBrowser('the session page, accessible and complete on a phone and on a desktop,', () => {
  const stage = useBrowserStage()

  /** Checks a session's page on each device, in the state that `show` brings it to. */
  const checked = async (
    name: string,
    { settings = SHOP, policy = {}, prepare, show = async () => {}, after, ...look }: StateSetup,
  ): Promise<void> => {
    const rp = await relyingPartyOf(stage, settings)
    const back = 'return_urls' in settings ? { return_url: RETURN_URL } : {}
    const session = await rp.create({ ...OVER_18, ...back, purpose: WHY, ...policy })
    const open = async (device: BrowserContextOptions) => {
      const visitor = await stage.visitor({ ...device, reducedMotion: 'reduce' })
      await prepare?.(visitor)
      await visitor.page.goto(session.session_url)
      return visitor.page
    }
    const pages = await Promise.all(Object.values(DEVICES).map(open))
    await show({ session, rp, pages })
    const names = Object.keys(DEVICES).map((device) => `${name}-${device}`)
    await Promise.all(pages.map((page, i) => checkPage(page, names[i]!, look)))
    await after?.({ session, rp, pages })
  }

  const receive = ({ wallet_request }: CreatedSession) => stage.service.wallet.receive(wallet_request.uri)

  it('has buttons for a wallet and a document on the phone, and for an Android phone and an iPhone nearby on the desktop', () =>
    checked('waiting', {
      dark: true,
      forced: true,
      show: async ({ pages: [phone, desktop] }) => {
        await showButtons(phone!, [
          'a wallet on this device',
          'a document on this device, such as a driving licence',
        ])
        await desktop!.locator('#others > summary').click()
        await showButtons(desktop!, ['an Android phone nearby', 'an iPhone nearby'])
        await desktop!.locator('#others > summary').click()
      },
      after: async ({ pages }) => {
        for (const device of ['phone', 'desktop'] as const) await narrow('waiting', device)({ pages })
      },
    }))

  it('waits for a document that only the Digital Credentials API can request', () =>
    checked('browser-only', {
      policy: { protocol: 'iso-18013-7-c' },
      dark: true,
      forced: true,
      show: async ({ pages: [phone, desktop] }) => {
        await showButtons(phone!, ['a wallet on this device'])
        await showButtons(desktop!, ['a wallet on a phone nearby'])
        for (const page of [phone!, desktop!]) expect(await page.locator('#qr').count()).toBe(0)
      },
      after: narrow('browser-only'),
    }))

  it('waits for the wallet if the page has a link and no QR code', () =>
    checked('link-only', { policy: LINK_ONLY }))

  it('asks for the confirmation of a payment, with the logo of the relying party', () =>
    checked('payment', {
      settings: BANK,
      policy: { formats: ['dc+sd-jwt'], transaction_data: [PAYMENT], purpose: 'To carry out your payment.' },
      dark: true,
      after: async ({ pages }) => {
        for (const page of pages) {
          const [money, claims] = await Promise.all(
            ['.money', '.ask ul'].map((part) => page.locator(part).boundingBox()),
          )
          expect(money!.y).toBeLessThan(claims!.y)
          expect(await page.locator('.money').evaluate(fontSizeOf)).toBe('28px')
        }
      },
    }))

  it('shows that the link was pressed', () =>
    checked('link-opened', {
      policy: LINK_ONLY,
      show: async ({ pages }) => {
        for (const page of pages) {
          await page.locator('#link').click()
          await page.locator('#link-now').waitFor()
        }
      },
    }))

  it('shows that its QR code was scanned', () =>
    checked('scanned', {
      dark: true,
      show: async ({ session, pages }) => {
        await receive(session)
        await reach(pages, 'scanned')
      },
    }))

  it('shows why a response was refused, until the person asks for a new QR code', () =>
    checked('refused', {
      dark: true,
      forced: true,
      show: async ({ session, rp, pages }) => {
        await refuse(rp, session, 'untrusted_issuer')
        await reach(pages, 'refused')
        await pages[0]!.getByText('its issuer could not be confirmed').waitFor()
      },
      after: async ({ session, rp, pages }) => {
        await narrow('refused')({ pages })
        const [page, other] = pages as [Page, Page]
        for (const one of pages) await one.getByRole('link', { name: 'Show a new code' }).click()
        await reach(pages, 'waiting')
        expect(await page.evaluate('document.activeElement.id')).toBe('title')
        // The next refusal shows, and its text replaces the text before.
        await refuse(rp, session, 'decryption_failed')
        await reach(pages, 'refused')
        await page.getByText('in a form that cannot be read here').waitFor()
        await refuse(rp, session, 'status_unavailable')
        await page.getByText('could not be checked right now').waitFor()
        await page.getByRole('link', { name: 'Show a new code' }).click()
        await reach([page], 'waiting')
        await page.reload()
        await reach([page], 'waiting')
        await other.reload()
        await reach([other], 'refused')
        expect((await rp.poll(session.verification_id)).status).toBe('pending')
      },
    }))

  it('offers a new QR code if no response arrives within 30 s after a request was fetched', () => {
    const begin = Date.now()
    return checked('scanned-late', {
      prepare: ({ page }) => page.clock.setFixedTime(begin), // timers run, and the time is set by this test
      show: async ({ session, pages }) => {
        await receive(session)
        await reach(pages, 'scanned')
        for (const page of pages) {
          const before = await page.locator('#time').innerText()
          await page.clock.setFixedTime(begin + 29_000)
          await expect.poll(() => page.locator('#time').innerText()).not.toBe(before)
          expect(await page.locator('#new-code').isVisible()).toBe(false)
          await page.clock.setFixedTime(begin + 30_000)
          await page.locator('#new-code').waitFor()
        }
      },
      after: async ({ pages }) => {
        for (const page of pages) await page.locator('#new-code').click()
        await reach(pages, 'waiting')
      },
    })
  })

  it('waits for the person to return from the wallet', () =>
    checked('returning', {
      policy: LINK_ONLY,
      show: async ({ pages }) => {
        const [page] = pages
        const answer = page!.waitForResponse(/\/link$/)
        await page!.locator('#link').click()
        const { uri } = (await (await answer).json()) as { uri: string }
        await respondWithAge(stage, await stage.service.wallet.receive(uri))
        await reach(pages, 'returning')
      },
    }))

  it('shows the outcome verified', () =>
    checked('verified', {
      dark: true,
      show: async ({ session, pages }) => {
        await respondWithAge(stage, await receive(session))
        await reach(pages, 'verified')
      },
    }))

  it('shows the outcome rejected', () =>
    checked('rejected', {
      dark: true,
      show: async ({ session, pages }) => {
        await respondWithAge(stage, await receive(session), { claims: { age_over_18: false } })
        await reach(pages, 'rejected')
      },
    }))

  it('shows the outcome declined', () =>
    checked('declined', {
      show: async ({ session, pages }) => {
        await stage.service.wallet.decline(await receive(session), 'access_denied')
        await reach(pages, 'declined')
      },
    }))

  it('shows the outcome expired', () =>
    checked('expired', {
      // The shortest session lasts a minute, so the socket sends the end at once.
      prepare: ({ page }) =>
        page.routeWebSocket(/\/watch/, (socket) =>
          socket.send(JSON.stringify({ version: 2, status: 'expired', stage: 'done' })),
        ),
      show: ({ pages }) => reach(pages, 'expired'),
    }))

  it('shows the outcome canceled', () =>
    checked('canceled', {
      show: async ({ session, rp, pages }) => {
        await rp.call('POST', `/v1/verify/${session.verification_id}/cancel`)
        await reach(pages, 'canceled')
      },
    }))

  it('shows that the session is erased', () =>
    checked('gone', {
      show: async ({ session, rp, pages }) => {
        await rp.call('DELETE', `/v1/verify/${session.verification_id}`)
        await reach(pages, 'gone')
      },
    }))

  it('shows that the connection is lost', async () => {
    await checked('connection-lost', {
      show: async ({ pages }) => {
        stage.front.cut()
        for (const page of pages) await page.locator('#lost').waitFor()
      },
    })
    stage.front.mend()
  })
})

type StateSetup = {
  readonly settings?: object
  readonly policy?: object
  /** Before the page is opened. */
  readonly prepare?: (visitor: Visitor) => Promise<unknown>
  readonly show?: (page: OpenSession) => Promise<unknown>
  /** After the pictures. */
  readonly after?: (page: OpenSession) => Promise<unknown>
  readonly dark?: boolean
  readonly forced?: boolean
}

type OpenSession = {
  readonly session: CreatedSession
  readonly rp: RelyingParty
  readonly pages: readonly Page[]
}

/** Sends a response that is refused for a reason. */
async function refuse(rp: RelyingParty, { verification_id }: CreatedSession, reason: string): Promise<void> {
  const path = `/v1/test/verify/${verification_id}/outcome`
  expect((await rp.call('POST', path, { body: { reason } })).status).toBe(200)
}

/** Checks the page of a device on 320 pixels, scrolled to its last button. */
const narrow =
  (name: string, device: Device = 'phone') =>
  async ({ pages }: Pick<OpenSession, 'pages'>) => {
    const page = pages[Object.keys(DEVICES).indexOf(device)]!
    const size = page.viewportSize()!
    await page.setViewportSize({ width: 320, height: 640 })
    await page.locator('button:visible, .button:visible').last().scrollIntoViewIfNeeded()
    await checkPage(page, device === 'phone' ? `${name}-320` : `${name}-${device}-320`)
    await page.setViewportSize(size)
  }

/** Waits for exactly these buttons of the browser's own API. */
async function showButtons(page: Page, wallets: readonly string[]): Promise<void> {
  const words = wallets.map((wallet) => `Continue with ${wallet}`)
  await expect.poll(() => page.locator('button[id^=dc-api]:visible').allInnerTexts()).toEqual(words)
}

async function reach(pages: readonly Page[], state: string): Promise<void> {
  for (const page of pages) await page.locator(`main[data-state=${state}]`).waitFor()
}

/** Runs in the page. */
function fontSizeOf(element: unknown): string {
  const page = globalThis as unknown as { getComputedStyle: (element: unknown) => { fontSize: string } }
  return page.getComputedStyle(element).fontSize
}
