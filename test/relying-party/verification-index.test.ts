// One day of the index with many entries (api/lists): no request and no alarm reads it whole.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { toDay } from '../../src/relying-party/events/event-days.ts'
import { HourCounters, type HourCounts } from '../../src/relying-party/index/counters.ts'
import { indexStub } from '../../src/relying-party/index/index-days.ts'
import type { IndexEntry } from '../../src/relying-party/index/index-entry.ts'
import { VerificationIndex } from '../../src/relying-party/index/verification-index.ts'
import { type Setting, setUp } from '../session/driver.ts'
import { at, NOON, startAtNoon } from '../workerd/clock.ts'
import { indexEntry } from '../workerd/index-entry.ts'
import { rowsReadBy } from '../workerd/rows.ts'

const DAY = toDay(NOON)
const DAY_MS = 86_400_000

startAtNoon()

const stubOf = ({ relyingPartyId }: Setting) => indexStub(env, relyingPartyId, DAY)
const markOf = (number: number) => `${number}`.padStart(22, 'A')

/** Entry `number` was created that many times two seconds before noon. */
function entryOf(number: number, members: Partial<IndexEntry> = {}): IndexEntry {
  const created_at = NOON - number * 2_000
  return indexEntry(created_at, { verification_id: `v_${number}`, ...members })
}

function put({ relyingPartyId }: Setting, number: number, members?: Partial<IndexEntry>): Promise<boolean> {
  const entry = entryOf(number, members)
  return indexStub(env, relyingPartyId, DAY).put({ relyingPartyId, day: DAY, mark: markOf(number), entry })
}

/** Stores entries as sessions do, the oldest first. */
async function putMany(setting: Setting, count: number): Promise<void> {
  const { relyingPartyId } = setting
  await runInDurableObject(stubOf(setting), async (index) => {
    for (let number = count; number > 0; number--) {
      const entry = entryOf(number)
      await index.put({ relyingPartyId, day: DAY, mark: markOf(number), entry })
    }
  })
}

/** Members of a finished verification. The day asks no session about it. */
const ENDED = { status: 'canceled', ended_at: NOON } as const

/** Stores entries without counting them, as an earlier version did. */
async function fill(setting: Setting, count: number, sealed_metadata: string | null = null): Promise<void> {
  await put(setting, 0, sealed_metadata === null ? {} : ENDED)
  await runInDurableObject(stubOf(setting), (_, { storage }) => {
    for (let number = 1; number <= count; number++) {
      const { metadata: _, ...listed } = entryOf(number, sealed_metadata === null ? {} : ENDED)
      const key = `entry/${String(listed.created_at).padStart(15, '0')}/${markOf(number)}`
      storage.kv.put(key, { ...listed, sealed_metadata })
    }
  })
}

/** Reads the counts in as many calls as they need, and checks that each call is limited. */
async function countsOf(setting: Setting): Promise<{ readonly hours: readonly HourCounts[]; calls: number }> {
  for (let calls = 1; calls < 20; calls++) {
    let hours: readonly HourCounts[] | null = null
    const rows = await rowsReadBy(async () => {
      hours = await stubOf(setting).counts()
    })
    expect(rows).toBeLessThanOrEqual(10_000)
    if (hours !== null) return { hours, calls }
  }
  throw new Error('the counts never end')
}

const sumOf = (hours: readonly HourCounts[]) => hours.reduce((sum, { created }) => sum + created, 0)

describe('the counts of verifications of a day', () => {
  it('are computed for 20,000 entries with a read of at most 1,000 rows after a restart', async () => {
    const rowsOf = async (count: number) => {
      const setting = await setUp()
      await putMany(setting, count)
      await evictDurableObject(stubOf(setting))
      const rows = await rowsReadBy(async () => {
        expect(sumOf((await stubOf(setting).counts()) ?? [])).toBe(count)
      })
      await put(setting, 0)
      expect(await rowsReadBy(() => stubOf(setting).counts())).toBe(0)
      return rows
    }
    expect(await rowsOf(250)).toBeGreaterThanOrEqual(250)
    expect(await rowsOf(20_000)).toBeLessThanOrEqual(1_000)
  })

  it('are stored when their hour is over, so that a restarted object reads only later entries', async () => {
    const setting = await setUp()
    await fill(setting, 0)
    const late = NOON + 80 * 60_000
    // 300 entries in the hour from noon, far fewer than a busy day has.
    for (let number = 1; number <= 300; number++) {
      at(NOON + number * 10_000)
      await put(setting, -number * 5)
      if (number % 100 === 0) await evictDurableObject(stubOf(setting))
    }
    at(late)
    await put(setting, -(late - NOON) / 2_000)
    await evictDurableObject(stubOf(setting))
    const rows = await rowsReadBy(async () => {
      expect(sumOf((await stubOf(setting).counts()) ?? [])).toBe(302)
    })
    expect(rows).toBeLessThanOrEqual(10)
  })

  it('stored counts are corrected only once for a session that ends later, even if its entry is sent three times', async () => {
    const setting = await setUp()
    await fill(setting, 0)
    for (let number = 1; number <= 20; number++) {
      at(NOON + number * 10_000)
      await put(setting, -number * 5)
    }
    at(NOON + 80 * 60_000)
    await put(setting, -2_400)
    const end = { revision: 2, status: 'expired', ended_at: NOON + 79 * 60_000 }
    for (let sent = 0; sent < 3; sent++) {
      await put(setting, -50, end)
      await evictDurableObject(stubOf(setting))
    }
    const { hours } = await countsOf(setting)
    expect([sumOf(hours), hours.map(({ ended }) => ended)]).toEqual([22, [{}, { expired: 1 }]])
    await runInDurableObject(stubOf(setting), (_, { storage }) => {
      const settled = storage.kv.get<{ hours: readonly HourCounts[] }>('settled')
      expect(settled?.hours.map(({ ended }) => ended)).toEqual([{}, { expired: 1 }])
    })
  })

  it('are copied at most twice for 20 new entries that arrive after hours without an entry', async () => {
    const setting = await setUp()
    await fill(setting, 0)
    at(NOON + 80 * 60_000)
    await put(setting, -2_400) // stores the counters of the first hour
    at(NOON + 300 * 60_000)
    const copied = vi.spyOn(HourCounters.prototype, 'hours')
    for (let number = 1; number <= 20; number++) {
      at(NOON + 300 * 60_000 + number * 10_000)
      await put(setting, -9_000 - number * 5)
    }
    expect(copied.mock.calls.length).toBeLessThanOrEqual(2)
    expect(sumOf((await countsOf(setting)).hours)).toBe(22)
  })

  it('are computed in several calls if no counters are stored, and are read in one call once they are stored', async () => {
    const setting = await setUp()
    await fill(setting, 12_000)
    await evictDurableObject(stubOf(setting))
    const { hours, calls } = await countsOf(setting)
    expect(sumOf(hours)).toBe(12_001)
    expect(calls).toBe(3)
    await evictDurableObject(stubOf(setting))
    expect(await countsOf(setting)).toEqual({ hours, calls: 1 })
  })

  it('change if an old entry changes, and the changed counters are stored', async () => {
    const setting = await setUp()
    await putMany(setting, 1_000)
    await put(setting, 900, { revision: 2, status: 'canceled', ended_at: NOON })
    await put(setting, 1_200) // late
    const ended = async () => {
      const { hours } = await countsOf(setting)
      return [sumOf(hours), hours.at(-1)?.ended]
    }
    expect(await ended()).toEqual([1_001, { canceled: 1 }])
    await put(setting, 901, { revision: 2, status: 'canceled', ended_at: NOON })
    expect(await ended()).toEqual([1_001, { canceled: 2 }])
    await evictDurableObject(stubOf(setting))
    expect(await ended()).toEqual([1_001, { canceled: 2 }])
  })

  it('include changes of entries that are stored between two calls of one reader', async () => {
    const setting = await setUp()
    await fill(setting, 6_000)
    await evictDurableObject(stubOf(setting))
    expect(await stubOf(setting).counts()).toBeNull()
    for (const number of [5_900, 100]) {
      await put(setting, number, { revision: 2, status: 'canceled', ended_at: NOON })
    }
    const { hours } = await countsOf(setting)
    expect([sumOf(hours), hours.at(-1)?.ended]).toEqual([6_001, { canceled: 2 }])
  })
})

describe('the counts of a day, if its object restarts between writes,', () => {
  /** Stores 700 new entries, and then changes other entries. `which`: their numbers. */
  const step = fc.record({
    which: fc.array(fc.nat(2_999), { maxLength: 8 }),
    restarts: fc.boolean(),
    reads: fc.boolean(),
  })

  it('include all entries of the day', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 4 }), async (steps) => {
        const setting = await setUp()
        const { relyingPartyId } = setting
        const entries = new Map<number, IndexEntry>()
        for (const [i, { which, restarts, reads }] of steps.entries()) {
          const oldest = 3_000 - i * 700
          const added = Array.from({ length: 700 }, (_, j) => entryOf(oldest - j))
          const changed = which.map((number) =>
            entryOf(number, { revision: 2 + i, status: 'canceled', ended_at: NOON, reason: `reason ${i}` }),
          )
          at(NOON - (oldest - 700) * 2_000)
          await runInDurableObject(stubOf(setting), async (index) => {
            for (const entry of [...added, ...changed]) {
              const number = (NOON - entry.created_at) / 2_000
              if ((entries.get(number)?.revision ?? 0) > entry.revision) continue
              entries.set(number, entry)
              await index.put({ relyingPartyId, day: DAY, mark: markOf(number), entry })
            }
          })
          if (reads) await stubOf(setting).counts()
          if (restarts) await evictDurableObject(stubOf(setting))
        }
        const expected = new HourCounters()
        for (const entry of entries.values()) expected.add(entry)
        expect((await countsOf(setting)).hours).toEqual(expected.hours())
      }),
      { numRuns: 12 },
    )
  })
})

describe('the alarm of a day', () => {
  it('replaces many entries by their counts in several alarms', async () => {
    const setting = await setUp()
    await fill(setting, 12_000)
    const { hours } = await countsOf(setting)
    await evictDurableObject(stubOf(setting))
    await runInDurableObject(stubOf(setting), (_, { storage }) => storage.kv.delete('settled'))
    await evictDurableObject(stubOf(setting))
    at(NOON + 32 * DAY_MS)
    let alarms = 0
    for (; alarms < 10 && !(await isMoved(setting)); alarms++) {
      const rows = await rowsReadBy(() => runDurableObjectAlarm(stubOf(setting)))
      expect(rows).toBeLessThanOrEqual(10_000)
    }
    expect(alarms).toBe(3)
    expect(await stubOf(setting).counts()).toEqual(hours)
  })

  it('keeps the entries if it cannot store their counts, and the next alarm replaces the entries by the counts', async () => {
    const setting = await setUp()
    await putMany(setting, 20)
    const { hours } = await countsOf(setting)
    at(NOON + 32 * DAY_MS)
    vi.spyOn(VerificationIndex.prototype, 'storeCounts').mockImplementationOnce(() => {
      throw new Error('the process ends')
    })
    const failed = runInDurableObject(stubOf(setting), (index) => index.alarm?.())
    await expect(failed).rejects.toThrow('the process ends')
    await evictDurableObject(stubOf(setting))
    await runDurableObjectAlarm(stubOf(setting))
    expect(await isMoved(setting)).toBe(true)
    expect(await stubOf(setting).counts()).toEqual(hours)
  })

  it('erases the metadata of a limited number of entries at a time, and continues until no metadata is left', async () => {
    const setting = await setUp()
    await fill(setting, 5_000, 'sealed')
    at(NOON + 6 * DAY_MS)
    let alarms = 0
    for (; alarms < 10 && (await sealedOf(setting)) > 0; alarms++) {
      const rows = await rowsReadBy(() => runDurableObjectAlarm(stubOf(setting)))
      // 2,000 of the erasure, 2,000 of the check, and 5,000 whose counters are stored.
      expect(rows).toBeLessThanOrEqual(9_000)
    }
    expect(alarms).toBe(3)
  })

  it('also erases the metadata of an entry that is stored after the alarm began', async () => {
    const setting = await setUp()
    await fill(setting, 5_000, 'sealed')
    const alarm = () =>
      runInDurableObject(stubOf(setting), async (_, { storage }) => (await storage.getAlarm()) ?? Infinity)
    at(NOON + 6 * DAY_MS)
    await runDurableObjectAlarm(stubOf(setting))
    const until = Date.now() + 5 * 3_600_000
    await put(setting, 6_000, { ...ENDED, metadata: { order: '4711' }, metadata_until: until })
    for (let alarms = 0; alarms < 10 && (await alarm()) < until; alarms++) {
      at(await alarm())
      await runDurableObjectAlarm(stubOf(setting))
    }
    expect(await alarm()).toBe(until)
    at(until)
    for (let alarms = 0; alarms < 10 && (await sealedOf(setting)) > 0; alarms++) {
      await runDurableObjectAlarm(stubOf(setting))
    }
    expect(await sealedOf(setting)).toBe(0)
  })
})

/** Returns true if the object of the day is empty, which is so once its counters have moved. */
function isMoved(setting: Setting): Promise<boolean> {
  return runInDurableObject(stubOf(setting), (_, { storage }) => [...storage.kv.list()].length === 0)
}

/** Returns the number of entries that have metadata. */
function sealedOf(setting: Setting): Promise<number> {
  return runInDurableObject(stubOf(setting), (_, { storage }) => {
    const entries = storage.kv.list<{ sealed_metadata?: string | null }>({ prefix: 'entry/' })
    return [...entries].filter(([, entry]) => typeof entry.sealed_metadata === 'string').length
  })
}
