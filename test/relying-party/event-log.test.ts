import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { endOfDay, eventLogStub, toDay } from '../../src/relying-party/events/event-days.ts'
import { at, NOON, startAtNoon } from '../workerd/clock.ts'

const DAY = toDay(NOON)
const SECOND = 1_000
const DAYS = 86_400_000

let count = 0

startAtNoon()

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
    first: true,
    session_until: createdAt + DAYS,
    body: JSON.stringify({ event_id: eventId }),
  }
}

/** The same event once more. */
const again = <T extends object>(event: T) => ({ ...event, first: false })

async function idsOf(log: ReturnType<typeof newLog>): Promise<readonly string[]> {
  return (await log.read(DAY, 0, 100)).events.map(({ event_id }) => event_id)
}

describe('a day of the event log', () => {
  it('returns events in the order of their arrival, with positions from 1', async () => {
    const log = newLog()
    for (const id of ['b', 'c', 'a']) expect(await log.append(entry(id))).toBe('recorded')
    const page = await log.read(DAY, 0, 100)
    expect(page.events.map(({ event_id, position }) => [event_id, position])).toEqual([
      ['b', 1],
      ['c', 2],
      ['a', 3],
    ])
    expect(page).toMatchObject({ more: false, closed: false })
    const { created_at, day, first, ...shown } = entry('b')
    expect(page.events[0]).toEqual({ ...shown, position: 1 })
  })

  it('returns the events after a position, and says if there are more events', async () => {
    const log = newLog()
    for (let i = 1; i <= 12; i++) await log.append(entry(`e${i}`))
    const page = await log.read(DAY, 8, 3)
    expect(page.events.map(({ position }) => position)).toEqual([9, 10, 11])
    expect(page.more).toBe(true)
    expect(await log.read(DAY, 9, 3)).toMatchObject({ more: false })
    expect(await log.read(DAY, 8, 0)).toMatchObject({ events: [], more: true })
    expect(await log.read(DAY, 12, 0)).toMatchObject({ events: [], more: false })
  })

  it('continues its positions after a restart', async () => {
    const log = newLog()
    await log.append(entry('a'))
    await evictDurableObject(log)
    await log.append(entry('b'))
    expect(await idsOf(log)).toEqual(['a', 'b'])
  })
})

describe('an event that is sent again', () => {
  it('is stored once', async () => {
    const log = newLog()
    const first = entry('a')
    await Promise.all([log.append(first), log.append(again(first)), log.append(again(first))])
    expect(await log.append(again(first))).toBe('recorded')
    expect(await idsOf(log)).toEqual(['a'])
  })

  it('is stored once although the object was restarted and other events arrived in between', async () => {
    const log = newLog()
    const first = entry('a')
    await log.append(first)
    for (let i = 0; i < 5; i++) {
      at(NOON + i * 600 * SECOND)
      await log.append(entry(`e${i}`))
      await evictDurableObject(log)
      expect(await log.append(again(first))).toBe('recorded')
    }
    expect(await idsOf(log)).toEqual(['a', 'e0', 'e1', 'e2', 'e3', 'e4'])
  })

  it('is stored once although more than 20,000 other events arrived meanwhile', async () => {
    const log = newLog()
    const first = entry('a')
    await log.append(first)
    await runInDurableObject(log, (instance) => {
      for (let i = 0; i < 20_010; i++) instance.append(entry(`e${i}`))
    })
    at(NOON + 60 * SECOND)
    expect(await log.append(again(first))).toBe('recorded')
    expect(await log.read(DAY, 20_011, 1)).toMatchObject({ events: [] })
    expect((await log.read(DAY, 20_010, 1)).events).toHaveLength(1)
  })

  it('is stored once even if the clock of the log is behind the clock of the session', async () => {
    const log = newLog()
    const ahead = entry('a', NOON + 4 * SECOND)
    await log.append(ahead)
    await evictDurableObject(log)
    at(NOON + 60 * SECOND)
    expect(await log.append(again(ahead))).toBe('recorded')
    expect(await idsOf(log)).toEqual(['a'])
  })

  it.each([0, 5, 14, 15, 16, 40, 7200])(
    'is stored once if the log first got it %i s after its creation',
    async (delay) => {
      const log = newLog()
      await log.append(entry('before'))
      const event = entry('a')
      at(NOON + delay * SECOND)
      await log.append(event)
      at(NOON + (delay + 30) * SECOND)
      await log.append(entry('after'))
      expect(await log.append(again(event))).toBe('recorded')
      await evictDurableObject(log)
      expect(await log.append(again(event))).toBe('recorded')
      expect(await idsOf(log)).toEqual(['before', 'a', 'after'])
    },
  )

  it('is stored once even if the second call arrives before the first call', async () => {
    const log = newLog()
    const event = entry('a')
    at(NOON + 26 * SECOND) // the session’s 30 s, by a slower clock
    await log.append(again(event))
    expect(await log.append(event)).toBe('recorded')
    expect(await idsOf(log)).toEqual(['a'])
  })

  it('is stored once even if the clock of the log was set back by seconds while other events arrived', async () => {
    const log = newLog()
    const offsets = [0, 4, 1, 3, 0, 4, 2, 6, 3, 5, 8, 4, 9]
    const events = offsets.map((offset, i) => entry(`e${i}`, NOON + offset * SECOND))
    for (const event of events) {
      at(event.created_at)
      await log.append(event)
    }
    at(NOON + 60 * SECOND)
    for (const event of events) expect(await log.append(again(event))).toBe('recorded')
    expect(await idsOf(log)).toEqual(events.map(({ event_id }) => event_id))
  })
})

describe('an event that is sent again after the clock was set back', () => {
  it.each([6, 40, 80, 3600])(
    'is stored once if other events arrived when the clock was still %i s ahead',
    async (back) => {
      const log = newLog()
      const events = [0, back, 0, back, 1, back].map((behind, i) => entry(`e${i}`, NOON - behind * SECOND))
      for (const event of events) {
        at(event.created_at)
        await log.append(event)
        await evictDurableObject(log)
      }
      for (const now of [NOON - back * SECOND, NOON + 60 * SECOND]) {
        at(now)
        for (const event of events) expect(await log.append(again(event))).toBe('recorded')
      }
      expect(await idsOf(log)).toEqual(events.map(({ event_id }) => event_id))
    },
  )

  it('is stored once if the clock of the log was behind when the event arrived', async () => {
    const log = newLog()
    const event = entry('a', NOON + 80 * SECOND)
    expect(await log.append(event)).toBe('recorded')
    at(NOON + 30 * SECOND)
    expect(await log.append(again(event))).toBe('recorded')
    at(NOON + 200 * SECOND)
    expect(await log.append(again(event))).toBe('recorded')
    expect(await idsOf(log)).toEqual(['a'])
  })
})

describe('after an outage of hours', () => {
  it('the log reads fewer than 20 rows for each event after the first 100, and stores each of 3,000 events once', async () => {
    const log = newLog()
    for (let i = 0; i < 50; i++) await log.append(entry(`p${i}`))
    at(NOON + 7200 * SECOND)
    const reads = await runInDurableObject(log, (instance, { storage }) => {
      const { kv } = storage
      const counter = countReads(kv)
      const each = Array.from({ length: 3000 }, (_, i) => {
        const before = counter()
        const event = again(entry(`e${i}`, NOON + i * SECOND))
        instance.append(event)
        const after = counter()
        instance.append(event)
        return after - before
      })
      vi.restoreAllMocks()
      return each
    })
    expect((await log.read(DAY, 3049, 10)).events).toHaveLength(1)
    expect(Math.max(...reads.slice(100))).toBeLessThan(20)
  })
})

describe('a possible repetition of an event in a busy log', () => {
  /** Returns the rows that its storage reads. */
  const rowsReadBy = (log: ReturnType<typeof newLog>, event: ReturnType<typeof entry>) =>
    runInDurableObject(log, (instance, { storage }) => {
      const rows = countReads(storage.kv)
      instance.append(event)
      const read = rows()
      vi.restoreAllMocks()
      return read
    })

  it('is looked up with a read of at most two rows, even among 5,000 events of the same second', async () => {
    const log = newLog()
    await runInDurableObject(log, (instance) => {
      for (let i = 0; i < 5_000; i++) instance.append(again(entry(`e${i}`)))
    })
    const event = again(entry('a'))
    expect(await rowsReadBy(log, event)).toBeLessThanOrEqual(2)
    expect(await rowsReadBy(log, event)).toBeLessThanOrEqual(2)
    expect((await log.read(DAY, 5_000, 10)).events).toHaveLength(1)
  })

  it('is looked up in the rows of the last minute after a restart, and in at most two rows from the next event on', async () => {
    const log = newLog()
    await runInDurableObject(log, (instance) => {
      for (let i = 0; i < 10_000; i++) {
        at(NOON + i * 100)
        instance.append(entry(`e${i}`))
      }
    })
    await evictDurableObject(log)
    const event = again(entry('a'))
    expect(await rowsReadBy(log, event)).toBeLessThanOrEqual(610)
    expect(await rowsReadBy(log, again(entry('b')))).toBeLessThanOrEqual(2)
    await evictDurableObject(log)
    await log.append(event)
    expect((await log.read(DAY, 10_000, 10)).events).toHaveLength(2)
  })

  it('is stored once even if its id is no longer in memory', async () => {
    const log = newLog()
    const event = again(entry('a'))
    await log.append(event)
    await runInDurableObject(log, (instance) => {
      for (let i = 0; i < 10_010; i++) instance.append(entry(`e${i}`))
    })
    at(NOON + 20 * SECOND)
    expect(await log.append(event)).toBe('recorded')
    expect((await log.read(DAY, 10_010, 10)).events).toHaveLength(1)
  })
})

/** Counts the rows that are read from now on. */
function countReads(kv: SyncKvStorage): () => number {
  let rows = 0
  const [get, list] = [kv.get.bind(kv), kv.list.bind(kv)]
  vi.spyOn(kv, 'get').mockImplementation((key) => {
    rows += 1
    return get(key)
  })
  vi.spyOn(kv, 'list').mockImplementation(function* (options) {
    for (const found of list(options)) {
      rows += 1
      yield found
    }
  } as typeof kv.list)
  return () => rows
}

describe('the number of rows that are written', () => {
  it('is one for an event that arrives at once, two for a late event and zero for a repetition', async () => {
    const log = newLog()
    const puts = (event: ReturnType<typeof entry>) =>
      runInDurableObject(log, (instance, { storage }) => {
        const put = vi.spyOn(storage.kv, 'put')
        instance.append(event)
        const count = put.mock.calls.length
        put.mockRestore()
        return count
      })
    expect(await puts(entry('a'))).toBe(1)
    expect(await puts(entry('b', NOON - 60 * SECOND))).toBe(2)
    expect(await puts(again(entry('a')))).toBe(0)
  })
})

describe('the end of a day of the log', () => {
  it('makes the log reject new events, but the log still recognizes stored events', async () => {
    const log = newLog()
    at(endOfDay(DAY) - 1)
    await log.append(entry('in time'))
    at(endOfDay(DAY))
    expect(await log.append(entry('late'))).toBe('closed')
    expect(await log.append(again(entry('in time', endOfDay(DAY) - 1)))).toBe('recorded')
    expect(await idsOf(log)).toEqual(['in time'])
  })

  it('is reported to readers five seconds later, because the clocks of two machines may differ', async () => {
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

  it('is set for the time 30 days after the end of the day, and then empties the storage', async () => {
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

  it('erases nothing if it fires too early, and is set again', async () => {
    const log = newLog()
    await log.append(entry('a'))
    await runInDurableObject(log, (_, state) => state.storage.setAlarm(NOON))
    expect(await runDurableObjectAlarm(log)).toBe(true)
    expect(await idsOf(log)).toEqual(['a'])
    expect(await alarmOf(log)).toBe(endOfDay(DAY) + 30 * DAYS)
  })

  it('is set again by the constructor if the platform lost the alarm', async () => {
    const log = newLog()
    await log.append(entry('a'))
    await runInDurableObject(log, (_, state) => state.storage.deleteAlarm())
    await evictDurableObject(log)
    await idsOf(log)
    expect(await alarmOf(log)).toBe(endOfDay(DAY) + 30 * DAYS)
  })

  it('is not set for a day without events, because reading writes nothing', async () => {
    const log = newLog()
    await idsOf(log)
    expect(await alarmOf(log)).toBeNull()
  })
})
