// The pages of a session in each language, on a narrow phone: every text fits, and axe finds no violation. A
// language that is written from right to left mirrors the page.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { LANGUAGES } from '../../../src/session/views/page-language.ts'
import { DEVICES, describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'
import { relyingPartyOf, respondWithAge } from '../../support/service/stage.ts'

const RETURN_URL = 'https://shop.example/done'
const SHOP = { name: 'Corner Wine Shop', return_urls: [RETURN_URL] }
const POLICY = { ...OVER_18, return_url: RETURN_URL }
const NARROW = { ...DEVICES.phone, viewport: { width: 320, height: 640 } }

describeInBrowser('the session page on a narrow phone', () => {
  const stage = useBrowserStage()

  it('is shown in each language; every text fits, and axe finds no violation', async () => {
    const rp = await relyingPartyOf(stage, SHOP)
    const [open, ended, linkOnly] = await Promise.all(
      [POLICY, POLICY, { ...OVER_18, required_session_binding: 'page' }].map((body) => rp.create(body)),
    )
    const request = await stage.service.wallet.receive(ended!.wallet_request.uri)
    await respondWithAge(stage, request, { claims: { age_over_18: false } })
    const addresses = [open, ended, linkOnly].map((session) => session!.session_url)
    for (const language of LANGUAGES) {
      const { page } = await stage.visitor({ ...NARROW, locale: language, reducedMotion: 'reduce' })
      for (const address of [...addresses, `${BASE_URL}/v1/verify/v_1/return`]) {
        await page.goto(address)
        expect(await page.locator('html').getAttribute('lang')).toBe(language)
        if (address === addresses[0]) await checkPage(page, `language-${language}-320`)
        expect([language, address, await page.evaluate(SHOW_ALL)]).toEqual([language, address, 0])
      }
      await page.context().close()
    }
  })

  it('is mirrored for a language that is written from right to left', async () => {
    const rp = await relyingPartyOf(stage, SHOP)
    const session = await rp.create({
      ...POLICY,
      credential_types: ['pid'],
      scope: ['family_name', 'birthdate'],
    })
    const { page } = await stage.visitor({ ...NARROW, reducedMotion: 'reduce' })
    await page.goto(session.session_url)
    const before = await markOf(page)
    await page.evaluate("document.documentElement.dir = 'rtl'")
    const after = await markOf(page)
    expect(before.left).toBeGreaterThan(before.right)
    expect(after).toEqual({ left: before.right, right: before.left })
    await checkPage(page, 'right-to-left-320')
  })
})

/** Returns the space on both sides of a claim, in pixels. The mark of the list is in the larger one. */
function markOf(page: Page): Promise<{ readonly left: number; readonly right: number }> {
  return page.evaluate(`(() => {
    const { paddingLeft, paddingRight } = getComputedStyle(document.querySelector('.ask li'))
    return { left: parseFloat(paddingLeft), right: parseFloat(paddingRight) }
  })()`)
}

/**
 * Runs in the page: shows each text of its script in turn, and returns the largest horizontal overflow in
 * pixels.
 */
const SHOW_ALL = `(() => {
  const { states, refusals = {}, ...others } = JSON.parse(document.querySelector('main').dataset.page)
  const families = Object.values(refusals).map((text) => ({ text }))
  const overflows = [{}, ...Object.values(states ?? others), ...families].map(({ title, text }) => {
    if (title) document.getElementById('title').textContent = title
    if (text) document.getElementById('text').textContent = text
    return document.documentElement.scrollWidth - document.documentElement.clientWidth
  })
  return Math.max(...overflows)
})()`
