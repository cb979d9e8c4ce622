import { exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'

describe('GET /healthz', () => {
  it('says that it runs, and under which boot id', async () => {
    const response = await exports.default.fetch('https://verifier.example/healthz')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'ok', boot_id: 'test-boot' })
  })
})
