// The pages of the service itself: the start page, the list of problems and reasons, and the page of a code.

import { expect, it } from 'vitest'
import { DEVICES, describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { BASE_URL } from '../../support/service/service.ts'

const SIZES = { ...DEVICES, small: { viewport: { width: 320, height: 640 } } }
const PAGES = [
  ['start-page', '/', 'Wallet verifier'],
  ['problems', '/problems', 'Problems and reasons'],
  ['problem', '/problems/invalid_json', 'The body is not acceptable JSON'],
  ['reason', '/problems/untrusted_issuer', 'Why a verification did not succeed'],
] as const

describeInBrowser('the pages of the service', () => {
  const stage = useBrowserStage()

  it.each(PAGES)(
    '%s has no accessibility error (axe) and no overflow, at any size, in light and dark mode',
    async (name, path, title) => {
      for (const [size, device] of Object.entries(SIZES)) {
        const { page } = await stage.visitor(device)
        await page.goto(`${BASE_URL}${path}`)
        expect(await page.getByRole('main').getByRole('heading', { level: 1 }).innerText()).toBe(title)
        await checkPage(page, `${name}-${size}`)
      }
    },
  )

  it.each(PAGES)('%s can be read in forced colours, and each link is underlined', async (name, path) => {
    const { page } = await stage.visitor({ forcedColors: 'active' })
    await page.goto(`${BASE_URL}${path}`)
    await checkPage(page, `${name}-forced`)
    const lines: readonly string[] = await page.evaluate(
      'Array.from(document.links, (link) => getComputedStyle(link).textDecorationLine)',
    )
    expect(lines.length).toBeGreaterThan(1)
    expect(new Set(lines)).toEqual(new Set(['underline']))
  })

  it('every link of the start page and of a problem page leads to a page', async () => {
    const { page } = await stage.visitor()
    for (const path of ['/', '/problems/untrusted_issuer']) {
      await page.goto(`${BASE_URL}${path}`)
      const targets = await page
        .locator('a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
      expect(targets).toEqual(expect.arrayContaining(['/docs', '/problems']))
      for (const target of targets)
        expect((await stage.service.fetch(String(target))).status, String(target)).toBe(
          target === '/' ? 404 : 200, // a program gets no start page
        )
    }
  })
})
