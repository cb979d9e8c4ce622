// The console by keyboard alone, in dark mode on a narrow screen.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { hasLoaded, signIn, WITH_CONSOLE } from '../../support/browser/console-page.ts'
import { overflowOf } from '../../support/browser/page-check.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'
import { finish, relyingPartyOf } from '../../support/service/stage.ts'

/** English is the last, in which the tests go on. */
const LANGUAGES = ['de', 'es', 'fr', 'it', 'en']
/** Runs in the page: opens every part that can be opened. */
const OPEN_ALL = "document.querySelectorAll('details').forEach((part) => { part.open = true })"

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

  it('leads from the sign-in to a cancelled verification and out again', async () => {
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

  it('never scrolls sideways in any language, and shows each check with its result', async () => {
    const rp = await relyingPartyOf(stage, { name: 'A_name_without_a_place_to_break_it_for_a_line' })
    const { session } = await finish(stage, {}, { ...OVER_18, metadata: { order: '4'.repeat(200) } }, rp)
    const { page } = await stage.visitor(NARROW)
    const heading = page.getByRole('heading', { level: 1 })
    const show = async (place: string, title: string) => {
      await page.goto(`${BASE_URL}/console${place}`)
      await heading.filter({ hasText: title }).waitFor()
      await hasLoaded(page)
      await page.evaluate(OPEN_ALL)
      for (const language of LANGUAGES) {
        await page.getByRole('banner').getByRole('combobox').selectOption(language)
        await page.locator(`html[lang=${language}]`).waitFor()
        expect(await overflowOf(page), `${place} in ${language}`).toBe(0)
      }
    }
    await signIn(page, BASE_URL, rp.api_key)
    await show('#/verifications', 'Verifications')
    await show('#/insights', 'Insights')
    await show('#/developers', 'Developers')
    await show(`#/verifications/${session.verification_id}`, session.verification_id)
    const { trace } = await rp.poll(session.verification_id)
    const rows = page.getByRole('table', { name: 'Checks' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(trace.length)
    for (const row of await rows.all()) {
      const { width } = (await row.locator('.result').boundingBox())!
      expect(width, await row.innerText()).toBeGreaterThan(20)
    }
    expect(await overflowOf(page)).toBe(0)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await heading.filter({ hasText: 'Sign in' }).waitFor()
    for (const language of LANGUAGES) {
      await page.evaluate(`localStorage.setItem('console-language', '${language}')`)
      await page.reload()
      await page.locator(`html[lang=${language}] #token`).waitFor()
      expect(await overflowOf(page), `sign-in in ${language}`).toBe(0)
    }
    await signIn(page, BASE_URL, stage.service.server.adminToken)
    await show('', 'Operator')
  })
})
