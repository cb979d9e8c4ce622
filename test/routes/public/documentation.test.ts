// `/openapi.json`, `/docs` and its script as they are served. test/browser/api-reference.test.ts opens the
// page.

import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { DESCRIPTION } from '../../support/reading/described.ts'
import { call, json } from '../edge/edge-app.ts'

const app = createApp()
/** Coding → suffix of its file. */
const SUFFIXES: Readonly<Record<string, string>> = { br: '.br', gzip: '.gzip', none: '' }

beforeAll(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
})

it('/openapi.json is the API description, readable by any origin and cacheable for five minutes', async () => {
  const response = await call(app, 'GET', '/openapi.json')
  expect(response.headers.get('Content-Type')).toBe('application/json')
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(response.headers.get('Cache-Control')).toBe('public, max-age=300')
  const { servers, ...description } = await json(response)
  expect({ ...description, servers: [{ ...servers[0], url: '/' }] }).toEqual(DESCRIPTION)
})

it('/openapi.json contains the address of the service, for tools that read only this file', async () => {
  const { servers } = await json(call(app, 'GET', '/openapi.json'))
  expect(servers).toEqual([{ url: 'https://verifier.example', description: expect.any(String) }])
})

it('/openapi.json is compressed for a client that accepts gzip', async () => {
  const plain = await call(app, 'GET', '/openapi.json')
  expect(plain.headers.get('Content-Encoding')).toBeNull()
  expect(plain.headers.get('Vary')).toBe('Accept-Encoding')
  const headers = { 'Accept-Encoding': 'gzip, deflate, br' }
  const compressed = await call(app, 'GET', '/openapi.json', { headers })
  expect(compressed.headers.get('Content-Encoding')).toBe('gzip')
  expect(compressed.headers.get('Vary')).toBe('Accept-Encoding')
})

it('/docs has an opaque origin, and its CSP allows only its own scripts and requests, and inline styles', async () => {
  const response = await call(app, 'GET', '/docs')
  const policy = response.headers.get('Content-Security-Policy') ?? ''
  expect(policy.split('; ').sort()).toEqual([
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'img-src data:',
    'sandbox allow-scripts',
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
  ])
  expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
})

it('/docs refers only to files of this service, and has no inline script', async () => {
  const page = await (await call(app, 'GET', '/docs')).text()
  const targets = [...page.matchAll(/(?:href|src|data-url)="([^"]*)"/g)].map(([, target]) => target)
  expect(targets).toEqual(['data:,', '/openapi.json', '/assets/api-reference.js'])
  expect(page).not.toMatch(/https?:|\son\w+=|url\(/)
  for (const [, inline = ''] of page.matchAll(/<script[^>]*>([^<]*)</g)) expect(inline).toBe('')
})

it('/assets/api-reference.js is the renderer, which calls no API and requests no credential', async () => {
  const response = await call(app, 'GET', '/assets/api-reference.js')
  expect(response.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('Content-Encoding')).toBeNull()
  const script = await response.text()
  expect(script).toMatch(/customElements\.define\("openapi-explorer"/)
  expect(script).toMatch(/'hide-authentication', 'hide-console', 'hide-server-selection'/)
})

it.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['GZIP;q=0.5, identity', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.0, gzip;q=0', null],
  ['identity', null],
  ['brotli', null],
])(
  '/assets/api-reference.js for Accept-Encoding "%s" has the Content-Encoding %s',
  async (accepted, coding) => {
    const headers = { 'Accept-Encoding': accepted }
    const response = await call(app, 'GET', '/assets/api-reference.js', { headers })
    expect(response.headers.get('Content-Encoding')).toBe(coding)
    expect(response.headers.get('Vary')).toBe('Accept-Encoding')
    const file = await env.ASSETS.fetch(`https://assets/docs/reference.js${SUFFIXES[coding ?? 'none']}`)
    expect(await response.bytes()).toEqual(await file.bytes())
  },
)

it('the compressed script is the same as the uncompressed script', async () => {
  const [plain, compressed] = await Promise.all(
    ['', '.gzip'].map((suffix) => env.ASSETS.fetch(`https://assets/docs/reference.js${suffix}`)),
  )
  const unpacked = compressed?.body?.pipeThrough(new DecompressionStream('gzip'))
  expect(await new Response(unpacked ?? null).text()).toBe(await plain?.text())
})

it('/docs responds with 503 if a file is missing', async () => {
  const empty = { ...env.ASSETS, fetch: async () => new Response(null, { status: 404 }) }
  const response = await call(app, 'GET', '/docs', { env: { ...env, ASSETS: empty } })
  expect(response.status).toBe(503)
})
