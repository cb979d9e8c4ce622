// The list of verifications in the console: what it shows, how it is searched, and that it stays still.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { openConsole, signIn, WITH_CONSOLE } from '../../support/browser/console-page.ts'
import { listEntry } from '../../support/browser/list-entry.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { BASE_URL, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf } from '../../support/service/stage.ts'

const SCRIPT = '<script>document.title = "owned"</script>'

describeInBrowser('the list of verifications', () => {
  const stage = useBrowserStage({ env: WITH_CONSOLE })

  /** Creates a verification of each outcome. Returns their ids. */
  async function createSome(rp: RelyingParty, outcomes: readonly (string | null)[]) {
    const ids: string[] = []
    for (const [index, reason] of outcomes.entries()) {
      const metadata = { order: String(4711 + index) }
      const { verification_id } = await rp.create({ ...OVER_18, metadata })
      if (reason !== null)
        await rp.call('POST', `/v1/test/verify/${verification_id}/outcome`, { body: { reason } })
      ids.push(verification_id)
    }
    return ids
  }

  it('shows script code in names and metadata as plain text', async () => {
    const rp = await relyingPartyOf(stage, { name: `Shop ${SCRIPT}` })
    await rp.create({ ...OVER_18, metadata: { note: SCRIPT } })
    const page = await openConsole(stage, rp.api_key)
    await page.getByText(`note=${SCRIPT}`).waitFor()
    expect(await page.title()).toBe(`Verifications · Shop ${SCRIPT} · Console`)
    expect(await page.locator('script').count()).toBe(1)
  })

  it('says that there is no verification', async () => {
    const rp = await relyingPartyOf(stage)
    const page = await openConsole(stage, rp.api_key)
    await page.getByText('No verification matches.').first().waitFor()
    await checkPage(page, 'console-list-empty')
  })

  it('names above the table the days that the list leaves out', async () => {
    const rp = await relyingPartyOf(stage)
    await rp.create()
    const page = await openConsole(stage, rp.api_key)
    await page.locator('.rows li').first().waitFor()
    expect(await page.getByText('are not included').count()).toBe(0)
    const incomplete = ['2026-11-19', '2026-11-21']
    const body = { verifications: [listEntry(0)], next: null, has_more: false, incomplete }
    await page.route(/\/console\/api\/v1\/verify\?/, (route) => route.fulfill({ json: body }))
    const line = page.getByText('list could not be read: 2026-11-19, 2026-11-21')
    await line.waitFor()
    const topOf = async (place: typeof line) => (await place.boundingBox())?.y ?? Number.NaN
    expect(await topOf(line)).toBeLessThan(await topOf(page.locator('.rows')))
    await checkPage(page, 'console-list-left-out')
  })

  it('finds verifications by id, metadata, status and time, and keeps the filters in its URL', async () => {
    const rp = await relyingPartyOf(stage)
    const [verified = '', , declined = ''] = await createSome(rp, ['verified', null, 'access_denied'])
    const page = await openConsole(stage, rp.api_key)
    await page.locator('.rows li').nth(2).waitFor()

    await page.getByRole('searchbox').fill('order=4711')
    await page.getByRole('searchbox').press('Enter')
    await expectIds(page, [verified])
    expect(new URL(page.url()).hash).toBe('#/verifications?metadata.order=4711')

    await page.getByRole('searchbox').fill('')
    await page.locator('.search summary').click()
    await page.getByLabel('declined').check()
    await page.getByLabel('expired').check()
    await page.getByLabel('Created from').fill('2026-01-01T00:00:00')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expectIds(page, [declined])
    expect(page.url()).toMatch(/\?status=declined&status=expired&created_after=(2026-01-01|2025-12-31)T/)

    await page.reload()
    await expectIds(page, [declined])
    expect(await page.getByLabel('declined').isChecked()).toBe(true)
    expect(await page.getByLabel('Created from').inputValue()).toBe('2026-01-01T00:00')

    await page.getByRole('searchbox').fill(verified)
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('heading', { level: 1, name: verified }).waitFor()
    await page.goBack()
    await expectIds(page, [declined])
  })

  it('shows new verifications without a reload, and does not move rows while the list is used', async () => {
    const rp = await relyingPartyOf(stage)
    const [first = ''] = await createSome(rp, [null])
    const page = await openConsole(stage, rp.api_key)
    await expectIds(page, [first])
    await page.mouse.move(5, 5)
    const [second = ''] = await createSome(rp, [null])
    await expectIds(page, [second, first])

    await page.locator('.rows li').first().hover()
    const [third = ''] = await createSome(rp, [null])
    const button = page.getByRole('button', { name: 'Show new ones (1)' })
    await button.waitFor()
    await expectIds(page, [second, first])
    await checkPage(page, 'console-list-new')
    await page.getByText('There are new verifications.').first().waitFor()
    await button.click()
    await expectIds(page, [third, second, first])
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Verifications')

    await rp.call('POST', `/v1/verify/${third}/cancel`)
    await page.locator('.rows .canceled').waitFor()
  })

  it('is read again every 30 s while the newest page has no match, and still shows older matches', async () => {
    const rp = await relyingPartyOf(stage)
    const { page } = await stage.visitor()
    const newest: unknown[] = []
    await page.addInitScript(SHORT_PAUSES)
    await page.route(/\/console\/api\/v1\/verify\?/, (route) => {
      const isOlder = new URL(route.request().url()).searchParams.has('after')
      if (!isOlder) newest.push(route)
      const json = isOlder
        ? { verifications: [listEntry(7)], next: null, has_more: false }
        : { verifications: [], next: 'older', has_more: true }
      return route.fulfill({ json })
    })
    await signIn(page, BASE_URL, rp.api_key)
    await page.getByText('No match on this page.').waitFor()
    await page.getByRole('button', { name: 'Load older ones' }).click()
    await expectIds(page, ['v_7'])
    const before = newest.length
    await expect.poll(() => newest.length).toBeGreaterThan(before + 1)
    await expectIds(page, ['v_7'])
    expect(await page.evaluate('[...pauses].filter((pause) => pause >= 1000)')).toEqual([30_000])
  })

  it('stays visible while the service does not respond, and a message appears', async () => {
    const rp = await relyingPartyOf(stage)
    const [first = ''] = await createSome(rp, [null])
    const page = await openConsole(stage, rp.api_key)
    await expectIds(page, [first])
    await page.route(/\/console\/api\//, (route) => route.abort())
    await page.getByText('The service did not respond.').first().waitFor()
    await expectIds(page, [first])
    await checkPage(page, 'console-list-unreachable')
  })

  it('returns from a verification to the same scroll position, and moves the focus to each heading', async () => {
    const rp = await relyingPartyOf(stage)
    await createSome(
      rp,
      Array.from({ length: 30 }, () => null),
    )
    const page = await openConsole(stage, rp.api_key, { viewport: { width: 1280, height: 500 } })
    await page.locator('.rows li[aria-setsize="30"]').first().waitFor()
    await page.mouse.wheel(0, 5_000)
    await expect.poll(() => page.evaluate(SCROLL_LEFT)).toBeLessThan(1)
    await page.locator('.rows li[aria-posinset="30"]').waitFor()
    const place = await page.evaluate('scrollY')
    await page.locator('.rows li[aria-posinset="30"] a').click()
    await page.getByRole('heading', { level: 1, name: /^Verification v_/ }).waitFor()
    expect(await page.evaluate("document.activeElement.tagName + ' ' + scrollY")).toBe('H1 0')
    await page.getByRole('link', { name: '← Verifications' }).click()
    await expect.poll(() => page.evaluate('scrollY')).toBe(place)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Verifications')
  })
})

/** Runs in the page: shortens pauses of 30 s, and keeps the length of each pause in `pauses`. */
const SHORT_PAUSES = `
  const wait = setTimeout
  globalThis.pauses = new Set()
  globalThis.setTimeout = (run, pause, ...rest) => {
    pauses.add(pause)
    return wait(run, pause === 30_000 ? 100 : pause, ...rest)
  }`

/** Runs in the page: returns the pixels below the screen. */
const SCROLL_LEFT = 'document.documentElement.scrollHeight - innerHeight - scrollY'

/** Waits until the list shows these ids. */
async function expectIds(page: Page, ids: readonly string[]): Promise<void> {
  await expect.poll(() => page.locator('.rows .id').allInnerTexts()).toEqual(ids)
}
