// Every state of the return page, and our other pages of one text, on a phone and on a desktop.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { DEVICES, describeInBrowser, useBrowserStage } from '../support/browser/browser-stage.ts'
import { checkPage } from '../support/browser/page-check.ts'
import { BASE_URL, OVER_18 } from '../support/service/service.ts'
import { WAIT } from '../support/wait.ts'

const RETURN = `${BASE_URL}/v1/verify/v_1/return`
const CODE = '#response_code=abc'

describeInBrowser('on a phone and on a desktop,', () => {
  const stage = useBrowserStage()

  const checked = async (name: string, open: (page: Page) => Promise<unknown>): Promise<void> => {
    await Promise.all(
      Object.entries(DEVICES).map(async ([kind, device]) => {
        const { page } = await stage.visitor({ ...device, reducedMotion: 'reduce' })
        await open(page)
        await checkPage(page, `${name}-${kind}`)
      }),
    )
  }

  it('the return page shows a general text if its URL has no code', () =>
    checked('returned', (page) => page.goto(RETURN)))

  it('the return page shows that it is sending the code', () =>
    checked('return-finishing', async (page) => {
      await page.route('**/response_code', () => undefined) // no response
      await page.goto(RETURN + CODE)
      await shows(page, 'finishing')
    }))

  it('the return page shows that it could not send the code, and offers a button', async () => {
    await checked('return-interrupted', async (page) => {
      await page.clock.install()
      let requests = 0
      await page.route('**/response_code', (route) => {
        requests++
        return route.abort()
      })
      await page.goto(RETURN + CODE)
      await shows(page, 'finishing')
      // A timer is set at an unknown time after a failed request, so the clock runs until the end.
      const state = async () => {
        await page.clock.runFor(500)
        return page.locator('main').getAttribute('data-state')
      }
      await expect.poll(state, WAIT).toBe('interrupted')
      expect(requests).toBe(5)
      expect(await page.evaluate('document.activeElement.id')).toBe('again')
    })
  })

  it.each([
    ['returned in another browser', 'other_browser', 'otherBrowser'],
    ['returned too late', 'invalid_code', 'invalidCode'],
  ])('the return page tells a person who %s what to do next', (_, code, state) =>
    checked(`return-${state.toLowerCase()}`, async (page) => {
      await page.route('**/response_code', (route) => route.fulfill({ status: 409, json: { code } }))
      await page.goto(RETURN + CODE)
      await shows(page, state)
    }),
  )

  it('the session page shows that its session does not exist', () =>
    checked('not-found', (page) => page.goto(`${BASE_URL}/s/v_1`)))

  it('the session page shows that it is unavailable', async () => {
    const { session_url } = await stage.rp.create(OVER_18)
    await checked('unavailable', async (page) => {
      await page.setExtraHTTPHeaders({ 'Sec-Purpose': 'prefetch' })
      await page.goto(session_url)
    })
  })
})

function shows(page: Page, state: string): Promise<void> {
  return page.locator(`main[data-state=${state}]`).waitFor()
}
