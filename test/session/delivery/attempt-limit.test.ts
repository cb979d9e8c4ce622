// A relying party whose receiver hangs does not use up the descriptors of other relying parties.

import { env, runDurableObjectAlarm } from 'cloudflare:test'
import { afterEach, expect, it, vi } from 'vitest'
import {
  ATTEMPTS_UNDER_WAY,
  mayAttempt,
  nextTurn,
  underWay,
} from '../../../src/session/delivery/attempt-limit.ts'
import { json } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import { ask, createSession, type Setting, setUp, stubOf } from '../driver.ts'

const HANGING = { webhook: { url: 'http://127.0.0.1:9/hangs' } }
const PROMPT = { webhook: { url: 'http://127.0.0.1:9/prompt' } }
/** Environment of a service whose sessions share objects. The sessions of this file do not. */
const SHARED = { ...env, SHARED_SESSIONS: env.VERIFICATION_SESSION } as never

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('a receiver that does not respond delays only its own events, and the delay uses up no attempts', async () => {
  let hangs = true
  const posted = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
    // Each object waits with a timer of its own, as the platform requires.
    while (hangs && String(url).endsWith('/hangs')) await new Promise((resolve) => setTimeout(resolve, 20))
    return new Response(null, { status: 204 })
  })
  const [hanging, prompt] = [await setUp(HANGING), await setUp(PROMPT)]
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now)
  const ids = await Promise.all(Array.from({ length: ATTEMPTS_UNDER_WAY + 3 }, () => ended(hanging)))
  await vi.waitFor(() => expect(posted).toHaveBeenCalledTimes(ATTEMPTS_UNDER_WAY), WAIT)
  await ended(prompt)
  // An event without a turn would wait for more than 3 s, by a clock that stands still.
  await vi.waitFor(() => expect(posted).toHaveBeenCalledTimes(ATTEMPTS_UNDER_WAY + 1), WAIT)

  const deliveries = await Promise.all(ids.map((id) => deliveryOf(hanging, id)))
  const waiting = ids.filter((_, i) => deliveries[i].attempts.length === 0)
  expect(waiting).toHaveLength(3)
  const sent = ids.find((id) => !waiting.includes(id))!
  for (const { next_attempt_at } of deliveries.filter(({ attempts }) => attempts.length === 0)) {
    expect(Date.parse(next_attempt_at) - now).toBeGreaterThan(3_000)
    expect(Date.parse(next_attempt_at) - now).toBeLessThan(15_000)
  }
  await runDue(waiting)
  expect(posted).toHaveBeenCalledTimes(ATTEMPTS_UNDER_WAY + 1)
  hangs = false
  await vi.waitFor(async () => expect((await deliveryOf(hanging, sent)).state).toBe('delivered'), WAIT)
  await runDue(waiting, 60_000)
  for (const id of waiting) {
    expect(await deliveryOf(hanging, id)).toMatchObject({ state: 'delivered', attempts: [{ attempt: 1 }] })
  }
})

it('the limiter spreads waiting attempts over at most two hours, with longer intervals if attempts usually take longer', async () => {
  const now = Date.now()
  const turns = Array.from({ length: 20_000 }, () => nextTurn(env, 'rp_slow', now, 0.5) - now)
  expect(turns[0]).toBe(5_000)
  // 15 minutes of 12 events a second: no object wakes before an attempt can have ended.
  for (let i = 1; i < 10_800; i++) {
    expect(turns[i]! - turns[i - 1]!).toBeGreaterThanOrEqual(Math.floor(15_000 / ATTEMPTS_UNDER_WAY))
  }
  expect(Math.max(...turns)).toBeLessThanOrEqual(7_200_000)
  for (let i = 0; i < 40; i++) await underWay('rp_fast', async () => undefined)
  const fast = Array.from({ length: 100 }, () => nextTurn(env, 'rp_fast', now, 0.5) - now)
  expect(Math.max(...fast)).toBeLessThan(6_000)
})

it('if sessions share objects, the limiter assumes short attempts until a first attempt has ended', async () => {
  const now = Date.now()
  const turns = Array.from({ length: 1_500 }, () => nextTurn(SHARED, 'rp_crowd', now, 0.5) - now)
  expect(Math.max(...turns)).toBeLessThan(30_000)
  vi.spyOn(Date, 'now').mockReturnValueOnce(now - 15_000) // the start of an attempt that hangs
  await underWay('rp_crowd', async () => undefined)
  const apart = -(nextTurn(SHARED, 'rp_crowd', now, 0.5) - nextTurn(SHARED, 'rp_crowd', now, 0.5))
  expect(apart).toBeGreaterThanOrEqual(Math.floor(14_000 / ATTEMPTS_UNDER_WAY))
})

it('the limiter forgets the attempt duration of the least recently used relying party', async () => {
  const now = Date.now()
  const turnsApart = (id: string) => nextTurn(env, id, now, 0.5) - nextTurn(env, id, now, 0.5)
  for (let i = 0; i < 40; i++) await underWay('rp_oldest', async () => undefined)
  expect(-turnsApart('rp_oldest')).toBeLessThan(100)
  for (let i = 0; i < 1_000; i++) nextTurn(env, `rp_newer_${i}`, now, 0.5)
  expect(-turnsApart('rp_oldest')).toBeGreaterThanOrEqual(Math.floor(15_000 / ATTEMPTS_UNDER_WAY))
})

it('the limiter no longer counts an attempt after 21 s, because its object may have been stopped', async () => {
  for (let i = 0; i < ATTEMPTS_UNDER_WAY; i++) void underWay('rp_stopped', () => new Promise(() => undefined))
  expect(mayAttempt('rp_stopped', Date.now())).toBe(false)
  expect(mayAttempt('rp_stopped', Date.now() + 21_000)).toBe(true)
})

async function ended(setting: Setting): Promise<string> {
  const { verification_id } = await createSession(setting)
  await ask(setting, 'POST', verification_id, '/cancel')
  return verification_id
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function deliveryOf(setting: Setting, id: string): Promise<any> {
  return (await json(ask(setting, 'GET', id, '/deliveries'))).deliveries[0]
}

async function runDue(ids: readonly string[], later = 15_000): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + later })
  for (const id of ids) await runDurableObjectAlarm(stubOf(id))
  vi.useRealTimers()
}
