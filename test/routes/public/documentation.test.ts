// `/openapi.json`, `/docs` with its script, and `/inspect` as they are served.
// test/browser/api-reference.test.ts and test/slow/browser/inspector.test.ts open the pages.

import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { DESCRIPTION } from '../../support/reading/described.ts'
import { call, json } from '../edge/edge-app.ts'

const app = createApp()

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

it.each([
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['', null],
])('/openapi.json for Accept-Encoding "%s" is sent in the coding %s', async (accepted, coding) => {
  const headers = { 'Accept-Encoding': accepted }
  const response = await call(app, 'GET', '/openapi.json', { headers })
  expect(response.headers.get('Content-Encoding')).toBe(coding)
  expect(response.headers.get('Vary')).toBe('Accept-Encoding')
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
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

it('/assets/api-reference.js defines openapi-explorer, and hides authentication, console and server selection', async () => {
  const response = await call(app, 'GET', '/assets/api-reference.js')
  expect(response.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('Content-Encoding')).toBeNull()
  const script = await response.text()
  expect(script).toMatch(/customElements\.define\("openapi-explorer"/)
  expect(script).toMatch(/'hide-authentication', 'hide-console', 'hide-server-selection'/)
})

it('/inspect has an opaque origin, may open no connection, and allows only its own script and its own style', async () => {
  const response = await call(app, 'GET', '/inspect')
  const policy = response.headers.get('Content-Security-Policy') ?? ''
  expect(policy.split('; ').sort()).toEqual([
    "base-uri 'none'",
    "connect-src 'none'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'img-src data:',
    'sandbox allow-scripts',
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
  ])
  const page = await response.text()
  const [, own = ''] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page) ?? []
  expect(own).toMatch(/^default-src 'none'; connect-src 'none'; /)
  expect(own).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
  for (const element of ['script', 'style']) {
    const [, text = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(page) ?? []
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
    expect(own).toContain(`${element}-src 'sha256-${btoa(String.fromCharCode(...hash))}'`)
  }
  expect([...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target]) => target)).toEqual(['data:,'])
})

it('/docs and /inspect respond with 503 if a file is missing', async () => {
  const empty = { ...env.ASSETS, fetch: async () => new Response(null, { status: 404 }) }
  for (const path of ['/docs', '/inspect']) {
    const response = await call(app, 'GET', path, { env: { ...env, ASSETS: empty } })
    expect(response.status).toBe(503)
  }
})
