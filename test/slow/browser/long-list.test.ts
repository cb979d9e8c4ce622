// The list of verifications in the console with as many entries as a relying party may have.

import { expect, it } from 'vitest'
import { describeInBrowser, useOwnBrowserStage } from '../../support/browser/browser-stage.ts'
import { openConsole, WITH_CONSOLE } from '../../support/browser/console-page.ts'
import { listEntry } from '../../support/browser/list-entry.ts'
import { relyingPartyOf } from '../../support/service/stage.ts'

describeInBrowser('a long list of verifications', () => {
  const stage = useOwnBrowserStage({ env: WITH_CONSOLE })

  it('can be scrolled through 10,000 entries while the page contains at most some dozens of rows', async () => {
    const count = 10_000
    let status = 'verified'
    const rp = await relyingPartyOf(stage)
    const list = await openConsole(stage, rp.api_key)
    await list.route(/\/console\/api\/v1\/verify\?/, (route) => {
      const query = new URL(route.request().url()).searchParams
      const from = Number(query.get('after') ?? '0')
      const size = Number(query.get('limit'))
      const verifications = Array.from({ length: Math.min(size, count - from) }, (_, i) => ({
        ...listEntry(from + i),
        status,
      }))
      const hasMore = from + size < count
      return route.fulfill({
        json: { verifications, next: hasMore ? String(from + size) : null, has_more: hasMore },
      })
    })
    await list.getByRole('searchbox').fill('order=1')
    await list.getByRole('searchbox').press('Enter')
    await list.locator('.rows li').first().waitFor()
    let most = 0
    for (let last = 0; last < count; ) {
      await list.mouse.wheel(0, 1_000_000)
      const before = last
      await expect.poll(async () => (last = await list.evaluate(LAST_ROW))).toBeGreaterThan(before)
      most = Math.max(most, await list.locator('.rows li').count())
    }
    expect(most).toBeLessThan(80)
    await list.getByText('10000 shown. There are no older entries.').first().waitFor()
    expect(await list.locator('.rows li').last().locator('.id').innerText()).toContain('v_9999')

    // The last rows change by themselves, as the first rows do.
    status = 'rejected'
    await list.locator('.rows li').last().locator('.rejected').waitFor()

    await list.locator('.rows li').last().locator('a').focus()
    for (let tabs = 0; tabs < 30; tabs++) {
      await list.locator(`.rows li[aria-posinset="${count - tabs - 1}"]`).waitFor({ state: 'attached' })
      await list.keyboard.press('Shift+Tab')
    }
    expect(await list.evaluate("document.activeElement.querySelector('.id').textContent")).toBe('v_9969')
  })
})

/** Runs in the page: returns the number of the last row. */
const LAST_ROW = "Number(document.querySelector('.rows li:last-child')?.getAttribute('aria-posinset'))"
