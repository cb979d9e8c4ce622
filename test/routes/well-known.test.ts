import { exports } from 'cloudflare:workers'
import { importJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { call, edgeApp, json } from './edge-app.ts'

const app = edgeApp()

describe('/healthz and /readyz', () => {
  it('answer 200, with the boot id the launcher gave', async () => {
    expect(await json(call(app, 'GET', '/healthz'))).toEqual({ status: 'ok', boot_id: 'test-boot' })
    expect(await json(call(app, 'GET', '/readyz'))).toEqual({ status: 'ready' })
  })

  it('are mounted in the service', async () => {
    const response = await exports.default.fetch('https://verifier.example/healthz')
    expect(await json(response)).toEqual({ status: 'ok', boot_id: 'test-boot' })
  })
})

describe('/.well-known/jwks.json', () => {
  it('has keys a foreign library imports for ES256, and nothing private', async () => {
    const { keys } = await json(call(app, 'GET', '/.well-known/jwks.json'))
    expect(keys).toHaveLength(1)
    expect(Object.keys(keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    expect(keys[0]).toMatchObject({ kid: 'test-1', alg: 'ES256', use: 'sig' })
    expect(await importJWK(keys[0])).toMatchObject({ type: 'public' })
  })
})

describe('/problems/{code}', () => {
  it('is a page that runs and loads nothing', async () => {
    const response = await call(app, 'GET', '/problems/invalid_json')
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
    expect(response.headers.get('Content-Security-Policy')).toBe("default-src 'none'")
    expect(await response.text()).toContain('The body is not acceptable JSON')
  })

  it.each(['nothing', 'toString', '__proto__', '<script>'])('of no code is 404: %s', async (code) => {
    const response = await call(app, 'GET', `/problems/${encodeURIComponent(code)}`)
    expect([response.status, (await json(response)).code]).toEqual([404, 'not_found'])
  })
})
