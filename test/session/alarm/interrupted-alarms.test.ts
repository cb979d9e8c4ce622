// Alarms that a full disk interrupted are resumed when storage can be written again. The platform would wait
// up to 17 minutes.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, expect, it, vi } from 'vitest'
import { json } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import { ask, createSession, type Setting, setUp, stubOf } from '../driver.ts'

const WEBHOOK = { webhook: { url: 'http://127.0.0.1:9/hook' } }

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('an interrupted alarm leaves its events queued, and the next successful write sends all of them', async () => {
  const setting = await setUp(WEBHOOK)
  const posted = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () => new Response('', { status: 500 }))
  const ids = await Promise.all([failedOnce(setting), failedOnce(setting)])
  vi.spyOn(console, 'error').mockReturnValue(undefined)
  later(10_000)
  for (const id of ids) await interruptAlarm(id)
  posted.mockClear()
  posted.mockImplementation(async () => new Response(null, { status: 204 }))

  later(31_000)
  await createSession(setting)
  await vi.waitFor(() => expect(posted).toHaveBeenCalledTimes(2), WAIT)
  for (const id of ids) {
    await vi.waitFor(async () => expect((await deliveryOf(setting, id)).state).toBe('delivered'), WAIT)
  }
  later(120_000)
  await createSession(setting)
  expect(posted).toHaveBeenCalledTimes(2)
})

/** A session whose event the receiver has refused once. */
async function failedOnce(setting: Setting): Promise<string> {
  const { verification_id } = await createSession(setting)
  await ask(setting, 'POST', verification_id, '/cancel')
  await vi.waitFor(async () => {
    expect((await deliveryOf(setting, verification_id)).attempts[0].status).toBe(500)
  }, WAIT)
  return verification_id
}

async function interruptAlarm(id: string): Promise<void> {
  await runInDurableObject(stubOf(id), async (instance, state) => {
    vi.spyOn(state.storage.kv, 'put').mockImplementationOnce(() => {
      throw new Error('the disk is full')
    })
    await expect(instance.alarm()).rejects.toThrow('the disk is full')
    // The platform repeats the alarm much later.
    await state.storage.deleteAlarm()
  })
  expect(await runDurableObjectAlarm(stubOf(id))).toBe(false)
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function deliveryOf(setting: Setting, id: string): Promise<any> {
  return (await json(ask(setting, 'GET', id, '/deliveries'))).deliveries[0]
}

function later(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}
