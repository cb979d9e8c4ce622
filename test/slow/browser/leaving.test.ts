// How people leave the session page: a person without a wallet declines, and after the end the page goes back
// by itself if the relying party wants it.

import { expect, it } from 'vitest'
import {
  DEVICES,
  type Device,
  describeInBrowser,
  useBrowserStage,
  type Visitor,
} from '../../support/browser/browser-stage.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { OVER_18 } from '../../support/service/service.ts'
import { eventOf, relyingPartyOf, respondWithAge } from '../../support/service/stage.ts'

const RETURN_URL = 'https://shop.example/done'
const SHOP = { name: 'Corner Wine Shop', return_urls: [RETURN_URL] }
const BACK = { ...OVER_18, return_url: RETURN_URL }
const SHOP_PAGE = '<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1>'

describeInBrowser('a person leaves the session page', () => {
  const stage = useBrowserStage()

  const open = async (visitor: Visitor, address: string) => {
    await visitor.host(RETURN_URL, SHOP_PAGE)
    await visitor.page.goto(address)
    return visitor.page
  }

  it.each(Object.keys(DEVICES) as Device[])(
    'in two presses without a wallet, and the shop’s server gets the event, on a %s',
    async (device) => {
      const session = await (await relyingPartyOf(stage, SHOP)).create(BACK)
      const page = await open(await stage.visitor(DEVICES[device]), session.session_url)
      await page.getByText('Do not share, back to').click()
      const yes = page.getByRole('button', { name: 'Yes, do not share' })
      await yes.scrollIntoViewIfNeeded()
      await checkPage(page, `leaving-${device}`, { dark: true, forced: true, narrow: device === 'phone' })
      await yes.click()
      await page.waitForURL(RETURN_URL)
      const { event } = await eventOf(stage, session.verification_id)
      expect(event).toMatchObject({
        event_type: 'verification.declined',
        status: 'declined',
        reason: { code: 'declined_on_page' },
      })
    },
  )

  it('in two presses, and the shop’s server gets the event within a second, in the fastest of up to five tries', async () => {
    const rp = await relyingPartyOf(stage, SHOP)
    const visitor = await stage.visitor()
    let fastest = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 5 && fastest >= 1_000; tries++) {
      const session = await rp.create(BACK)
      const page = await open(visitor, session.session_url)
      await page.getByText('Do not share, back to').click()
      const pressed = Date.now()
      await page.getByRole('button', { name: 'Yes, do not share' }).click()
      const { post } = await eventOf(stage, session.verification_id)
      fastest = Math.min(fastest, post.at - pressed)
      await page.waitForURL(RETURN_URL)
    }
    expect(fastest).toBeLessThan(1_000)
  })

  it('in two presses without JavaScript', async () => {
    const rp = await relyingPartyOf(stage, SHOP)
    const session = await rp.create(BACK)
    const page = await open(await stage.visitor({ javaScriptEnabled: false }), session.session_url)
    await page.getByText('Do not share, back to').click()
    await page.getByRole('button', { name: 'Yes, do not share' }).click()
    await page.waitForURL(RETURN_URL)
    expect((await rp.poll(session.verification_id)).reason?.code).toBe('declined_on_page')
  })

  it('also after a refused response, and sees the outcome on the page if the session has no return_url', async () => {
    const rp = await relyingPartyOf(stage, { name: 'Corner Wine Shop' })
    const session = await rp.create()
    const body = { reason: 'untrusted_issuer' }
    for (const device of Object.keys(DEVICES) as Device[]) {
      const { page } = await stage.visitor(DEVICES[device])
      await page.goto(session.session_url)
      if (device === 'phone') {
        await rp.call('POST', `/v1/test/verify/${session.verification_id}/outcome`, { body })
        await page.getByRole('heading', { name: 'Not accepted' }).waitFor()
        await page.getByText('Do not share', { exact: true }).click()
        await checkPage(page, 'leaving-refused-phone')
        await page.getByRole('button', { name: 'Yes, do not share' }).click()
      }
      await page.getByText('You shared nothing.').waitFor()
      await page.getByText('You can close this page.').waitFor()
      await checkPage(page, `left-${device}`, { dark: true, narrow: device === 'phone' })
    }
  })

  it('automatically after the end, if the relying party set return_automatically and the page is visible', async () => {
    const rp = await relyingPartyOf(stage, SHOP)
    const session = await rp.create({ ...BACK, return_automatically: true })
    const pages = await Promise.all(
      (Object.keys(DEVICES) as Device[]).map(async (device) => {
        const visitor = await stage.visitor(DEVICES[device])
        await visitor.page.addInitScript(HIDDEN)
        return { device, page: await open(visitor, session.session_url) }
      }),
    )
    await respondWithAge(stage, await stage.service.wallet.receive(session.wallet_request.uri))
    for (const { page, device } of pages) {
      await page.getByText('In a few seconds you go back to').waitFor()
      expect(await page.getByText('You can close this page.').count()).toBe(0)
      await checkPage(page, `going-back-${device}`, { dark: true, forced: true, narrow: device === 'phone' })
      expect(page.url()).toBe(session.session_url)
    }
    const [phone, desktop] = pages
    await phone!.page.getByRole('button', { name: 'Stay on this page' }).click()
    for (const { page } of pages) await page.evaluate('globalThis.isHidden = false')
    await desktop!.page.waitForURL(RETURN_URL)
    expect(phone!.page.url()).toBe(session.session_url)
    expect(await phone!.page.evaluate('document.activeElement.id')).toBe('back')
  })

  it('and opens the address for the outcome, which contains the id or the status', async () => {
    const addresses = {
      return_url: `${RETURN_URL}?id={verification_id}`,
      failure_return_url: `${RETURN_URL}?end={status}`,
    }
    const rp = await relyingPartyOf(stage, { ...SHOP, return_urls: Object.values(addresses) })
    for (const end of ['verified', 'canceled']) {
      const session = await rp.create({ ...OVER_18, ...addresses })
      const visitor = await stage.visitor()
      const filled =
        end === 'verified' ? `${RETURN_URL}?id=${session.verification_id}` : `${RETURN_URL}?end=canceled`
      await visitor.host(filled, SHOP_PAGE)
      await visitor.page.goto(session.session_url)
      if (end === 'canceled') await rp.call('POST', `/v1/verify/${session.verification_id}/cancel`)
      else await respondWithAge(stage, await stage.service.wallet.receive(session.wallet_request.uri))
      await visitor.page.getByRole('link', { name: 'Back to' }).click()
      await visitor.page.waitForURL(filled)
    }
  })

  it.each([
    ['credential_expired', 'has expired'],
    ['credential_revoked', 'was revoked or suspended by its issuer'],
    ['predicate_false', 'is not suitable for this request'],
  ])('the page first shows why the document was rejected: %s', async (reason, words) => {
    const rp = await relyingPartyOf(stage, SHOP)
    const session = await rp.create(BACK)
    const pages = await Promise.all(
      (Object.keys(DEVICES) as Device[]).map(async (device) => {
        const { page } = await stage.visitor(DEVICES[device])
        await page.goto(session.session_url)
        return { device, page }
      }),
    )
    await rp.call('POST', `/v1/test/verify/${session.verification_id}/outcome`, { body: { reason } })
    for (const { device, page } of pages) {
      await page.getByText(words).waitFor()
      expect(await page.content()).not.toContain(reason)
      await checkPage(page, `rejected-${reason}-${device}`, { dark: true, narrow: device === 'phone' })
    }
    const [{ page }] = pages as [(typeof pages)[0]]
    await page.reload()
    await page.getByText(words).waitFor()
  })
})

/** Lets a page believe that it is hidden until the test says otherwise. */
const HIDDEN = `globalThis.isHidden = true
Object.defineProperty(document, 'hidden', { get: () => globalThis.isHidden })`
