import { exports } from 'cloudflare:workers'
import { importJWK } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, edgeApp, json } from '../edge/edge-app.ts'

const app = edgeApp()

afterEach(() => {
  vi.useRealTimers()
})

/**
 * Returns the warnings about the certificate. Damaged objects are remembered in memory, and this memory is
 * shared with other test files.
 */
const ofCertificate = ({ warnings }: { readonly warnings: readonly { readonly code: string }[] }) =>
  warnings.filter(({ code }) => code.startsWith('verifier_certificate_'))

describe('/healthz and /readyz', () => {
  it('/healthz has the boot id that the launcher set, and /readyz has no warning about the certificate', async () => {
    expect(await json(call(app, 'GET', '/healthz'))).toEqual({ status: 'ok', boot_id: 'test-boot' })
    const ready = await json(call(app, 'GET', '/readyz'))
    expect(ready).toEqual({ status: 'ready', warnings: expect.any(Array) })
    expect(ofCertificate(ready)).toEqual([])
  })

  // The certificate of the tests is valid until the end of 2119.
  const expires_at = '2120-01-01T00:00:00.000Z'
  it.each([
    ['2119-12-01', 200, 'ready', []],
    ['2119-12-03', 200, 'ready', [{ code: 'verifier_certificate_expires_soon', expires_at }]],
    ['2120-01-02', 503, 'not_ready', [{ code: 'verifier_certificate_not_valid', expires_at }]],
    ['2019-12-31', 503, 'not_ready', [{ code: 'verifier_certificate_not_valid', expires_at }]],
  ])(
    '/readyz responds on %s with %i, and warns if the certificate expires within a month or is not valid',
    async (day, ...expected) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(day) })
      const response = await call(app, 'GET', '/readyz')
      expect(response.headers.has('Retry-After')).toBe(response.status === 503)
      const body = await json(response)
      expect([response.status, body.status, ofCertificate(body)]).toEqual(expected)
    },
  )

  it('/healthz is mounted in the service', async () => {
    const response = await exports.default.fetch('https://verifier.example/healthz')
    expect(await json(response)).toEqual({ status: 'ok', boot_id: 'test-boot' })
  })
})

describe('/.well-known/jwks.json', () => {
  it('has keys that a foreign library can import for ES256, and no private members', async () => {
    const { keys } = await json(call(app, 'GET', '/.well-known/jwks.json'))
    expect(keys).toHaveLength(1)
    expect(Object.keys(keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    expect(keys[0]).toMatchObject({ kid: 'test-1', alg: 'ES256', use: 'sig' })
    expect(await importJWK(keys[0])).toMatchObject({ type: 'public' })
  })
})
