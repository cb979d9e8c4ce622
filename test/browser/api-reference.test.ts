// The API reference at /docs in a browser: what it shows, and that its policy stops nothing that it needs.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { DEVICES, describeInBrowser, useBrowserStage } from '../support/browser/browser-stage.ts'
import { contrastViolations } from '../support/browser/page-check.ts'
import { DESCRIPTION } from '../support/reading/described.ts'
import { BASE_URL } from '../support/service/service.ts'

const OPERATIONS = Object.values(DESCRIPTION.paths).flatMap((item) => Object.values(item))

describeInBrowser('the API reference', () => {
  const stage = useBrowserStage()

  /** Opens the reference and waits until it shows the first operation. */
  const open = async (options = {}) => {
    const { page } = await stage.visitor(options)
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await page.addInitScript(REPORT_VIOLATIONS)
    await page.goto(`${BASE_URL}/docs`)
    await page.getByRole('heading', { name: 'Create a verification' }).waitFor()
    return { page, requested }
  }

  it('shows every operation of the description and every schema', async () => {
    const { page } = await open()
    await page.evaluate("for (const button of document.querySelectorAll('button.show-more')) button.click()")
    const shown = await scrollThrough(page)
    const missing = [
      ...OPERATIONS.map(({ summary }) => summary),
      ...Object.keys(DESCRIPTION.components.schemas),
    ].filter((text) => !shown.has(text))
    expect(missing).toEqual([])
  }, 120_000) // renders 60 operations

  it('shows a curl command beside an operation, with its method, address, token and body', async () => {
    const { page } = await open()
    const command = page.locator('pre', { hasText: 'curl' }).first()
    await expect.poll(() => command.innerText()).toContain(`curl ${BASE_URL}/v1/verify`)
    const text = await command.innerText()
    for (const part of [
      '--request POST',
      'Authorization: Bearer',
      'Content-Type: application/json',
      'age_over_18',
    ]) {
      expect(text).toContain(part)
    }
  })

  it('finds an operation by its name', async () => {
    const { page } = await open()
    await page.getByRole('search').first().click()
    await page.getByRole('combobox').fill('receipt')
    await page
      .getByRole('option', { name: /receipt/i })
      .first()
      .click()
    await expect.poll(() => page.url()).toContain('/receipt')
    await expect
      .poll(() =>
        page
          .getByRole('heading', { name: /receipt/i })
          .first()
          .isVisible(),
      )
      .toBe(true)
  })

  it('follows the colours of the system, has a switch for them, and enough contrast in both', async () => {
    const colour = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const { page: bright } = await open({ colorScheme: 'light' })
    expect(await contrastViolations(bright)).toEqual([])
    const { page } = await open({ colorScheme: 'dark' })
    expect(await contrastViolations(page)).toEqual([])
    expect(await colour(page)).not.toBe(await colour(bright))
    await page.getByRole('button', { name: /light mode/i }).click()
    await expect.poll(() => colour(page)).toBe(await colour(bright))
  })

  it.each(Object.entries(DEVICES))(
    'fetches nothing from elsewhere and violates no policy on a %s',
    async (_, device) => {
      const { page, requested } = await open(device)
      await scrollThrough(page)
      expect(requested.filter((url) => !url.startsWith('data:')).sort()).toEqual(
        ['/assets/api-reference.js', '/docs', '/openapi.json'].map((path) => BASE_URL + path),
      )
      expect(await page.evaluate('globalThis.violations')).toEqual([])
    },
  )

  it('names openapi.json to a browser without JavaScript', async () => {
    const { page } = await stage.visitor({ javaScriptEnabled: false })
    await page.goto(`${BASE_URL}/docs`)
    expect(await page.getByRole('link').getAttribute('href')).toBe('/openapi.json')
  })
})

/** Runs before the page's scripts: `eval` that a policy stops throws, and a script may catch that. */
const REPORT_VIOLATIONS = `globalThis.violations = []
addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective + ' ' + event.blockedURI))`

/**
 * Scrolls from top to bottom, since sections are rendered when they come near. Returns every line that was
 * shown.
 */
async function scrollThrough(page: Page): Promise<ReadonlySet<string>> {
  const shown = new Set<string>()
  for (let steps = 0; steps < 400; steps += 1) {
    const lines = (await page.evaluate('document.body.innerText')) as string
    for (const line of lines.split('\n')) shown.add(line.trim())
    const isAtEnd = await page.evaluate(`(() => {
      const before = scrollY
      scrollBy(0, innerHeight * 2)
      return scrollY === before
    })()`)
    if (isAtEnd) break
    await page.waitForTimeout(30)
  }
  return shown
}
