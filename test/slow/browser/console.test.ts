// The largest pages of the console on a phone, on a desktop and on 320 pixels, in each mode of colours and in
// each language. test/slow/console has the rest.

import { describe, expect, it } from 'vitest'
import { DEVICES, describeInBrowser, useOwnBrowserStage } from '../../support/browser/browser-stage.ts'
import {
  checkConsole,
  hasDelivered,
  hasLoaded,
  hasRows,
  openConsole,
  openPlace,
  shiftsOf,
  signIn,
  WITH_CONSOLE,
} from '../../support/browser/console-page.ts'
import { PLOTS, withMadeCounters } from '../../support/browser/insights.ts'
import { checkPage, overflowOf, saveScreenshot } from '../../support/browser/page-check.ts'
import { BASE_URL, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { finish, relyingPartyOf } from '../../support/service/stage.ts'

const LANGUAGES = ['de', 'es', 'fr', 'it', 'en']
/** Runs in the page: opens every part that can be opened. */
const OPEN_ALL = "document.querySelectorAll('details').forEach((part) => { part.open = true })"

describeInBrowser('a page of the console with every part unfolded', () => {
  const stage = useOwnBrowserStage({ env: WITH_CONSOLE })

  describe.each(['phone', 'desktop'] as const)('on a %s', (device) => {
    const visit = async () => (await stage.visitor({ ...DEVICES[device], reducedMotion: 'reduce' })).page

    it('is accessible: insights, with the table of each plot', async () => {
      const page = await visit()
      await withMadeCounters(page)
      await openPlace(page, stage.rp.api_key, 'insights')
      await page
        .locator('figure canvas')
        .nth(PLOTS.length - 1)
        .waitFor()
      await saveScreenshot(page, `console-insights-${device}`)
      await page.locator('figcaption').nth(1).scrollIntoViewIfNeeded()
      await page.getByLabel('24 hours').check()
      await page.locator('.insights[aria-busy="false"]').waitFor()
      for (const summary of await page.locator('figure summary').all()) await summary.click()
      await checkConsole(page, `console-insights-plots-${device}`)
    })

    it('is accessible: developers', async () => {
      const rp = await relyingPartyOf(stage, { name: 'Corner Wine Shop' })
      const page = await visit()
      await openPlace(page, rp.api_key, 'developers')
      await hasRows(page, 'Wallets', 22)
      await hasLoaded(page)
      await saveScreenshot(page, `console-developers-${device}`)
      for (const summary of await page.locator('main summary').all()) await summary.click()
      await checkConsole(page, `console-developers-open-${device}`)
    })

    it('is accessible: the operator, and a relying party', async () => {
      await relyingPartyOf(stage, { name: 'Corner Wine Shop' })
      const page = await visit()
      await openPlace(page, stage.service.server.adminToken, 'operator')
      await page.getByRole('table', { name: 'Metrics' }).waitFor()
      await page.getByRole('table', { name: 'Certificates by expiry' }).waitFor()
      await hasLoaded(page)
      await checkConsole(page, `console-operator-${device}`)
      await page.getByRole('link', { name: 'Corner Wine Shop' }).last().click()
      await page.getByRole('heading', { name: 'Delete the relying party' }).waitFor()
      await hasLoaded(page)
      await checkConsole(page, `console-relying-party-${device}`)
    })
  })

  it('never scrolls horizontally in any language, and shows each check with its result', async () => {
    const rp = await relyingPartyOf(stage, { name: 'A_name_without_a_place_to_break_it_for_a_line' })
    const { session } = await finish(stage, {}, { ...OVER_18, metadata: { order: '4'.repeat(200) } }, rp)
    const { page } = await stage.visitor({
      viewport: { width: 320, height: 640 },
      colorScheme: 'dark',
      hasTouch: true,
    })
    const heading = page.getByRole('heading', { level: 1 })
    const show = async (place: string, title: string) => {
      await page.goto(`${BASE_URL}/console${place}`)
      await heading.filter({ hasText: title }).waitFor()
      await hasLoaded(page)
      await page.evaluate(OPEN_ALL)
      for (const language of LANGUAGES) {
        await page.getByRole('banner').getByRole('combobox').selectOption(language)
        await page.locator(`html[lang=${language}]`).waitFor()
        expect(await overflowOf(page), `${place} in ${language}`).toBe(0)
      }
    }
    await signIn(page, BASE_URL, rp.api_key)
    await show('#/verifications', 'Verifications')
    await show('#/insights', 'Insights')
    await show('#/developers', 'Developers')
    await show(`#/verifications/${session.verification_id}`, session.verification_id)
    const { trace } = await rp.poll(session.verification_id)
    const rows = page.getByRole('table', { name: 'Checks' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(trace.length)
    for (const row of await rows.all()) {
      const { width } = (await row.locator('.result').boundingBox())!
      expect(width, await row.innerText()).toBeGreaterThan(20)
    }
    expect(await overflowOf(page)).toBe(0)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await heading.filter({ hasText: 'Sign in' }).waitFor()
    for (const language of LANGUAGES) {
      await page.evaluate(`localStorage.setItem('console-language', '${language}')`)
      await page.reload()
      await page.locator(`html[lang=${language}] #token`).waitFor()
      expect(await overflowOf(page), `sign-in in ${language}`).toBe(0)
    }
    await signIn(page, BASE_URL, stage.service.server.adminToken)
    await show('', 'Operator')
  })
})

const SIZES = { ...DEVICES, 320: { viewport: { width: 320, height: 640 } } }

describeInBrowser('in the console', () => {
  const stage = useOwnBrowserStage({ env: WITH_CONSOLE })

  /** Creates a verification with an outcome, or with `null` a pending one. */
  async function create(rp: RelyingParty, reason: string | null, order = 4711): Promise<string> {
    const { verification_id: id } = await rp.create({ ...OVER_18, metadata: { order: String(order) } })
    if (reason !== null) await rp.call('POST', `/v1/test/verify/${id}/outcome`, { body: { reason } })
    return id
  }

  describe.each(Object.entries(SIZES))('on %s, in light, dark and forced colours,', (size, device) => {
    it('the list shows each verification with its status, reason and metadata', async () => {
      const rp = await relyingPartyOf(stage, { name: 'Corner Wine Shop' })
      for (const [i, reason] of ['verified', 'predicate_false', 'access_denied', null].entries())
        await create(rp, reason, 4711 + i)
      const page = await openConsole(stage, rp.api_key, device)
      await page.locator('.rows li').nth(3).waitFor()
      await expect
        .poll(() => page.locator('.rows .status').allInnerTexts())
        .toEqual(['pending', 'declined', 'rejected', 'verified'])
      await page.locator('.rows').getByText('predicate_false').first().waitFor()
      await page.locator('.rows').getByText('order=4711').first().waitFor()
      expect(await shiftsOf(page)).toEqual([])
      expect(await page.title()).toBe('Verifications · Corner Wine Shop · Console')
      await checkPage(page, `console-list-${size}`, { dark: true, forced: true })
      await page.locator('.search summary').click()
      await checkPage(page, `console-filters-${size}`)
    })

    it('the page of a verification shows its timeline, checks, level and receipt', async () => {
      const rp = await relyingPartyOf(stage, { name: 'Corner Wine Shop' })
      const id = await create(rp, 'verified')
      await hasDelivered(rp, id)
      const page = await openConsole(stage, rp.api_key, { hash: `#/verifications/${id}`, ...device })
      await page.locator('.state.delivered').waitFor()
      expect(await shiftsOf(page)).toEqual([])
      await expect
        .poll(() => page.locator('.timeline strong').allInnerTexts())
        .toEqual(['Created', 'Request fetched', 'Ended', 'Webhook'])
      const checks = page.getByRole('region', { name: 'Checks' })
      expect(await checks.getByRole('row', { name: /holder_binding/ }).innerText()).toMatch(/§.*passed/s)
      const level = page.getByRole('region', { name: 'How the level was derived' })
      expect(await level.getByRole('row', { name: /Trust in the issuer/ }).innerText()).toMatch(/high|low/)
      await page.getByRole('button', { name: 'Fetch and check the receipt' }).click()
      await page.getByText('Valid: signed by this service').first().waitFor()
      await page.getByText('What was sent').click()
      await page.evaluate('scrollTo(0, 0)')
      await checkPage(page, `console-verified-${size}`, { dark: true, forced: true })
    })
  })
})
