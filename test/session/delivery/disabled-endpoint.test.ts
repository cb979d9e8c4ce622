// Events wait while the endpoint is disabled by 410, and leave when it is enabled (api/webhooks).

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { RelyingParty } from '../../../src/relying-party/relying-party.ts'
import { createApp } from '../../../src/routes/app.ts'
import { call, json } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import { ask, createSession, type Setting, setUp, stubOf } from '../driver.ts'

const app = createApp()
const WEBHOOK = { webhook: { url: 'http://127.0.0.1:9/hook' } }

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('events of a disabled endpoint stay queued without an attempt, and are sent once the endpoint is enabled', async () => {
  const setting = await setUp(WEBHOOK)
  const posted = receiver(410)
  const first = await ended(setting)
  await vi.waitFor(async () => {
    const { attempts, state } = await deliveryOf(setting, first)
    expect([state, attempts[0].status]).toEqual(['queued', 410])
  }, WAIT)
  await vi.waitFor(async () => expect(await isDisabled(setting)).toBe(true), WAIT)
  const later = [await ended(setting), await ended(setting)]
  skip(10_000)
  for (const id of [first, ...later]) await runDurableObjectAlarm(stubOf(id))
  expect(posted).toHaveBeenCalledTimes(1)
  for (const id of later) {
    expect(await deliveryOf(setting, id)).toMatchObject({ state: 'queued', attempts: [] })
  }

  posted.mockImplementation(async () => new Response(null, { status: 204 }))
  vi.useRealTimers()
  await call(app, 'POST', '/v1/webhook/enable', { headers: setting.headers })
  await released(setting)
  for (const id of [first, ...later]) {
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(stubOf(id))
      expect((await deliveryOf(setting, id)).state).toBe('delivered')
    }, WAIT)
  }
  expect(posted).toHaveBeenCalledTimes(4)
})

it('queued events of a disabled endpoint are sent to a new address, and become dead if the webhook is removed', async () => {
  for (const [webhook, state] of [
    [{ url: 'http://127.0.0.1:9/other' }, 'delivered'],
    [null, 'dead'],
  ] as const) {
    const setting = await setUp(WEBHOOK)
    const posted = receiver(410)
    await ended(setting)
    await vi.waitFor(async () => expect(await isDisabled(setting)).toBe(true), WAIT)
    const id = await ended(setting)
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(stubOf(id))
      expect(Date.parse((await deliveryOf(setting, id)).next_attempt_at)).toBeGreaterThan(
        Date.now() + 3_600_000,
      )
    }, WAIT)
    posted.mockImplementation(async () => new Response(null, { status: 204 }))
    await call(app, 'PATCH', '/v1/relying_party', { headers: setting.headers, body: { webhook } })
    await released(setting)
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(stubOf(id))
      expect((await deliveryOf(setting, id)).state).toBe(state)
    }, WAIT)
  }
})

it('the next 410 disables the endpoint if the first 410 could not be stored in the settings', async () => {
  const setting = await setUp(WEBHOOK)
  receiver(410)
  const disable = vi.spyOn(RelyingParty.prototype, 'disableWebhook').mockImplementationOnce(unreachable)
  await ended(setting)
  await vi.waitFor(() => expect(disable).toHaveBeenCalledTimes(1), WAIT)
  expect(await isDisabled(setting)).toBe(false)
  await ended(setting)
  await vi.waitFor(async () => expect(await isDisabled(setting)).toBe(true), WAIT)
})

it('an event of a disabled endpoint stays queued if the object of the relying party is unreachable, and is sent once the endpoint is enabled', async () => {
  const setting = await setUp(WEBHOOK)
  const posted = receiver(410)
  await ended(setting)
  await vi.waitFor(async () => expect(await isDisabled(setting)).toBe(true), WAIT)
  const park = vi.spyOn(RelyingParty.prototype, 'park').mockImplementationOnce(unreachable)
  const id = await ended(setting)
  await vi.waitFor(() => expect(park).toHaveBeenCalled(), WAIT)
  expect(await deliveryOf(setting, id)).toMatchObject({ state: 'queued', attempts: [] })
  posted.mockImplementation(async () => new Response(null, { status: 204 }))
  await call(app, 'POST', '/v1/webhook/enable', { headers: setting.headers })
  await released(setting)
  await vi.waitFor(async () => {
    await runDurableObjectAlarm(stubOf(id))
    expect((await deliveryOf(setting, id)).state).toBe('delivered')
  }, WAIT)
})

function unreachable(): never {
  throw new Error('Network connection lost.')
}

function receiver(status: number) {
  return vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status }))
}

async function ended(setting: Setting): Promise<string> {
  const { verification_id } = await createSession(setting)
  await ask(setting, 'POST', verification_id, '/cancel')
  return verification_id
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function deliveryOf(setting: Setting, id: string): Promise<any> {
  return (await json(ask(setting, 'GET', id, '/deliveries'))).deliveries[0]
}

async function isDisabled({ headers }: Setting): Promise<boolean> {
  return (await json(call(app, 'GET', '/v1/relying_party', { headers }))).webhook.disabled
}

/** Waits until the relying party's object has released every event. */
async function released({ relyingPartyId }: Setting): Promise<void> {
  const stub = relyingPartyStub(env, relyingPartyId)!
  await vi.waitFor(async () => {
    await runDurableObjectAlarm(stub)
    const left = await runInDurableObject(stub, (_, state) => [
      ...state.storage.kv.list({ prefix: 'parked/' }),
    ])
    expect(left).toEqual([])
  }, WAIT)
}

function skip(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}
