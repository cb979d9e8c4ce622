// Bytes on the wire of the first load of each page, as Chromium receives them.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, useBrowserStage } from '../support/browser/browser-stage.ts'
import { WITH_CONSOLE } from '../support/browser/console-page.ts'
import { BASE_URL } from '../support/service/service.ts'

const AGE = { credential_types: ['age_attestation'], scope: ['age_over_18'], locale: 'en' }

describeInBrowser('the first load', () => {
  const stage = useBrowserStage({ env: WITH_CONSOLE })

  it.each([
    {
      name: 'the session page',
      limit: 20_000,
      packed: 4,
      open: async (page: Page) => {
        const { session_url } = await stage.rp.create(AGE)
        await page.goto(session_url)
        await page.getByRole('img').first().waitFor()
      },
    },
    {
      name: 'the console',
      limit: 72_000,
      packed: 2,
      open: async (page: Page) => {
        await page.goto(`${BASE_URL}/console`)
        await page.getByRole('button').first().waitFor()
      },
    },
    {
      name: 'the API reference',
      limit: 300_000,
      packed: 1,
      open: async (page: Page) => {
        await page.goto(`${BASE_URL}/docs`)
        await page.getByRole('link', { name: 'Create a verification' }).waitFor()
      },
    },
  ])(
    'the first load of $name has at most $limit bytes, and $packed of its responses are compressed with brotli',
    async (kind) => {
      const { page } = await stage.visitor()
      const session = await page.context().newCDPSession(page)
      const sizes: number[] = []
      session.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength))
      await session.send('Network.enable')
      const codings: (string | undefined)[] = []
      page.on('response', (response) => {
        if (/\/assets\/|^\/s\//.test(new URL(response.url()).pathname))
          codings.push(response.headers()['content-encoding'])
      })
      await kind.open(page)
      await page.waitForLoadState('load')
      expect(codings).toEqual(Array.from({ length: kind.packed }, () => 'br'))
      await expect.poll(() => sizes.length).toBeGreaterThan(kind.packed)
      const total = sizes.reduce((sum, size) => sum + size)
      expect(total).toBeLessThanOrEqual(kind.limit)
    },
  )
})
