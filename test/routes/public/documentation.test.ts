// `/openapi.json`, `/docs` and its script as they are served. test/browser/api-reference.test.ts opens the
// page.

import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { DESCRIPTION } from '../../support/reading/described.ts'
import { call, json } from '../edge/edge-app.ts'

const app = createApp()

beforeAll(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
})

it('/openapi.json is the description: any origin may read it, and caches keep it for five minutes', async () => {
  const response = await call(app, 'GET', '/openapi.json')
  expect(response.headers.get('Content-Type')).toBe('application/json')
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(response.headers.get('Cache-Control')).toBe('public, max-age=300')
  const { servers, ...description } = await json(response)
  expect({ ...description, servers: [{ ...servers[0], url: '/' }] }).toEqual(DESCRIPTION)
})

it('/openapi.json names the address of the service, for tools that have nothing but the file', async () => {
  const { servers } = await json(call(app, 'GET', '/openapi.json'))
  expect(servers).toEqual([{ url: 'https://verifier.example', description: expect.any(String) }])
})

it('/docs allows scripts and requests of its own origin only, and inline styles', async () => {
  const response = await call(app, 'GET', '/docs')
  const policy = response.headers.get('Content-Security-Policy') ?? ''
  expect(policy.split('; ').sort()).toEqual([
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
  ])
  expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
})

it('/docs refers to files of this service only, and has no inline script', async () => {
  const page = await (await call(app, 'GET', '/docs')).text()
  const targets = [...page.matchAll(/(?:href|src|data-url)="([^"]*)"/g)].map(([, target]) => target)
  expect(targets).toEqual(['data:,', '/openapi.json', '/openapi.json', '/assets/api-reference.js'])
  expect(page).not.toMatch(/https?:|\son\w+=/)
  for (const [, inline = ''] of page.matchAll(/<script[^>]*>([^<]*)</g)) expect(inline).toBe('')
})

it('/docs has valid settings: no telemetry, no remote fonts, no proxy, no requests from the page', async () => {
  const page = await (await call(app, 'GET', '/docs')).text()
  const settings: unknown = JSON.parse(/data-configuration='([^']*)'/.exec(page)?.[1] ?? '')
  expect(settings).toMatchObject({
    agent: { disabled: true },
    hideClientButton: true,
    hideTestRequestButton: true,
    showDeveloperTools: 'never',
    telemetry: false,
    withDefaultFonts: false,
  })
  expect(settings).not.toHaveProperty('proxyUrl')
})

it('/assets/api-reference.js is the renderer, without the probe for eval', async () => {
  const response = await call(app, 'GET', '/assets/api-reference.js')
  expect(response.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
  const script = await response.text()
  expect(script).toMatch(/@scalar\/api-reference \d+\.\d+\.\d+/)
  expect(script).not.toMatch(/\beval\(|new Function\(/)
})

it('responds with 503 when a file is missing', async () => {
  const empty = { ...env.ASSETS, fetch: async () => new Response(null, { status: 404 }) }
  const response = await call(app, 'GET', '/docs', { env: { ...env, ASSETS: empty } })
  expect(response.status).toBe(503)
})
