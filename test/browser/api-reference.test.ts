// The API reference at /docs in a browser: what it shows and loads, and what its script cannot reach.

import { expect, it } from 'vitest'
import { DEVICES, describeInBrowser, useBrowserStage } from '../support/browser/browser-stage.ts'
import { signIn, WITH_CONSOLE } from '../support/browser/console-page.ts'
import { overflowOf, saveScreenshot } from '../support/browser/page-check.ts'
import { openReference } from '../support/browser/reference-page.ts'
import { BASE_URL } from '../support/service/service.ts'
import { WAIT } from '../support/wait.ts'

const SCRIPT = '/assets/api-reference.js'
const COMMAND_PARTS = [
  '--request POST',
  'Authorization: Bearer',
  'Content-Type: application/json',
  'age_over_18',
]

describeInBrowser('the API reference', () => {
  const stage = useBrowserStage({ env: WITH_CONSOLE })

  it.each(Object.entries(DEVICES))(
    'shows an operation with its curl command on a %s, loads nothing from other origins, and finds another operation by name',
    async (name, device) => {
      const { page, requested } = await openReference(stage, device, 'post-/v1/verify')
      await page.getByRole('heading', { name: 'Create a verification' }).waitFor()
      for (const text of ['Makes a retry safe', 'Accepted credential types'])
        await expect.poll(() => page.getByText(text).first().isVisible()).toBe(true)
      const command = page.locator('pre', { hasText: 'curl' }).first()
      await expect.poll(() => command.innerText()).toContain(`curl ${BASE_URL}/v1/verify`)
      const text = await command.innerText()
      for (const part of COMMAND_PARTS) expect(text).toContain(part)
      expect(await overflowOf(page)).toBe(0)
      await saveScreenshot(page, `api-reference-${name}`)
      expect(requested.filter((url) => !url.startsWith('data:')).sort()).toEqual(
        [SCRIPT, '/docs', '/openapi.json'].map((path) => BASE_URL + path),
      )

      await page.getByRole('textbox', { name: 'Filter' }).fill('receipt')
      await page.getByRole('link', { name: 'Create a verification' }).waitFor({ state: 'detached' })
      await page
        .getByRole('link', { name: /receipt/i })
        .first()
        .click()
      await expect.poll(() => page.url()).toContain('/receipt')
      await page
        .getByRole('heading', { name: /receipt/i })
        .first()
        .waitFor()
      expect(await page.evaluate('globalThis.violations')).toEqual([])
    },
  )

  it('links to openapi.json if the browser has no JavaScript', async () => {
    const { page } = await stage.visitor({ javaScriptEnabled: false })
    await page.goto(`${BASE_URL}/docs`)
    expect(await page.getByRole('link').getAttribute('href')).toBe('/openapi.json')
  })

  /** Signs in to the console in two tabs, then opens /docs with a planted script in one of them. */
  const openPlanted = async ({ sandboxed }: { readonly sandboxed: boolean }) => {
    const { page, takeErrors } = await stage.visitor()
    await signIn(page, BASE_URL, stage.rp.api_key)
    await page.evaluate("localStorage.setItem('planted', 'readable')")
    const other = await page.context().newPage()
    await other.goto(`${BASE_URL}/console`)
    await other.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.route(`${BASE_URL}${SCRIPT}`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: planted(sandboxed ? 3_000 : WAIT.timeout) }),
    )
    if (!sandboxed) {
      const response = await fetch(`${stage.service.server.origin}/docs`)
      const headers = Object.fromEntries(response.headers)
      const policy = headers['content-security-policy']?.replace('sandbox allow-scripts; ', '') ?? ''
      const served = {
        body: await response.text(),
        headers: { ...headers, 'content-security-policy': policy },
      }
      await page.route(`${BASE_URL}/docs`, (route) => route.fulfill(served))
    }
    await page.goto(`${BASE_URL}/docs`)
    await expect.poll(() => page.evaluate('globalThis.results')).toBeDefined()
    takeErrors() // the browser reports what it refuses
    return page.evaluate<Readonly<Record<string, string>>>('globalThis.results')
  }

  it('gives a malicious script on its page no access to cookies, storage or the console', async () => {
    expect(await openPlanted({ sandboxed: true })).toEqual({
      origin: 'null',
      storage: 'SecurityError',
      token: 'SecurityError',
      tabs: 'no answer',
      cookie: 'SecurityError',
      database: 'SecurityError',
      session: 'TypeError',
      list: 'TypeError',
      window: 'null',
    })
  })

  it('gives a malicious script on its page access to the console if the test removes the sandbox', async () => {
    const { origin, storage, token, tabs, session } = await openPlanted({ sandboxed: false })
    expect({ origin, storage }).toEqual({ origin: BASE_URL, storage: 'readable' })
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(tabs).toBe(token)
    expect(session).toMatch(/^200 /)
  })
})

/**
 * A script that tries to reach what a signed-in person of the console has. Each result is a value, or the
 * error's name. It waits `waitMs` for an answer of another tab.
 */
const planted = (waitMs: number) => `(async () => {
  const results = {}
  const read = async (path) => {
    const headers = results.token?.length === 43 ? { 'Console-Token': results.token } : {}
    const response = await fetch(path, { credentials: 'include', headers })
    return response.status + ' ' + await response.text()
  }
  const attempts = {
    origin: () => self.origin,
    storage: () => localStorage.getItem('planted'),
    token: () => sessionStorage.getItem('console-token'),
    tabs: () => new Promise((resolve) => {
      const channel = new BroadcastChannel('console-token')
      channel.onmessage = ({ data }) => resolve(data.token)
      channel.postMessage('ask')
      setTimeout(() => resolve('no answer'), ${waitMs})
    }),
    cookie: () => document.cookie,
    database: () => new Promise((resolve, reject) => {
      const request = indexedDB.open('planted')
      request.onsuccess = () => resolve('opened')
      request.onerror = () => reject(request.error)
    }),
    session: () => read('/console/session'),
    list: () => read('/v1/verify'),
    window: () => String(open('/console')),
  }
  for (const [name, attempt] of Object.entries(attempts))
    results[name] = await Promise.resolve().then(attempt).catch((error) => error.name)
  globalThis.results = results
})()`
