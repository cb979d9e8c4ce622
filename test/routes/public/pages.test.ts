import { expect, it } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { PROBLEMS } from '../../../src/routes/edge/problems.ts'
import { REASONS } from '../../../src/session/document/reasons.ts'
import { VERSION } from '../../../src/version.ts'
import { call, json } from '../edge/edge-app.ts'

const app = createApp()
const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

it('/ is a page for browsers, with the version and with links', async () => {
  const response = await call(app, 'GET', '/', { headers: BROWSER })
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=UTF-8'])
  const text = await response.text()
  for (const part of [`Version ${VERSION}`, 'href="/docs"', 'href="/problems"', 'href="/readyz"'])
    expect(text).toContain(part)
})

it('/ does not name the demo shop if the shop responds 404', async () => {
  // The tests' shop is 404 for every request.
  expect(await (await call(app, 'GET', '/', { headers: BROWSER })).text()).not.toContain('/demo')
})

it.each([{}, { Accept: '*/*' }, { Accept: 'application/json' }])(
  '/ returns 404 to a client that does not ask for HTML: %j',
  async (headers) => {
    const response = await call(app, 'GET', '/', { headers })
    expect([response.status, (await json(response)).code]).toEqual([404, 'not_found'])
  },
)

it('/problems lists every problem and every reason, and each has a page', async () => {
  const text = await (await call(app, 'GET', '/problems')).text()
  for (const code of [...Object.keys(PROBLEMS), ...Object.keys(REASONS)]) {
    expect(text).toContain(`href="/problems/${code}"`)
    expect((await call(app, 'GET', `/problems/${code}`)).status, code).toBe(200)
  }
})

it.each(['/problems', '/problems/invalid_json', '/problems/untrusted_issuer'])(
  '%s runs no script, loads nothing from other origins, and may be cached',
  async (path) => {
    const response = await call(app, 'GET', path)
    expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none';/)
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=300')
    const text = await response.text()
    expect(text).not.toMatch(/<script|src="|https?:\/\//)
    expect(text).toContain('<main>')
  },
)

it.each(['nothing', 'toString', '__proto__', '<script>'])(
  '/problems/{code} gets 404 if there is no problem with this code: %s',
  async (code) => {
    const response = await call(app, 'GET', `/problems/${encodeURIComponent(code)}`)
    expect([response.status, (await json(response)).code]).toEqual([404, 'not_found'])
  },
)
