// The console in a browser.

import type { BrowserContextOptions, Page } from 'playwright-core'
import { BASE_URL, expectStatus, type RelyingParty } from '../service/service.ts'
import type { BrowserStage } from './browser-stage.ts'

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
  await page.goto(`${BASE_URL}/console${hash}`)
  await sendToken(page, token)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  return page
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

/** Creates an API key with these scopes alone. */
export async function keyWith(rp: RelyingParty, ...scopes: readonly string[]): Promise<CreatedKey> {
  const created = await rp.call('POST', '/v1/api_keys', { body: { scopes } })
  return (await expectStatus(created, 201)) as CreatedKey
}

type CreatedKey = { readonly key_id: string; readonly api_key: string }
