// Publication of an outcome in the relying party's event log, seen from the session.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { EventLog } from '../../../src/relying-party/event-log.ts'
import type { AppendResult, LogEntry } from '../../../src/relying-party/events/day-events.ts'
import { endOfDay, eventLogStub, toDay } from '../../../src/relying-party/events/event-days.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { computeSpread, ERASURE_SPREAD_MS, EXPIRY_SPREAD_MS } from '../../../src/session/store/spread.ts'
import { WAIT } from '../../support/wait.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { ask, createSession, type Setting, setUp, stubOf } from '../driver.ts'

const SECOND = 1_000
const HOUR = 3_600_000
const DAYS = 24 * HOUR

startAtNoon()

/** Makes the log unavailable. Returns the number of calls. */
function breakLog(): () => number {
  vi.spyOn(console, 'error').mockReturnValue(undefined)
  const append = vi.spyOn(EventLog.prototype, 'append').mockImplementation(() => {
    throw new Error('no such machine')
  })
  return () => append.mock.calls.length
}

/** Makes the log record each event, and lose its response. */
function loseResponses(): () => number {
  vi.spyOn(console, 'error').mockReturnValue(undefined)
  const { append } = EventLog.prototype
  const spy = vi.spyOn(EventLog.prototype, 'append').mockImplementation(function (this: EventLog, entry) {
    append.call(this, entry)
    throw new Error('the line is cut')
  })
  return () => spy.mock.calls.length
}

/** Cancels a session. The log was called once, with or without success, when this returns. */
async function endedSession(setting: Setting, calls?: () => number): Promise<string> {
  const { verification_id } = await createSession(setting)
  expect((await ask(setting, 'POST', verification_id, '/cancel')).status).toBe(200)
  const soon = Date.now() + 25 * SECOND
  await vi.waitFor(async () => {
    const { owed } = await owedBy(verification_id)
    if (calls === undefined) expect(owed).toBeNull()
    else expect([calls(), owed?.next_call_at]).toEqual([1, soon])
  }, WAIT)
  return verification_id
}

function owedBy(id: string) {
  return runInDurableObject(stubOf(id), async (_, state) => {
    const document = state.storage.kv.get<SessionDocument>('session')
    return { owed: document?.pending_log_entry, alarm: await state.storage.getAlarm() }
  })
}

async function loggedOn(setting: Setting, day: number): Promise<readonly string[]> {
  const page = await eventLogStub(env, setting.relyingPartyId, day).read(day, 0, 100)
  return page.events.map(({ verification_id }) => verification_id)
}

const alarm = (id: string) => runDurableObjectAlarm(stubOf(id))

describe('the event of an outcome', () => {
  it('is stored in the log if there is no webhook', async () => {
    const setting = await setUp()
    const id = await endedSession(setting)
    expect(await loggedOn(setting, toDay(NOON))).toEqual([id])
  })

  it('is stored in the log even if the webhook does not subscribe to it', async () => {
    const webhook = { url: 'http://127.0.0.1:9/hook', events: ['verification.verified'] }
    const setting = await setUp({ webhook })
    const id = await endedSession(setting)
    expect(await loggedOn(setting, toDay(NOON))).toEqual([id])
  })

  it('is stored in the log before the receiver responds, and stays queued until the log has stored it', async () => {
    const setting = await setUp({ webhook: { url: 'http://127.0.0.1:9/hook' } })
    const answer = Promise.withResolvers<Response>()
    vi.spyOn(globalThis, 'fetch').mockReturnValue(answer.promise)
    const { verification_id } = await createSession(setting)
    await ask(setting, 'POST', verification_id, '/cancel')
    await vi.waitFor(
      async () => expect(await loggedOn(setting, toDay(NOON))).toEqual([verification_id]),
      WAIT,
    )
    expect((await owedBy(verification_id)).owed).not.toBeNull()
    answer.resolve(new Response(null, { status: 204 }))
    await vi.waitFor(async () => expect((await owedBy(verification_id)).owed).toBeNull(), WAIT)
  })

  it('does not delay the webhook: the result of the delivery is stored before the log responds', async () => {
    const setting = await setUp({ webhook: { url: 'http://127.0.0.1:9/hook' } })
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null))
    const answer = Promise.withResolvers<AppendResult>()
    vi.spyOn(EventLog.prototype, 'append').mockReturnValueOnce(answer.promise as never)
    const { verification_id } = await createSession(setting)
    await runInDurableObject(stubOf(verification_id), (_, { storage }) => {
      const kv = Object.getPrototypeOf(storage.kv) as SyncKvStorage
      const write = kv.put
      vi.spyOn(kv, 'put').mockImplementation(function (this: SyncKvStorage, key, value) {
        write.call(this, key, value)
        // Where the result waits for the log, the call to the log ends without an answer.
        const { deliveries = [] } = Object(value) as Partial<SessionDocument>
        if (deliveries[0]?.state === 'delivered') answer.resolve('recorded')
      })
    })
    await ask(setting, 'POST', verification_id, '/cancel')
    await vi.waitFor(async () => expect((await owedBy(verification_id)).owed).toBeNull(), WAIT)
  })

  it('is sent to the log by the alarm if the first call failed and the object was evicted from memory', async () => {
    const setting = await setUp()
    const id = await endedSession(setting, breakLog())
    await evictDurableObject(stubOf(id))
    vi.restoreAllMocks()
    at(NOON + 30 * SECOND)
    expect(await alarm(id)).toBe(true)
    expect(await loggedOn(setting, toDay(NOON))).toEqual([id])
    expect((await owedBy(id)).owed).toBeNull()
  })
})

describe('the end of a session without a webhook', () => {
  it('does not change the alarm of the expiry; if the log did not respond, this alarm calls it again', async () => {
    const setting = await setUp()
    const lost = Promise.withResolvers<AppendResult>()
    vi.spyOn(EventLog.prototype, 'append').mockReturnValueOnce(lost.promise as never)
    const { verification_id: id, expires_at } = await createSession(setting)
    const set = Date.parse(expires_at) + computeSpread(id, EXPIRY_SPREAD_MS)
    expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
    expect(await owedBy(id)).toMatchObject({ owed: { calls: 1, next_call_at: set }, alarm: set })
    at(set)
    expect(await alarm(id)).toBe(true)
    expect(await loggedOn(setting, toDay(NOON))).toEqual([id])
    expect((await owedBy(id)).owed).toBeNull()
    lost.resolve('recorded')
  })

  it('sets an earlier alarm if the expiry is hours away', async () => {
    const setting = await setUp()
    breakLog()
    const { verification_id: id } = await createSession(setting, { expires_in: 86_400 })
    expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
    expect((await owedBy(id)).alarm).toBe(NOON + 25 * SECOND)
  })
})

describe('while the log is unavailable', () => {
  it('a repeated webhook attempt does not wait for the log', async () => {
    const setting = await setUp({ webhook: { url: 'http://127.0.0.1:9/hook' } })
    let posts = 0
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
      posts += 1
      return new Response(null, { status: posts === 1 ? 500 : 204 })
    })
    const calls = breakLog()
    const id = await endedSession(setting, calls)
    await vi.waitFor(() => expect(posts).toBe(1), WAIT)
    vi.restoreAllMocks()
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
      posts += 1
      return new Response(null, { status: 204 })
    })
    const { append } = EventLog.prototype
    // Where the attempt waits for the log, the call to the log ends without an answer.
    vi.spyOn(EventLog.prototype, 'append').mockImplementation(async function (
      this: EventLog,
      entry: LogEntry,
    ) {
      while (posts < 2) await scheduler.wait(10)
      return append.call(this, entry)
    } as unknown as EventLog['append'])
    at(NOON + HOUR)
    await alarm(id)
    expect([posts, (await owedBy(id)).owed]).toEqual([2, null])
  })

  it('the alarm calls the log after 25 s, 50 s and so on, later every hour, until the log responds', async () => {
    const setting = await setUp({ retention_seconds: 30 * 86_400 })
    const calls = breakLog()
    const id = await endedSession(setting, calls)
    const waits = []
    let now = NOON
    for (let i = 2; i <= 12; i++) {
      const due = (await owedBy(id)).alarm ?? 0
      waits.push((due - now) / SECOND)
      now = due
      at(now)
      await alarm(id)
      expect(calls()).toBe(i)
    }
    expect(waits).toEqual([25, 50, 100, 200, 400, 800, 1600, 3200, 3600, 3600, 3600])
    vi.restoreAllMocks()
    at((await owedBy(id)).alarm ?? 0)
    await alarm(id)
    expect(await loggedOn(setting, toDay(NOON))).toEqual([id])
    expect(await owedBy(id)).toEqual({
      owed: null,
      alarm: NOON + 30 * DAYS + computeSpread(id, ERASURE_SPREAD_MS),
    })
  })

  it('the erasure of a session waits for the log for at most seven days', async () => {
    const setting = await setUp({ retention_seconds: 3600 })
    const id = await endedSession(setting, breakLog())
    at(NOON + HOUR + 7 * DAYS - SECOND)
    await alarm(id)
    expect((await ask(setting, 'GET', id)).status).toBe(200)
    at(NOON + HOUR + 7 * DAYS)
    await alarm(id)
    expect((await ask(setting, 'GET', id)).status).toBe(404)
  })

  it('the log is called once more before the erasure of a session', async () => {
    const setting = await setUp({ retention_seconds: 3600 })
    const id = await endedSession(setting, breakLog())
    vi.restoreAllMocks()
    at(NOON + 20 * DAYS)
    await alarm(id)
    expect(await loggedOn(setting, toDay(NOON + 20 * DAYS))).toEqual([id])
    expect((await ask(setting, 'GET', id)).status).toBe(404)
  })

  it('the session stops calling the log after 30 days, because the log keeps events for only 30 days', async () => {
    const setting = await setUp({ retention_seconds: 30 * 86_400 })
    const calls = breakLog()
    const id = await endedSession(setting, calls)
    at(NOON + 30 * DAYS - SECOND)
    await alarm(id)
    expect(calls()).toBe(2)
    at(NOON + 30 * DAYS + HOUR)
    await alarm(id)
    expect(calls()).toBe(2)
  })

  it('DELETE drops the queued event', async () => {
    const setting = await setUp()
    const id = await endedSession(setting, breakLog())
    expect((await ask(setting, 'DELETE', id)).status).toBe(204)
    vi.restoreAllMocks()
    at(NOON + 60 * SECOND)
    expect(await alarm(id)).toBe(false)
    expect(await loggedOn(setting, toDay(NOON))).toEqual([])
  })
})

describe('the event of an outcome, perhaps already in the log', () => {
  it('is sent to the log again, and the log stores it once', async () => {
    const setting = await setUp()
    const id = await endedSession(setting, loseResponses())
    expect((await owedBy(id)).owed).toMatchObject({ calls: 1 })
    vi.restoreAllMocks()
    at(NOON + 30 * SECOND)
    await alarm(id)
    expect((await owedBy(id)).owed).toBeNull()
    expect(await loggedOn(setting, toDay(NOON))).toEqual([id])
  })

  it('is not stored a second time on the next day', async () => {
    at(endOfDay(toDay(NOON)) - SECOND)
    const setting = await setUp()
    const id = await endedSession(setting, loseResponses())
    vi.restoreAllMocks()
    at(endOfDay(toDay(NOON)) + 60 * SECOND)
    await alarm(id)
    expect((await owedBy(id)).owed).toBeNull()
    expect(await loggedOn(setting, toDay(NOON))).toEqual([id])
    expect(await loggedOn(setting, toDay(NOON) + 1)).toEqual([])
  })

  it('is not stored a second time if the responses of the logs of both days were lost', async () => {
    at(endOfDay(toDay(NOON)) - SECOND)
    const setting = await setUp()
    const id = await endedSession(setting, breakLog())
    vi.restoreAllMocks()
    loseResponses()
    at(endOfDay(toDay(NOON)) + 60 * SECOND)
    await alarm(id)
    // The "closed" of the first day was lost, too. So the session still asks that day.
    expect((await owedBy(id)).owed).toMatchObject({ day: toDay(NOON) })
    vi.restoreAllMocks()
    loseResponsesOf(toDay(NOON) + 1)
    at(endOfDay(toDay(NOON)) + HOUR)
    await alarm(id)
    expect((await owedBy(id)).owed).toMatchObject({ day: toDay(NOON) + 1 })
    vi.restoreAllMocks()
    at(endOfDay(toDay(NOON)) + 30 * HOUR)
    await alarm(id)
    expect((await owedBy(id)).owed).toBeNull()
    const days = [0, 1, 2].map((after) => loggedOn(setting, toDay(NOON) + after))
    expect(await Promise.all(days)).toEqual([[], [id], []])
  })
})

describe('the event of an outcome, received by the log after the end of its day', () => {
  it('is stored under the day of its arrival, so no reader misses it', async () => {
    at(endOfDay(toDay(NOON)) - SECOND)
    const setting = await setUp()
    const id = await endedSession(setting, breakLog())
    vi.restoreAllMocks()
    const append = vi.spyOn(EventLog.prototype, 'append')
    at(endOfDay(toDay(NOON)) + 26 * HOUR)
    await alarm(id)
    expect(append).toHaveBeenCalledTimes(2) // the day in between is not asked
    expect((await owedBy(id)).owed).toBeNull()
    expect(await loggedOn(setting, toDay(NOON))).toEqual([])
    expect(await loggedOn(setting, toDay(NOON) + 2)).toEqual([id])
  })

  it('is stored under the next day if the clock of the log is ahead of the clock of the session', async () => {
    const setting = await setUp()
    vi.spyOn(EventLog.prototype, 'append').mockReturnValueOnce('closed')
    const id = await endedSession(setting)
    expect(await loggedOn(setting, toDay(NOON) + 1)).toEqual([id])
  })

  it('is stored once, even if a late answer to an earlier call says that the first day has ended', async () => {
    const [first, second, third] = [0, 1, 2].map((after) => toDay(NOON) + after) as [number, number, number]
    at(endOfDay(first) - SECOND)
    const setting = await setUp()
    const closed = Promise.withResolvers<AppendResult>()
    const { append } = EventLog.prototype
    const spy = vi.spyOn(EventLog.prototype, 'append')
    spy.mockImplementationOnce(() => closed.promise as never)
    const { verification_id: id } = await createSession(setting)
    expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
    at((await owedBy(id)).alarm ?? 0)
    const recorded = Promise.withResolvers<void>()
    spy.mockImplementation(function (this: EventLog, entry) {
      const recording = append.call(this, entry)
      return (entry.day === second ? recorded.promise.then(() => recording) : recording) as never
    })
    const later = alarm(id)
    await vi.waitFor(async () => expect(await loggedOn(setting, second)).toEqual([id]), WAIT)
    at(endOfDay(second) + 60 * SECOND)
    closed.resolve('closed')
    await vi.waitFor(() => expect(spy.mock.calls.length).toBeGreaterThan(3), WAIT)
    recorded.resolve()
    await later
    expect((await owedBy(id)).owed).toBeNull()
    const days = [first, second, third].map((day) => loggedOn(setting, day))
    expect(await Promise.all(days)).toEqual([[], [id], []])
  })
})

/** As `loseResponses`, for one day. */
function loseResponsesOf(day: number): void {
  vi.spyOn(console, 'error').mockReturnValue(undefined)
  const { append } = EventLog.prototype
  vi.spyOn(EventLog.prototype, 'append').mockImplementation(function (this: EventLog, entry): AppendResult {
    const recording = append.call(this, entry)
    if (entry.day === day) throw new Error('the line is cut')
    return recording
  })
}
