// The app while the launcher reports that few file descriptors are left.

import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it } from 'vitest'
import { reportCapacity } from '../../../src/metrics/capacity.ts'
import { createApp } from '../../../src/routes/app.ts'
import { control } from '../../../src/routes/edge/admission.ts'
import { ask, createSession, setUp } from '../../session/driver.ts'
import { newClient, openPage, sendForm } from '../oidc/login-world.ts'
import { call, json } from './edge-app.ts'

const app = createApp()
const FULL = { open: 1_000, limit: 1_000 }

let reports: ReturnType<typeof setInterval> | undefined
afterEach(() => {
  clearInterval(reports)
  reportCapacity(null, 0, Number.NEGATIVE_INFINITY)
})

async function report(body: object): Promise<void> {
  const init = { method: 'POST', body: JSON.stringify(body) }
  const request = new Request<unknown, IncomingRequestCfProperties>('http://control/capacity', init)
  expect((await control.fetch(request, env)).status).toBe(204)
}

/** Reports that every descriptor is in use, as often as the launcher does. */
async function reportFull(): Promise<void> {
  await report(FULL)
  reports = setInterval(() => reportCapacity(FULL, 0, Date.now()), 250)
}

describe('while few descriptors are left', () => {
  it('a request waits, and continues when enough descriptors are free', async () => {
    const setting = await setUp()
    await report(FULL)
    const creation = createSession(setting)
    expect(await Promise.race([creation, scheduler.wait(500)])).toBeUndefined()
    await report({ open: 10, limit: 1_000 })
    expect((await creation).status).toBe('pending')
  })

  it('a request that waited five seconds gets 503 with Retry-After before any token is checked', async () => {
    await reportFull()
    const refused = await call(app, 'POST', '/v1/verify', { body: {} })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await json(refused)).code).toBe('temporarily_unavailable')
  })

  it('a wallet gets an OAuth error with 503', async () => {
    const { wallet_request } = await createSession(await setUp())
    await reportFull()
    const refused = await call(app, 'GET', new URL(wallet_request.request_uri).pathname)
    expect([refused.status, (await json(refused)).error]).toEqual([503, 'temporarily_unavailable'])
  })

  it('wallets and calls for existing sessions are served while requests for new sessions wait', async () => {
    const setting = await setUp()
    const { verification_id, wallet_request } = await createSession(setting)
    await report({ open: 800, limit: 1_000 })
    const creation = createSession(setting)
    expect((await call(app, 'GET', new URL(wallet_request.request_uri).pathname)).status).toBe(200)
    expect((await ask(setting, 'POST', verification_id, '/cancel')).status).toBe(200)
    expect(await Promise.race([creation, scheduler.wait(1)])).toBeUndefined()
    await report({ open: 10, limit: 1_000 })
    expect((await creation).status).toBe('pending')
  })

  it('the first POST of a login waits, because it creates a session', async () => {
    const opened = await openPage(await newClient(await setUp()))
    await report({ open: 800, limit: 1_000 })
    const sent = sendForm(opened)
    expect(await Promise.race([sent, scheduler.wait(500)])).toBeUndefined()
    await report({ open: 10, limit: 1_000 })
    expect((await sent).status).toBe(303)
  })

  it.each(['/healthz', '/readyz', '/metrics'])('%s responds at once', async (path) => {
    await report(FULL)
    expect((await call(app, 'GET', path)).status).not.toBe(503)
  })
})

it('if the descriptors cannot be counted, requests are still accepted', async () => {
  await report({})
  expect((await createSession(await setUp())).status).toBe('pending')
})
