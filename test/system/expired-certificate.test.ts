// api/running: an expired certificate affects wallets only. Earlier results can still be read.

import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { mintLeaf, mintRoot } from '../support/certificates/certificates.ts'
import { type Server, startServer } from '../support/service/server.ts'
import { WAIT } from '../support/wait.ts'

let server: Server

beforeAll(async () => {
  const notAfter = new Date('2024-06-30T00:00:00Z')
  const { pem, privateJwk } = await mintLeaf(await mintRoot(), { notAfter })
  const { kty, crv, x, y, d } = privateJwk
  server = await startServer({
    env: {
      VERIFIER_CERTIFICATE_CHAIN_PEM: pem,
      VERIFIER_SIGNING_JWK: JSON.stringify({ kty, crv, x, y, d }),
    },
  })
})
afterAll(() => server?.stop())

it('a service with an expired certificate starts and responds on /healthz, but /readyz says that it is not ready', async () => {
  expect((await fetch(`${server.origin}/healthz`)).status).toBe(200)
  const ready = await fetch(`${server.origin}/readyz`)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toEqual({
    status: 'not_ready',
    warnings: [{ code: 'verifier_certificate_not_valid', expires_at: '2024-06-30T00:00:00.000Z' }],
  })
})

it('the start of a service with an expired certificate prints Not ready and the reason, and never prints Ready', async () => {
  const { baseUrl } = server
  expect(server.output()).toMatch(new RegExp(`^Not ready: ${baseUrl}$`, 'm'))
  // The warning comes on the other stream.
  await vi.waitFor(
    () => expect(server.output()).toContain('The certificate of the verifier expired on 2024-06-30'),
    WAIT,
  )
  expect(server.output()).not.toMatch(/^Ready/m)
})

it('the gauges of a service with an expired certificate show that the service is not ready, and the reason', async () => {
  const headers = { authorization: `Bearer ${server.adminToken}` }
  const text = await (await fetch(`${server.origin}/metrics`, { headers })).text()
  expect(text).toMatch(/^wallet_verifier_ready 0$/m)
  expect(text).toMatch(/^wallet_verifier_warning\{code="verifier_certificate_not_valid"\} 1$/m)
  expect(text).toMatch(/^wallet_verifier_certificate_expires_in_seconds\{of="service"\} -\d/m)
})
