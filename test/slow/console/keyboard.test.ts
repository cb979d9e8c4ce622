// The console by keyboard alone, in dark mode on a narrow screen.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkConsole, hasLoaded, openConsole, WITH_CONSOLE } from '../../support/browser/console-page.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'
import { relyingPartyOf } from '../../support/service/stage.ts'

/** Runs in the page: returns the id of the row that has the focus; null for none. */
const ROW =
  "document.activeElement.closest('.rows') && document.activeElement.querySelector('.id').textContent"

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

describeInBrowser('the keyboard shortcuts of the console', () => {
  const stage = useBrowserStage({ env: WITH_CONSOLE })

  /** Opens the list of two verifications. Returns its page, and the ids of the rows. */
  async function openList(device: object = {}) {
    const rp = await relyingPartyOf(stage)
    for (const order of ['1', '2']) await rp.create({ ...OVER_18, metadata: { order } })
    const page = await openConsole(stage, rp.api_key, device)
    await page.locator('.rows li').nth(1).waitFor()
    return { page, ids: await page.locator('.rows .id').allInnerTexts() }
  }

  const rowOf = (page: Page) => page.evaluate(ROW)

  it('move through the rows, open a row, and go to the search', async () => {
    const { page, ids } = await openList()
    const [first = '', second] = ids
    await page.keyboard.press('j')
    expect(await rowOf(page)).toBe(first)
    await page.keyboard.press('j')
    expect(await rowOf(page)).toBe(second)
    await page.keyboard.press('j')
    expect(await rowOf(page)).toBe(second)
    await page.keyboard.press('k')
    expect(await rowOf(page)).toBe(first)
    await page.keyboard.press('ArrowDown')
    expect(await rowOf(page)).toBe(second)
    await page.keyboard.press('ArrowUp')
    expect(await rowOf(page)).toBe(first)
    await page.keyboard.press('/')
    await page.keyboard.type('j/?k')
    expect(await page.getByRole('searchbox').inputValue()).toBe('j/?k')
    expect(await page.getByRole('dialog').isVisible()).toBe(false)
    await page.locator('.rows a').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: first }).waitFor()
  })

  it('bring a row into view that is below the screen', async () => {
    const rp = await relyingPartyOf(stage)
    for (let i = 0; i < 12; i++) await rp.create()
    const page = await openConsole(stage, rp.api_key, { viewport: { width: 1280, height: 500 } })
    // Rows that are far below the screen are added while the page scrolls.
    for (let place = 1; place <= 12; place++) {
      await page.locator(`.rows li[aria-setsize="12"][aria-posinset="${place}"]`).waitFor()
      await page.keyboard.press('j')
    }
    const row = page.locator('.rows li[aria-posinset="12"] a')
    expect(await row.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
    const box = await row.boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(500)
  })

  it('do nothing with Control or in a dialog, and arrow keys do nothing if no row has the focus', async () => {
    const { page } = await openList()
    await page.keyboard.press('Control+j')
    await page.keyboard.press('ArrowDown')
    expect(await rowOf(page)).toBeNull()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('j')
    expect(await rowOf(page)).toBeNull()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  })

  it('are shown in a dialog that can turn off the single-key shortcuts, but not the arrow keys', async () => {
    const { page, ids } = await openList(NARROW)
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard' })
    await dialog.waitFor()
    await checkConsole(page, 'console-keys')
    await dialog.getByRole('checkbox').uncheck()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.reload()
    await page.locator('.rows li').nth(1).waitFor()
    for (const key of ['j', 'k', '/', '?']) await page.keyboard.press(key)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
    expect(await dialog.isVisible()).toBe(false)
    await page.locator('.rows a').first().focus()
    await page.keyboard.press('ArrowDown')
    expect(await rowOf(page)).toBe(ids[1])

    await page.getByRole('button', { name: 'Keyboard' }).click()
    await dialog.getByRole('checkbox').check()
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.type')).toBe('search')
  })
})
