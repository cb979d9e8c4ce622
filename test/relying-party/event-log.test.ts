import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dayOf, endOfDay, eventLogStub } from '../../src/relying-party/event-days.ts'

const NOON = Date.UTC(2030, 5, 15, 12)
const DAY = dayOf(NOON)
const SECOND = 1_000
const DAYS = 86_400_000

let count = 0

beforeEach(() => at(NOON))
afterEach(() => {
  vi.useRealTimers()
})

/** Sets the clock, and nothing else. */
function at(now: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now })
}

/** A log that no other test uses. */
function newLog() {
  count += 1
  return eventLogStub(env, `rp_${count}`, DAY)
}

function entry(eventId: string, createdAt = Date.now()) {
  return {
    day: DAY,
    event_id: eventId,
    verification_id: `v_${eventId}`,
    created_at: createdAt,
    session_until: createdAt + DAYS,
    body: JSON.stringify({ event_id: eventId }),
  }
}

async function idsOf(log: ReturnType<typeof newLog>): Promise<readonly string[]> {
  return (await log.read(DAY, 0, 100)).events.map(({ event_id }) => event_id)
}

describe('a day of the event log', () => {
  it('shows events in the order of their arrival, with positions from 1', async () => {
    const log = newLog()
    for (const id of ['b', 'c', 'a']) expect(await log.append(entry(id))).toBe('recorded')
    const page = await log.read(DAY, 0, 100)
    expect(page.events.map(({ event_id, position }) => [event_id, position])).toEqual([
      ['b', 1],
      ['c', 2],
      ['a', 3],
    ])
    expect(page).toMatchObject({ more: false, closed: false })
    const { created_at, day, ...shown } = entry('b')
    expect(page.events[0]).toEqual({ ...shown, position: 1 })
  })

  it('reads on behind a position, and says whether there is more', async () => {
    const log = newLog()
    for (let i = 1; i <= 12; i++) await log.append(entry(`e${i}`))
    const page = await log.read(DAY, 8, 3)
    expect(page.events.map(({ position }) => position)).toEqual([9, 10, 11])
    expect(page.more).toBe(true)
    expect(await log.read(DAY, 9, 3)).toMatchObject({ more: false })
    expect(await log.read(DAY, 8, 0)).toMatchObject({ events: [], more: true })
    expect(await log.read(DAY, 12, 0)).toMatchObject({ events: [], more: false })
  })

  it('counts on after a restart', async () => {
    const log = newLog()
    await log.append(entry('a'))
    await evictDurableObject(log)
    await log.append(entry('b'))
    expect(await idsOf(log)).toEqual(['a', 'b'])
  })
})

describe('an event that is sent again', () => {
  it('is recorded once', async () => {
    const log = newLog()
    await idsOf(log)
    at(NOON + 60 * SECOND) // so that the object was awake before the event came to be
    await Promise.all([log.append(entry('a')), log.append(entry('a')), log.append(entry('a'))])
    expect(await log.append(entry('a'))).toBe('recorded')
    expect(await idsOf(log)).toEqual(['a'])
  })

  it('is recorded once though the object was restarted and others arrived in between', async () => {
    const log = newLog()
    const first = entry('a')
    await log.append(first)
    for (let i = 0; i < 5; i++) {
      at(NOON + i * 600 * SECOND)
      await log.append(entry(`e${i}`))
      await evictDurableObject(log)
      expect(await log.append(first)).toBe('recorded')
    }
    expect(await idsOf(log)).toEqual(['a', 'e0', 'e1', 'e2', 'e3', 'e4'])
  })

  it('is recorded once though more than 20,000 others arrived meanwhile', async () => {
    const log = newLog()
    await idsOf(log)
    at(NOON + 60 * SECOND)
    const first = entry('a')
    await log.append(first)
    await runInDurableObject(log, (instance) => {
      for (let i = 0; i < 20_010; i++) instance.append(entry(`e${i}`, NOON + 60 * SECOND))
    })
    expect(await log.append(first)).toBe('recorded')
    expect(await log.read(DAY, 20_011, 1)).toMatchObject({ events: [] })
    expect((await log.read(DAY, 20_010, 1)).events).toHaveLength(1)
  })

  it('is recorded once by a log whose clock is behind that of the session', async () => {
    const log = newLog()
    const ahead = entry('a', NOON + 4 * SECOND)
    await log.append(ahead)
    await evictDurableObject(log)
    at(NOON + 60 * SECOND)
    expect(await log.append(ahead)).toBe('recorded')
    expect(await idsOf(log)).toEqual(['a'])
  })
})

describe('the end of the day', () => {
  it('refuses what comes from then on, and knows what came before', async () => {
    const log = newLog()
    at(endOfDay(DAY) - 1)
    await log.append(entry('in time'))
    at(endOfDay(DAY))
    expect(await log.append(entry('late'))).toBe('closed')
    expect(await log.append(entry('in time'))).toBe('recorded')
    expect(await idsOf(log)).toEqual(['in time'])
  })

  it('is announced to readers five seconds later: clocks of two machines differ', async () => {
    const log = newLog()
    at(endOfDay(DAY) + 4_999)
    expect(await log.read(DAY, 0, 10)).toMatchObject({ closed: false })
    at(endOfDay(DAY) + 5_000)
    expect(await log.read(DAY, 0, 10)).toMatchObject({ closed: true })
  })
})

describe('the alarm of a day', () => {
  const alarmOf = (log: ReturnType<typeof newLog>) =>
    runInDurableObject(log, (_, state) => state.storage.getAlarm())

  it('stands 30 days after its end, and leaves an empty storage', async () => {
    const log = newLog()
    await log.append(entry('a'))
    expect(await alarmOf(log)).toBe(endOfDay(DAY) + 30 * DAYS)
    at(endOfDay(DAY) + 30 * DAYS)
    expect(await runDurableObjectAlarm(log)).toBe(true)
    const left = await runInDurableObject(log, async (_, state) => [
      [...state.storage.kv.list()],
      await state.storage.getAlarm(),
    ])
    expect(left).toEqual([[], null])
    expect(await idsOf(log)).toEqual([])
  })

  it('is set again by the constructor where the platform lost it', async () => {
    const log = newLog()
    await log.append(entry('a'))
    await runInDurableObject(log, (_, state) => state.storage.deleteAlarm())
    await evictDurableObject(log)
    await idsOf(log)
    expect(await alarmOf(log)).toBe(endOfDay(DAY) + 30 * DAYS)
  })

  it('is not there for a day without events: reading writes nothing', async () => {
    const log = newLog()
    await idsOf(log)
    expect(await alarmOf(log)).toBeNull()
  })
})
