// The page of a login by OpenID Connect in a browser.

import type { Page } from 'playwright-core'
import { scan } from './scan.ts'

/** Waits until the page names the client and the host that it returns to. */
export async function namesClient(page: Page, client: string, host: string): Promise<void> {
  // Both are isolated, so that neither changes the direction of the sentence.
  await page.getByText(`After that you continue at \u2068${client}\u2069 (\u2068${host}\u2069).`).waitFor()
}

/** Presses the button for a wallet on this device. Returns the address that the page opens. */
export async function pressLink(page: Page): Promise<string> {
  const answer = page.waitForResponse(/\/link$/)
  await showLink(page)
  await page.locator('#link').click()
  return ((await (await answer).json()) as { uri: string }).uri
}

/** Shows the link on a phone. It is folded if the browser's own API leads. */
export async function showLink(page: Page): Promise<void> {
  await page.locator('#time:visible').waitFor()
  if (!(await page.locator('#link').isVisible())) await page.locator('#others > summary').click()
}

/** Presses the button that shows the QR code. Returns the address in the code. */
export async function scanLogin(page: Page): Promise<string> {
  await showCode(page)
  return scan(page)
}

/** Presses the button that shows the QR code. It creates the session of the login. */
export async function showCode(page: Page): Promise<void> {
  await page.locator('#show-code').waitFor({ state: 'attached' })
  if (!(await page.locator('#show-code').isVisible())) await page.locator('#others > summary').click()
  await page.locator('#show-code').click()
  await page.locator('#qr').waitFor()
}
