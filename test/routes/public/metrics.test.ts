import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { ADMIN } from '../edge/edge-app.ts'

/** The status of `/metrics` for a request with this `cf`. */
async function statusFor(cf: IncomingRequestCfProperties | Record<string, string>): Promise<number> {
  const request = new Request('https://verifier.example/metrics', { headers: ADMIN, cf })
  return (await createApp().request(request, undefined, env)).status
}

it('/metrics exists in a single process, but not on Cloudflare, where it would count only one isolate', async () => {
  expect(await statusFor({ clientIp: '192.0.2.1:1234' })).toBe(200)
  expect(await statusFor({ colo: 'AMS' })).toBe(404)
})

it('/metrics has no session samples if sessions cannot be counted, but has all other samples', async () => {
  const counts = { noteSessions: fail, sessionCounts: fail }
  const DIRECTORY = {
    getByName: (name: string) => (name === 'session_counts' ? counts : env.DIRECTORY.getByName(name)),
  }
  const request = new Request('https://verifier.example/metrics', { headers: ADMIN })
  const response = await createApp().request(request, undefined, { ...env, DIRECTORY })
  expect(response.status).toBe(200)
  const text = await response.text()
  expect(text).not.toMatch(/^sessions_pending\{/m)
  expect(text).toMatch(/^\w*requests\w*\{/m)
})

function fail(): Promise<never> {
  return Promise.reject(new Error('storage is full'))
}
