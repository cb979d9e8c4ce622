// The console in a browser.

import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { BASE_URL, expectStatus, type RelyingParty } from '../service/service.ts'
import type { BrowserStage } from './browser-stage.ts'
import { checkPage } from './page-check.ts'

/** Variables of a service with a console. */
export const WITH_CONSOLE = { CONSOLE: '1' }

/** Opens the page of the console that `hash` names on a device, and signs in. Nothing else may be fetched. */
export async function openConsole(
  stage: BrowserStage,
  token: string,
  { hash = '', ...device }: BrowserContextOptions & { readonly hash?: string } = {},
): Promise<Page> {
  const { page } = await stage.visitor({ reducedMotion: 'reduce', ...device })
  await page.route(/.*/, (route) => {
    const { origin, protocol } = new URL(route.request().url())
    if (origin === BASE_URL || protocol === 'data:') return route.fallback()
    throw new Error(`the console requested ${route.request().url()}`)
  })
  await page.addInitScript(OBSERVE_SHIFTS)
  await page.goto(`${BASE_URL}/console${hash}`)
  await sendToken(page, token)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  return page
}

/** Runs in the page: stores each element that moves although the person made no input. */
const OBSERVE_SHIFTS = `
  globalThis.shifts = []
  const textOf = ({ node }) => node?.outerHTML?.slice(0, 100) ?? node?.textContent
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, moved: sources.map(textOf) })
  }).observe({ type: 'layout-shift', buffered: true })`

/** Returns the layout shifts of a page that `openConsole` opened. */
export function shiftsOf(page: Page): Promise<unknown> {
  return page.evaluate('shifts')
}

/** Opens the console and signs in by the form. Returns when its first page is shown. */
export async function signIn(page: Page, baseUrl: string, token: string): Promise<void> {
  await page.goto(`${baseUrl}/console`)
  await sendToken(page, token)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

/** Enters a token into the form of the sign-in. */
export async function sendToken(page: Page, token: string): Promise<void> {
  await page.getByLabel('API key, or the operator').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Opens a page of the console, whose person is signed in. */
export async function openPage(page: Page, name: 'Verifications' | 'Insights' | 'Developers'): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

/** Changes settings on the page for developers, and waits until they are saved. */
export async function changeSettings(page: Page, change: object): Promise<void> {
  const saved = page.waitForResponse(
    (response) => response.request().method() === 'PATCH' && response.url().endsWith('/v1/relying_party'),
  )
  const form = page.getByRole('form', { name: 'All settings as JSON' })
  if (!(await form.isVisible())) await page.getByText('All settings as JSON').first().click()
  await form.getByLabel('Members to change, as JSON').fill(JSON.stringify(change, null, 2))
  await form.getByRole('button', { name: 'Save' }).click()
  const response = await saved
  if (response.status() !== 200) throw new Error(`HTTP ${response.status()} ${await response.text()}`)
}

/** Signs in on a page that is prepared already, and opens a page of the console. */
export async function openPlace(page: Page, token: string, place: string): Promise<void> {
  await signIn(page, BASE_URL, token)
  await page.goto(`${BASE_URL}/console#/${place}`)
  await page.locator(`nav a[href="#/${place}"][aria-current]`).waitFor()
}

/**
 * Waits until no part of the page is loading. A part that waits for another part also shows that it is
 * loading.
 */
export async function hasLoaded(page: Page): Promise<void> {
  await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
}

/** Waits until a webhook of a verification was delivered. */
export async function hasDelivered(rp: RelyingParty, id: string): Promise<void> {
  const read = async () => (await rp.call('GET', `/v1/verify/${id}/deliveries`)).text()
  await expect.poll(read).toContain('"state":"delivered"')
}

/** Creates an API key with only these scopes. */
export async function keyWith(rp: RelyingParty, ...scopes: readonly string[]): Promise<CreatedKey> {
  const created = await rp.call('POST', '/v1/api_keys', { body: { scopes } })
  return (await expectStatus(created, 201)) as CreatedKey
}

type CreatedKey = { readonly key_id: string; readonly api_key: string }

/** Checks a page of the console in light, dark and forced colours, and on 320 pixels. */
export async function checkConsole(page: Page, name: string): Promise<void> {
  await checkPage(page, name, { dark: true, forced: true })
  const size = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 700 })
  await checkPage(page, `${name}-320`)
  if (size !== null) await page.setViewportSize(size)
}

/** Returns the texts of a table's body, row by row. */
export async function rowsOf(page: Page, caption: string): Promise<readonly (readonly string[])[]> {
  return page.getByRole('table', { name: caption, exact: true }).evaluateAll(textsOf as never)
}

type TableElement = { readonly tBodies: readonly { readonly rows: Iterable<RowElement> }[] }
type RowElement = { readonly cells: Iterable<{ readonly innerText: string }> }

/** Runs in the page. */
function textsOf(tables: readonly TableElement[]): readonly (readonly string[])[] {
  const rows = tables.flatMap(({ tBodies }) => [...(tBodies[0]?.rows ?? [])])
  return rows.map(({ cells }) => [...cells].map(({ innerText }) => innerText.trim()))
}

/** Waits until a table has this many rows. */
export async function hasRows(page: Page, caption: string, count: number): Promise<void> {
  await expect.poll(async () => (await rowsOf(page, caption)).length, { message: caption }).toBe(count)
}

/** Presses a button that asks for a confirmation, and confirms in the dialog. */
export async function confirmed(page: Page, button: Locator): Promise<void> {
  const label = await button.innerText()
  await button.click()
  await page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click()
}
