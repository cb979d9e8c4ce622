// Finding verifications in the console and taking them away: search, filters, saved views, files, time zone.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import {
  checkConsole,
  openConsole,
  openPage,
  signIn,
  WITH_CONSOLE,
} from '../../support/browser/console-page.ts'
import { listEntry } from '../../support/browser/list-entry.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { BASE_URL, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf } from '../../support/service/stage.ts'

const LIST = /\/console\/api\/v1\/verify\?/

describeInBrowser('the list of verifications, searched and saved', () => {
  const stage = useBrowserStage({ env: WITH_CONSOLE })

  async function create(rp: RelyingParty, metadata: object, reason?: string): Promise<string> {
    const { verification_id } = await rp.create({ ...OVER_18, metadata })
    if (reason !== undefined)
      await rp.call('POST', `/v1/test/verify/${verification_id}/outcome`, { body: { reason } })
    return verification_id
  }

  async function search(page: Page, text: string): Promise<void> {
    await page.getByRole('searchbox').fill(text)
    await page.getByRole('searchbox').press('Enter')
  }

  it('finds a verification by a part of its metadata or id, and opens a verification by its whole id', async () => {
    const rp = await relyingPartyOf(stage)
    const first = await create(rp, { order: 'A-10777' })
    const second = await create(rp, { customer: 'Erika' })
    const page = await openConsole(stage, rp.api_key)
    await expectIds(page, [second, first])
    await search(page, '10777')
    await expectIds(page, [first])
    expect(new URL(page.url()).hash).toBe('#/verifications?search=10777')
    expect(await page.getByRole('searchbox').inputValue()).toBe('10777')
    await search(page, 'eriKA')
    await expectIds(page, [second])
    await search(page, first.slice(5, 30))
    await expectIds(page, [first])
    await search(page, second)
    await page.getByRole('heading', { level: 1, name: second }).waitFor()
  })

  it('shows the refused responses of a pending verification, and filters by reason', async () => {
    const rp = await relyingPartyOf(stage)
    const refused = await create(rp, { order: '1' }, 'untrusted_issuer')
    const untouched = await create(rp, { order: '2' })
    const declined = await create(rp, { order: '3' }, 'access_denied')
    const page = await openConsole(stage, rp.api_key)
    await expectIds(page, [declined, untouched, refused])
    const row = page
      .locator('.rows li')
      .filter({ has: page.locator('.pending') })
      .last()
    await expect.poll(() => row.innerText()).toContain('1 refused: untrusted_issuer')
    await page.locator('.search summary').click()
    await page.getByLabel('Reason').selectOption('untrusted_issuer')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expectIds(page, [refused])
    expect(await page.getByLabel('Reason').inputValue()).toBe('untrusted_issuer')
    await checkConsole(page, 'console-list-refused')
    await page.getByLabel('Reason').selectOption('any')
    await page.getByLabel('Refused responses').selectOption('No')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expectIds(page, [declined, untouched])
    expect(page.url()).toContain('has_attempts=false')
  })

  it('says that a pending verification may have more refused responses than three', async () => {
    const rp = await relyingPartyOf(stage)
    const { page } = await stage.visitor()
    const entry = { ...listEntry(0), status: 'pending', attempt_count: 3 }
    const others = [
      { ...listEntry(1), status: 'pending', attempt_count: 2 },
      { ...listEntry(2), status: 'expired', attempt_count: 12 },
    ]
    const json = { verifications: [entry, ...others], next: null, has_more: false }
    await page.route(LIST, (route) => route.fulfill({ json }))
    await signIn(page, BASE_URL, rp.api_key)
    await expect
      .poll(() => page.locator('.rows .why').allInnerTexts())
      .toEqual(['3+ refused', '2 refused', '12 refused'])
  })

  it('saves every row that matches the filters as CSV, and no cell is a formula', async () => {
    const rp = await relyingPartyOf(stage)
    const first = await create(rp, { order: '=1+1', note: 'a "b", c' })
    await create(rp, { other: 'x' })
    const page = await openConsole(stage, rp.api_key)
    await page.locator('.rows li').nth(1).waitFor()
    await search(page, '=1+')
    await expectIds(page, [first])
    const [name, text] = await saved(page, () => page.getByRole('button', { name: 'Save as CSV' }).click())
    expect(name).toMatch(/^verifications-test-\d{4}-\d\d-\d\d\.csv$/)
    const [header = '', row = '', ...rest] = text.split('\r\n')
    expect(header).toMatch(/^\uFEFFverification_id,status,.*,livemode,metadata\.note,metadata\.order$/)
    expect(row.startsWith(`${first},pending,created,`)).toBe(true)
    expect(row.endsWith(`,false,"a ""b"", c",'=1+1`)).toBe(true)
    expect(rest).toEqual([''])
    await page.getByText(`${name} has all 1 rows.`).first().waitFor()
    await checkPage(page, 'console-list-csv')
  })

  it('reads page after page for the CSV file, shows its progress, and can be stopped', async () => {
    const rp = await relyingPartyOf(stage)
    const { page } = await stage.visitor()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(LIST, async (route) => {
      const after = Number(new URL(route.request().url()).searchParams.get('after') ?? 0)
      if (after === 2) await held
      const verifications = [listEntry(after), listEntry(after + 1)]
      await route.fulfill({ json: { verifications, next: String(after + 2), has_more: true } })
    })
    await signIn(page, BASE_URL, rp.api_key)
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    await page.getByText('2 rows read …').waitFor()
    const [, text] = await saved(page, async () => {
      await page.getByRole('button', { name: 'Stop here and save' }).click()
      release()
    })
    expect(text.split('\r\n')).toHaveLength(4 + 2)
    await page.getByText('has the newest 4 rows.').first().waitFor()
  })

  it('says why the CSV file cannot be made', async () => {
    const rp = await relyingPartyOf(stage)
    await create(rp, {})
    const page = await openConsole(stage, rp.api_key)
    await page.locator('.rows li').first().waitFor()
    await page.route(LIST, (route) => route.fulfill({ status: 429, json: { code: 'rate_limited' } }))
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    await page.locator('.export').getByText('Too many requests.').waitFor()
  })

  it('shows the time zone once on each page, and each `time` element contains the whole time in UTC', async () => {
    const rp = await relyingPartyOf(stage)
    await create(rp, {})
    const page = await openConsole(stage, rp.api_key, { timezoneId: 'Asia/Tokyo' })
    await page.locator('.rows li').first().waitFor()
    const zone = page.getByText('Times in Asia/Tokyo (UTC+9)')
    for (const open of ['list', 'verification', 'developers'] as const) {
      if (open === 'verification') await page.locator('.rows a').first().click()
      if (open === 'developers') await openPage(page, 'Developers')
      await page.locator('main time').first().waitFor()
      expect(await zone.count(), open).toBe(1)
      const times = await page.locator('main time').evaluateAll(timesOf as never)
      for (const time of times as string[]) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }
    await openPage(page, 'Insights')
    await page.getByText('Times in UTC').waitFor()
  })

  it('saves, opens, renames and deletes the filters of one relying party', async () => {
    const rp = await relyingPartyOf(stage)
    const other = await relyingPartyOf(stage)
    const id = await create(rp, { order: '10777' })
    const page = await openConsole(stage, rp.api_key)
    await expectIds(page, [id])
    await page.getByText('Saved views (0)').click()
    await page.getByText('Search or filter, then save').waitFor()
    await search(page, 'nothing')
    await page.getByText('No verification matches.').waitFor()
    await page.getByText('Saved views (0)').click()
    await page.getByLabel('Name of the view').fill('Empty orders')
    await page.getByRole('button', { name: 'Save these filters' }).click()
    await page.getByText('Saved views (1)').waitFor()
    await checkConsole(page, 'console-views')

    await search(page, '')
    await expectIds(page, [id])
    await page.reload()
    await page.getByText('Saved views (1)').click()
    await page.getByRole('link', { name: 'Empty orders' }).click()
    await page.getByText('No verification matches.').waitFor()
    expect(new URL(page.url()).hash).toBe('#/verifications?search=nothing')

    await page.getByText('Saved views (1)').click()
    await page.getByRole('button', { name: 'Rename Empty orders' }).click()
    await page.getByLabel('Name of the view').first().fill('Lost orders')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('link', { name: 'Lost orders' }).waitFor()
    expect(await page.getByRole('link', { name: 'Empty orders' }).count()).toBe(0)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key, or the operator').fill(other.api_key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Saved views (0)').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key, or the operator').fill(rp.api_key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Saved views (1)').click()
    await page.getByRole('button', { name: 'Delete Lost orders' }).click()
    await page.getByText('Saved views (0)').waitFor()
    expect(await page.evaluate("Object.keys(localStorage).filter((key) => key.includes('views'))")).toEqual(
      [],
    )
  })
})

/** Waits until the list shows these ids. */
async function expectIds(page: Page, ids: readonly string[]): Promise<void> {
  await expect.poll(() => page.locator('.rows .id').allInnerTexts()).toEqual(ids)
}

/** Returns name and text of the file that `work` makes the page save. */
async function saved(page: Page, work: () => Promise<void>): Promise<readonly [name: string, text: string]> {
  const [download] = await Promise.all([page.waitForEvent('download'), work()])
  return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')]
}

/** Runs in the page. */
function timesOf(elements: readonly { readonly dateTime: string }[]): readonly string[] {
  return elements.map(({ dateTime }) => dateTime)
}
