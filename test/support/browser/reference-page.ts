// The API reference at /docs in a browser.

import type { BrowserContextOptions, Page } from 'playwright-core'
import { BASE_URL } from '../service/service.ts'
import type { Visitor } from './browser-stage.ts'

type Visits = { readonly visitor: (options: BrowserContextOptions) => Promise<Visitor> }

/**
 * Opens the reference, at an operation if one is named, and waits until it is shown. Returns its page and the
 * URLs that it requests.
 */
export async function openReference(
  { visitor }: Visits,
  options: BrowserContextOptions = {},
  route = '',
): Promise<{ readonly page: Page; readonly requested: readonly string[] }> {
  const { page } = await visitor(options)
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await page.addInitScript(REPORT_VIOLATIONS)
  await page.goto(`${BASE_URL}/docs${route === '' ? '' : `#?route=${route}`}`)
  await page.getByRole('link', { name: 'Create a verification' }).waitFor()
  return { page, requested }
}

/**
 * Runs before the page's scripts. It detects an `eval` that a policy stops, because a script may catch the
 * error.
 */
const REPORT_VIOLATIONS = `globalThis.violations = []
addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective + ' ' + event.blockedURI))`
