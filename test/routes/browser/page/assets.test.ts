import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../../src/routes/app.ts'
import { call } from '../../edge/edge-app.ts'

const app = createApp()

beforeAll(() => {
  vi.spyOn(console, 'error').mockReturnValue()
})

describe.each([
  ['/s/v_1', 404],
  ['/v1/verify/v_1/return', 200],
  ['/assets/session-page.js', 200],
])('%s', (path, status) => {
  it.each([
    ['are missing', async () => new Response(null, { status: 404 })],
    ['cannot be reached', () => Promise.reject(new Error('no such service'))],
  ])('responds with 503 while its files %s, and works again afterwards', async (_, fetch) => {
    const ASSETS: Fetcher = { ...env.ASSETS, fetch }
    const get = () => call(app, 'GET', path, { env: { ...env, ASSETS } })
    const response = await get()
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).not.toBeNull()
    ASSETS.fetch = (address: RequestInfo | URL) => env.ASSETS.fetch(address)
    expect((await get()).status).toBe(status)
  })
})

it('two pages that use the same assets binding read each file from the binding only once', async () => {
  const fetch = vi.fn((address: RequestInfo | URL) => env.ASSETS.fetch(address))
  const ASSETS = { ...env.ASSETS, fetch }
  for (let i = 0; i < 2; i += 1) await call(app, 'GET', '/v1/verify/v_1/return', { env: { ...env, ASSETS } })
  expect(fetch.mock.calls.map(([address]) => String(address)).sort()).toEqual([
    'https://assets/page/return-page.js',
    'https://assets/page/style.css',
    'https://assets/texts/en.json',
  ])
})
