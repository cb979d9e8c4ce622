import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../../src/routes/app.ts'
import { call } from '../../edge/edge-app.ts'

const app = createApp() // reads each file once: the tests run in this order

beforeAll(() => {
  vi.spyOn(console, 'error').mockReturnValue()
})

describe.each(['/s/v_1', '/v1/verify/v_1/return', '/assets/session-page.js'])('%s', (path) => {
  it.each([
    ['are missing', async () => new Response(null, { status: 404 })],
    ['cannot be reached', () => Promise.reject(new Error('no such service'))],
  ])('responds 503 while its files %s', async (_, fetch) => {
    const ASSETS = { ...env.ASSETS, fetch }
    const response = await call(app, 'GET', path, { env: { ...env, ASSETS } })
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).not.toBeNull()
  })
})

it.each([
  ['/s/v_1', 404],
  ['/v1/verify/v_1/return', 200],
  ['/assets/session-page.js', 200],
])('%s responds once its files are back', async (path, status) => {
  expect((await call(app, 'GET', path)).status).toBe(status)
})
