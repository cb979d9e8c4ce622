// The console's page of the audit log: who changed what, its filters, its pages and its file.

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { DEVICES, describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import {
  checkConsole,
  confirmed,
  hasRows,
  keyWith,
  openPlace,
  rowsOf,
} from '../../support/browser/console-page.ts'
import { saveScreenshot } from '../../support/browser/page-check.ts'
import { relyingPartyOf } from '../../support/service/stage.ts'

/** Returns the names before the values of the first row that are wholly in sight. */
function namedCells(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll('tbody tr:first-child td')]
    .filter((cell) => cell.getBoundingClientRect().right <= innerWidth)
    .map((cell) => getComputedStyle(cell, '::before').content)
    .filter((content) => content !== 'none')
    .map((content) => JSON.parse(content))`)
}

describeInBrowser('the audit page of the console', () => {
  const stage = useBrowserStage({ env: { CONSOLE: '1' } })

  const visit = async (token: string, place = 'audit') => {
    const { page } = await stage.visitor({ reducedMotion: 'reduce' })
    await openPlace(page, token, place)
    return page
  }

  it('shows who created an API key and who signed in, and the list of keys shows the name and last use of the key', async () => {
    const rp = await relyingPartyOf(stage)
    const page = await visit(rp.api_key, 'developers')
    await page.getByText('New API key').first().click()
    const form = page.getByRole('form', { name: 'New API key' })
    await form.getByLabel('Name').fill('=Till 3')
    await form.getByLabel('verify:read').check()
    await form.getByRole('button', { name: 'Create the key' }).click()
    const secret = page.getByRole('textbox', { name: 'New API key' })
    await secret.waitFor()
    await rp.call('GET', '/v1/verify', { token: await secret.inputValue() })
    const isUsed = async () => {
      await page.reload()
      await hasRows(page, 'API keys', 2)
      return (await rowsOf(page, 'API keys')).map((cells) => [cells[0], cells[5] !== '–'])
    }
    await expect.poll(isUsed, { interval: 1_000 }).toEqual([
      ['–', true],
      ['=Till 3', true],
    ])
    await page.getByRole('link', { name: 'Audit' }).click()
    await hasRows(page, 'Audit', 3)
    const shown = (await rowsOf(page, 'Audit')).map((cells) => cells.slice(1))
    const own = `${rp.api_key.split('.')[1]} · API key`
    expect(shown).toEqual([
      [own, 'API key created', expect.stringMatching(/^=Till 3 [0-9a-f]{16}$/), 'console'],
      [own, 'Signed in', '–', 'console'],
      ['operator', 'Relying party created', expect.any(String), "operator's API"],
    ])
    await checkConsole(page, 'console-audit')
    expect(await namedCells(page)).toEqual([])
    await page.setViewportSize(DEVICES.phone.viewport)
    expect(await namedCells(page)).toEqual(['Time', 'Who', 'What', 'Changed', 'From where'])
    await page
      .getByRole('table', { name: 'Audit' })
      .evaluate((table) => table.scrollIntoView({ block: 'end' }))
    await saveScreenshot(page, 'console-audit-phone')
    await page.setViewportSize(DEVICES.desktop.viewport)

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^audit-test-\d{4}-\d\d-\d\d\.csv$/)
    const [head, first, ...others] = readFileSync(await download.path(), 'utf8').split('\r\n')
    expect(head).toBe(
      '\uFEFFnumber,at,action,actor_kind,actor_id,actor_name,actor_email,target,target_name,members,channel,address',
    )
    expect(first).toMatch(
      /^3,\d{4}-.*Z,api_key\.created,api_key,[0-9a-f]{16},,,[0-9a-f]{16},'=Till 3,,console,$/,
    )
    expect(others).toHaveLength(3)
  })

  it('has its filters in the address, and a link to the changed verification', async () => {
    const rp = await relyingPartyOf(stage)
    const session = await rp.create()
    const page = await visit(rp.api_key, 'verifications')
    await page.getByRole('link', { name: session.verification_id }).click()
    await confirmed(page, page.getByRole('button', { name: 'Cancel' }))
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Audit' }).click()
    await hasRows(page, 'Audit', 3)
    await page.getByLabel('What').selectOption('Verification cancelled')
    await page.getByRole('button', { name: 'Apply' }).click()
    await hasRows(page, 'Audit', 1)
    expect(new URL(page.url()).hash).toBe('#/audit?action=verification.canceled')
    await page.reload()
    await hasRows(page, 'Audit', 1)
    expect(await page.getByLabel('What').inputValue()).toBe('verification.canceled')
    await page.getByRole('table', { name: 'Audit' }).getByRole('link').click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(new URL(page.url()).hash).toBe(`#/verifications/${session.verification_id}`)
    await page.goBack()
    await page.getByLabel('Who').fill('someone else')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('0 entries').waitFor()
    await page.getByRole('link', { name: 'Clear all filters' }).click()
    await hasRows(page, 'Audit', 3)
  })

  it('loads older entries, and says how many entries were erased before their 400 days', async () => {
    const rp = await relyingPartyOf(stage)
    for (let i = 0; i < 52; i++) await rp.call('PATCH', '/v1/relying_party', { body: { name: `Shop ${i}` } })
    const page = await visit(rp.api_key)
    await hasRows(page, 'Audit', 50)
    await page.getByRole('button', { name: 'Load older ones' }).click()
    await page.getByText('54 entries').waitFor()
    await hasRows(page, 'Audit', 54)
    const answer = (await (await rp.call('GET', '/v1/audit?limit=2')).json()) as object
    const missing = { entries: 7, until: '2026-11-20T12:00:00.000Z' }
    await page.route('**/v1/audit?*', (route) => route.fulfill({ json: { ...answer, missing } }))
    await page.reload()
    await page.getByText('7 entries were erased before their 400 days').waitFor()
    await checkConsole(page, 'console-audit-missing')
  })

  it('shows that the key lacks the scope settings:manage, and requests no entries', async () => {
    const rp = await relyingPartyOf(stage)
    const { api_key } = await keyWith(rp, 'verify:read')
    const calls: string[] = []
    const { page } = await stage.visitor()
    page.on('request', (request) => calls.push(request.url()))
    await openPlace(page, api_key, 'audit')
    await page.getByText('it lacks settings:manage').waitFor()
    expect(calls.filter((url) => url.includes('/v1/audit'))).toEqual([])
  })
})
