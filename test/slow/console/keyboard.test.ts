// The console by keyboard alone, in dark mode on a narrow screen.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { hasLoaded, WITH_CONSOLE } from '../../support/browser/console-page.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'
import { relyingPartyOf } from '../../support/service/stage.ts'

const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: 'dark', hasTouch: true } as const

describeInBrowser('the console on a narrow screen, by keyboard', () => {
  const stage = useBrowserStage({ env: WITH_CONSOLE })

  /** Returns the name of the focused element, whose outline must be visible. */
  async function focused(page: Page): Promise<string> {
    const [name, outline] = (await page.evaluate(`(() => {
      const element = document.activeElement
      const text = element.getAttribute('aria-label') ?? element.textContent
      return [text.trim(), getComputedStyle(element).outlineStyle]
    })()`)) as [string, string]
    expect(outline, name).not.toBe('none')
    return name
  }

  /** Presses Tab until the focus is on an element of this name. */
  async function tabTo(page: Page, name: string): Promise<void> {
    const passed: string[] = []
    for (;;) {
      await page.keyboard.press('Tab')
      const found = await focused(page)
      if (found.includes(name)) return
      passed.push(found)
      if (passed.length > 60) throw new Error(`no ${name} among: ${passed.join(', ')}`)
    }
  }

  it('lets a person sign in, cancel a verification and sign out', async () => {
    const rp = await relyingPartyOf(stage, { name: 'Corner Wine Shop of Nowhere-upon-Thames' })
    const { verification_id } = await rp.create({ ...OVER_18, metadata: { order: '4711' } })
    const { page } = await stage.visitor(NARROW)
    await page.goto(`${BASE_URL}/console`)
    await page.locator('#token:focus').waitFor()
    await page.keyboard.type(rp.api_key)
    await page.keyboard.press('Enter')
    const heading = page.getByRole('heading', { level: 1 })
    await heading.filter({ hasText: 'Verifications' }).waitFor()

    await page.reload()
    await page.getByRole('link').filter({ hasText: verification_id }).waitFor()
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await tabTo(page, 'order=4711')
    await page.keyboard.press('Enter')
    await heading.filter({ hasText: verification_id }).waitFor()
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')

    const cancel = page.getByRole('button', { name: 'Cancel', exact: true })
    await cancel.waitFor()
    await hasLoaded(page)
    await tabTo(page, 'Cancel')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await focused(page)).toBe('Cancel')
    await page.keyboard.press('Enter')
    await dialog.waitFor()
    await tabTo(page, 'Cancel')
    await page.keyboard.press('Enter')
    await page.getByRole('main').getByText('canceled', { exact: true }).first().waitFor()
    expect((await rp.poll(verification_id)).status).toBe('canceled')
    await cancel.waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')

    await page.reload()
    await heading.filter({ hasText: verification_id }).waitFor()
    await page.getByRole('button', { name: 'Erase' }).waitFor()
    await hasLoaded(page)
    await tabTo(page, 'Sign out')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})
