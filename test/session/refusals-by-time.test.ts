// A clock that is wrong refuses most good responses for a time. `/readyz` warns of it.

import { afterEach, expect, it, vi } from 'vitest'
import { isClockSuspect } from '../../src/session/store/refusals-by-time.ts'
import { createSession, fetchRequest, goodResponse, post, setUp } from './driver.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('a clock that made the service refuse five good responses is reported as possibly wrong', async () => {
  const setting = await setUp()
  const good = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const { verification_id, wallet_request } = await createSession(setting, { expires_in: 7200 })
      return [
        verification_id,
        await goodResponse(setting, await fetchRequest(wallet_request.request_uri)),
      ] as const
    }),
  )
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  expect(isClockSuspect(Date.now())).toBe(false)
  for (const [id, answer] of good) expect((await post(id, answer)).status).toBe(400)
  expect(isClockSuspect(Date.now())).toBe(true)
})
