// The whole API reference at /docs in a browser. test/browser/api-reference.test.ts has the rest.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, useOwnBrowserStage } from '../../support/browser/browser-stage.ts'
import { contrastViolations } from '../../support/browser/page-check.ts'
import { openReference } from '../../support/browser/reference-page.ts'
import { DESCRIPTION } from '../../support/reading/described.ts'

const OPERATIONS = Object.values(DESCRIPTION.paths).flatMap((item) => Object.values(item))

describeInBrowser('the API reference', () => {
  const stage = useOwnBrowserStage()

  it('shows every operation of the description and every schema', async () => {
    const { page } = await openReference(stage)
    for (const { summary = '' } of OPERATIONS) {
      const link = page
        .getByRole('navigation')
        .last()
        .getByRole('link', { name: summary, exact: true })
        .first()
      await link.evaluate((element) => (element as unknown as { click(): void }).click())
      await page.getByRole('heading', { name: summary, exact: true }).waitFor()
    }
    await page
      .getByRole('link', { name: 'Schemas' })
      .evaluate((element) => (element as unknown as { click(): void }).click())
    for (const name of Object.keys(DESCRIPTION.components.schemas))
      await page
        .getByRole('navigation')
        .last()
        .getByText(name, { exact: true })
        .first()
        .waitFor({ state: 'attached' })
  })

  it('follows the system’s light or dark mode, and has enough contrast in both modes', async () => {
    const colour = (page: Page) =>
      page.evaluate('getComputedStyle(document.body.firstElementChild).backgroundColor')
    for (const route of ['post-/v1/verify', 'cmp--schemas-verification']) {
      const { page } = await openReference(stage, { colorScheme: 'light' }, route)
      expect(await contrastViolations(page)).toEqual([])
      const bright = await colour(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      await expect.poll(() => colour(page)).not.toBe(bright)
      await expect.poll(() => contrastViolations(page)).toEqual([]) // some colours change gradually
    }
  })
})
