// Host names: a service on loopback answers under its own names only, and the console has a name of its own.

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Env } from '../../../src/env.ts'
import { createApp } from '../../../src/routes/app.ts'
import { statusAndCode } from './access-world.ts'
import { ADMIN } from './edge-app.ts'

const app = createApp()
const LOOPBACK: Env = { ...env, BASE_URL: 'http://localhost:8787' }
const FOREIGN = [
  'rebound.example',
  'localhost.rebound.example',
  'rebound.localhost',
  'localhost.',
  '192.0.2.1',
]
/** A route of each kind: probes, pages, files, API, wallets, logins, the other Workers and the console. */
const PATHS = [
  ...['/healthz', '/readyz', '/metrics', '/', '/docs', '/openapi.json', '/assets/style.css', '/problems'],
  ...[
    '/v1/verify',
    '/v1/admin/relying_parties',
    '/r/x',
    '/s/v_x',
    '/oidc/rp_x/jwks',
    '/test/wallet',
    '/demo',
  ],
  ...['/console', '/console/assets/console.js', '/console/session', '/console/api/v1/verify', '/nowhere'],
]

function get(host: string, path: string, world: Env = LOOPBACK, method = 'GET'): Promise<Response> {
  return Promise.resolve(app.request(`http://${host}${path}`, { method, headers: ADMIN }, world))
}

describe('a service on loopback', () => {
  it.each(PATHS)('refuses every foreign host name for %s', async (path) => {
    for (const host of [...FOREIGN, 'rebound.example:8787']) {
      expect(await statusAndCode(await get(host, path))).toBe('421 unknown_host')
      expect((await get(host, path, LOOPBACK, 'POST')).status).toBe(421)
      expect((await get(host, path, LOOPBACK, 'HEAD')).status).toBe(421)
    }
  })

  it('names its own address in the refusal, and nothing that the caller sent', async () => {
    const text = await (await get('rebound.example', '/healthz')).text()
    expect(text).toContain('http://localhost:8787')
    expect(text).not.toContain('rebound')
  })

  it.each([
    'localhost:8787',
    '127.0.0.1:8787',
    '[::1]:8787',
    'LOCALHOST:8787',
    'localhost',
    '127.0.0.1:32768',
  ])('answers under the name %s, whatever port a tunnel or container has mapped', async (host) => {
    expect((await get(host, '/healthz')).status).toBe(200)
  })

  it.each(['http://127.0.0.1:8787', 'http://[::1]:8787', 'https://localhost:8787'])(
    'also refuses foreign names with BASE_URL %s',
    async (BASE_URL) => {
      const world: Env = { ...env, BASE_URL }
      expect((await get('rebound.example', '/healthz', world)).status).toBe(421)
      expect((await get('localhost:8787', '/healthz', world)).status).toBe(200)
    },
  )

  it('responds under the address on which it is configured to listen', async () => {
    const world: Env = { ...LOOPBACK, LISTENING_HOST: '192.0.2.1' }
    expect((await get('192.0.2.1:8787', '/healthz', world)).status).toBe(200)
    expect((await get('192.0.2.2:8787', '/healthz', world)).status).toBe(421)
  })

  it.each(['rebound.example@localhost', 'localhost, rebound.example', 'localhost#', 'local_host'])(
    'refuses a Host that is not exactly one of its names: %s',
    async (host) => {
      // `Request` accepts no such address. The platform writes the header into it unchanged.
      const request = new Request('http://localhost/healthz')
      const url = `http://${host}/healthz`
      const sent = new Proxy(request, {
        get: (target, name) => (name === 'url' ? url : Reflect.get(target, name, target)),
      })
      expect(await statusAndCode(await app.fetch(sent, LOOPBACK))).toBe('421 unknown_host')
    },
  )

  it('accepts every host name if BASE_URL is public, because the proxy checks the name', async () => {
    for (const host of FOREIGN) expect((await get(host, '/healthz', env)).status).toBe(200)
  })
})

describe('the console of a service on loopback', () => {
  const CONSOLE = 'console.localhost:8787'

  it.each(['localhost:8787', '127.0.0.1:8787', '[::1]:8787'])(
    'redirects from %s to its own host name',
    async (host) => {
      const { status, headers } = await get(host, '/console')
      expect([status, headers.get('Location')]).toEqual([307, `http://${CONSOLE}/console`])
    },
  )

  it('has its page, its routes and the keys for receipts under its own host name', async () => {
    for (const path of ['/console', '/.well-known/jwks.json'])
      expect((await get(CONSOLE, path)).status, path).toBe(200)
    expect(await statusAndCode(await get(CONSOLE, '/console/session'))).toBe('401 missing_token')
    expect((await get(CONSOLE, '/console/')).headers.get('Location')).toBe('/console')
  })

  it('has no other page under its own host name: a GET is redirected to BASE_URL, and a change is refused', async () => {
    for (const path of [
      '/',
      '/docs',
      '/demo',
      '/test/wallet?x=1',
      '/v1/verify',
      '/consoles',
      '//evil.example',
    ]) {
      const { status, headers } = await get(CONSOLE, path)
      expect([status, headers.get('Location')]).toEqual([307, `http://localhost:8787${path}`])
    }
    expect(await statusAndCode(await get(CONSOLE, '/test/wallet', LOOPBACK, 'POST'))).toBe('421 unknown_host')
  })

  it.each(['https://localhost:8787', 'https://verifier.example'])(
    'has no host name of its own with BASE_URL %s',
    async (BASE_URL) => {
      const { host } = new URL(BASE_URL)
      expect((await get(host, '/console', { ...env, BASE_URL })).status).toBe(200)
    },
  )
})
