// The proxy of the sandbox and of the demo shop: what of a caller's request another Worker gets.

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { Env } from '../../../src/env.ts'
import { createApp } from '../../../src/routes/app.ts'
import { call } from '../edge/edge-app.ts'

const app = createApp()

it.each([
  ['GET', '/test/wallet', null],
  ['POST', '/test/wallet', null],
  ['GET', '/demo', 'demo_visit=1.2'],
  ['GET', '/demo/shop.js', 'demo_visit=1.2'],
  ['POST', '/demo/order', 'demo_visit=1.2'],
])(
  '%s %s is passed on to another Worker without the cookies and the token of this service',
  async (method, path, cookie) => {
    const received: Request[] = []
    const worker = {
      fetch: async (request: Request) => {
        received.push(request)
        return new Response(await request.text(), { headers: { 'Content-Type': 'text/html' } })
      },
    } as unknown as Fetcher
    const world: Env = { ...env, SANDBOX: worker, DEMO_SHOP: worker }
    const headers = {
      Authorization: 'Bearer wv_test_key',
      Cookie: '__Host-wv_console=sealed; demo_visit=1.2; __Host-wv_login_v_x=secret',
      'Accept-Language': 'de',
      'Content-Type': 'text/plain',
    }
    const body = method === 'POST' ? 'form' : undefined
    const response = await call(app, method, path, { headers, body, env: world })
    expect(await response.text()).toBe(body ?? '')
    const [request] = received
    expect(request?.method).toBe(method)
    expect(request?.headers.get('Cookie') ?? null).toBe(cookie)
    expect(request?.headers.has('Authorization')).toBe(false)
    expect(request?.headers.get('Accept-Language')).toBe('de')
  },
)
