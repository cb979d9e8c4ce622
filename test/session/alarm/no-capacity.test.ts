// An alarm while the process has no capacity for its work: it is postponed, and nothing is lost.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, expect, it, vi } from 'vitest'
import { reportCapacity } from '../../../src/metrics/capacity.ts'
import { json } from '../../routes/edge/edge-app.ts'
import { ask, createSession, setUp, stubOf } from '../driver.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  reportCapacity(null, 0, Number.NEGATIVE_INFINITY)
})

it('an alarm that starts while too few file descriptors are free is postponed by 10 to 60 seconds, and then does all of its work', async () => {
  const setting = await setUp({ webhook: { url: 'http://127.0.0.1:9/hook' } })
  const posted = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () => new Response(null, { status: 204 }))
  const { verification_id: id } = await createSession(setting, { expires_in: 60 })
  const now = Date.now() + 180_000
  vi.useFakeTimers({ toFake: ['Date'], now })
  reportCapacity({ open: 900, limit: 1_000 }, 0, now)
  expect(await runDurableObjectAlarm(stubOf(id))).toBe(true)
  expect(posted).not.toHaveBeenCalled()
  const at = await runInDurableObject(stubOf(id), (_, { storage }) => storage.getAlarm())
  expect(at).toBeGreaterThanOrEqual(now + 10_000)
  expect(at).toBeLessThanOrEqual(now + 60_000)

  reportCapacity({ open: 100, limit: 1_000 }, 0, now)
  expect(await runDurableObjectAlarm(stubOf(id))).toBe(true)
  expect(posted).toHaveBeenCalledTimes(1)
  expect((await json(ask(setting, 'GET', id))).status).toBe('expired')
})
