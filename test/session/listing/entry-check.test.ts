// Entries of the list that a lost call, or a build without lists, left out of date.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { reportCapacity } from '../../../src/metrics/capacity.ts'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { endOfDay, toDay } from '../../../src/relying-party/events/event-days.ts'
import { indexStub } from '../../../src/relying-party/index/index-days.ts'
import { VerificationIndex } from '../../../src/relying-party/index/verification-index.ts'
import { createApp } from '../../../src/routes/app.ts'
import { VerificationSession } from '../../../src/session/verification-session.ts'
import { call } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { rowsReadBy } from '../../workerd/rows.ts'
import { ask, createSession, type Setting, setUp, stubOf } from '../driver.ts'

const app = createApp()
const DAY = toDay(NOON)
const HOUR = 3_600_000

startAtNoon()

let turns = 0
/** Sets the clock to the next turn: all days of this process share them. */
const nextTurn = () => at(NOON + ++turns * 60_000)

afterEach(() => reportCapacity(null, 0, Number.NEGATIVE_INFINITY))

const dayStub = ({ relyingPartyId }: Setting) => indexStub(env, relyingPartyId, DAY)

async function alarmOf(setting: Setting): Promise<number> {
  const alarm = await runInDurableObject(dayStub(setting), (_, { storage }) => storage.getAlarm())
  return alarm ?? Number.NaN
}

async function list({ headers }: Setting): Promise<readonly (readonly [id: string, status: string])[]> {
  const response = await call(app, 'GET', '/v1/verify', { headers })
  const { verifications } = (await response.json()) as {
    verifications: readonly { readonly verification_id: string; readonly status: string }[]
  }
  return verifications.map(({ verification_id, status }) => [verification_id, status])
}

/** Creates sessions, and waits until they are listed. */
async function createListed(setting: Setting, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++)
    ids.push((await createSession(setting, { metadata: { order: `order-${i}` } })).verification_id)
  await vi.waitFor(async () => expect(await list(setting)).toHaveLength(count), WAIT)
  return ids
}

/** Cancels a session. The list confirms the change, and does not store it. */
async function cancelUnlisted(setting: Setting, id: string): Promise<void> {
  const put = vi.spyOn(VerificationIndex.prototype, 'put').mockResolvedValue(true)
  await ask(setting, 'POST', id, '/cancel')
  await vi.waitFor(() => expect(put).toHaveBeenCalled(), WAIT)
  await runInDurableObject(stubOf(id), (_, { storage }) =>
    vi.waitFor(() => expect(storage.kv.get('session')).toMatchObject({ pending_log_entry: null }), WAIT),
  )
  put.mockRestore()
}

/** Deletes a session as a build does that knows no list. */
async function deleteUnlisted(id: string): Promise<void> {
  await runInDurableObject(stubOf(id), (_, { storage }) => storage.deleteAll())
  await evictDurableObject(stubOf(id))
}

/** Another build has checked the day last. */
async function changeBuild(setting: Setting): Promise<void> {
  await runInDurableObject(dayStub(setting), (_, { storage }) => storage.kv.put('checked_by', 'another'))
  await evictDurableObject(dayStub(setting))
}

describe('an entry in the list after a change of build', () => {
  it('is removed if its session is deleted, is corrected if its session has ended, and stays otherwise', async () => {
    const setting = await setUp()
    const [deleted = '', ended = '', kept = ''] = await createListed(setting, 3)
    await deleteUnlisted(deleted)
    await cancelUnlisted(setting, ended)
    expect(new Map(await list(setting))).toEqual(new Map([deleted, ended, kept].map((id) => [id, 'pending'])))
    await changeBuild(setting)
    await dayStub(setting).open()
    nextTurn()
    expect(await runDurableObjectAlarm(dayStub(setting))).toBe(true)
    const corrected = new Map([
      [ended, 'canceled'],
      [kept, 'pending'],
    ])
    await vi.waitFor(async () => expect(new Map(await list(setting))).toEqual(corrected), WAIT)
    await runInDurableObject(dayStub(setting), (_, { storage }) => {
      expect(JSON.stringify([...storage.kv.list()])).not.toContain(deleted)
      expect(storage.kv.get('checked_by')).not.toBe('another')
    })
  })

  it('stays if the call to its session fails', async () => {
    const setting = await setUp()
    await createListed(setting, 1)
    await changeBuild(setting)
    await dayStub(setting).open()
    const asked = vi.spyOn(VerificationSession.prototype, 'confirmEntry')
    asked.mockRejectedValue(new Error('unreadable'))
    nextTurn()
    await runDurableObjectAlarm(dayStub(setting))
    expect(asked).toHaveBeenCalledTimes(1)
    expect(await list(setting)).toHaveLength(1)
  })

  it('stays if the call finds no session, but the entry was meanwhile stored as ended', async () => {
    const setting = await setUp()
    const [id = ''] = await createListed(setting, 1)
    await changeBuild(setting)
    await dayStub(setting).open()
    vi.spyOn(VerificationSession.prototype, 'confirmEntry').mockImplementation(async () => {
      await runInDurableObject(dayStub(setting), (_, { storage }) => {
        const [[key, row] = ['', {}]] = storage.kv.list<object>({ prefix: 'entry/' })
        storage.kv.put(key, {
          ...row,
          status: 'expired',
          stage: 'done',
          ended_at: NOON,
          metadata_until: NOON,
        })
      })
      return false
    })
    nextTurn()
    await runDurableObjectAlarm(dayStub(setting))
    expect(await list(setting)).toEqual([[id, 'expired']])
  })

  it('is checked together with at most nine other entries in one alarm', async () => {
    const setting = await setUp()
    await createListed(setting, 12)
    await changeBuild(setting)
    const asked = vi.spyOn(VerificationSession.prototype, 'confirmEntry')
    await dayStub(setting).open()
    nextTurn()
    await runDurableObjectAlarm(dayStub(setting))
    expect(asked).toHaveBeenCalledTimes(10)
    nextTurn()
    await runDurableObjectAlarm(dayStub(setting))
    expect(asked).toHaveBeenCalledTimes(12)
  })

  it('is checked even if nobody reads the list: the object of the relying party opens the object of the day', async () => {
    const setting = await setUp()
    await createListed(setting, 1)
    await changeBuild(setting)
    const relyingParty = relyingPartyStub(env, setting.relyingPartyId)
    if (relyingParty === undefined) throw new Error('no relying party')
    await runInDurableObject(relyingParty, (_, { storage }) => storage.kv.put('checked_by', 'another'))
    await evictDurableObject(relyingParty)
    const open = vi.spyOn(VerificationIndex.prototype, 'open')
    await relyingParty.settings()
    await vi.waitFor(() => expect(open).toHaveBeenCalledTimes(1), WAIT)
    // At the latest an hour after the others that wait for their turn.
    expect(await alarmOf(setting)).toBeLessThan(NOON + 2 * HOUR)
  })

  it('is checked only once, even if several alarms are needed and the day is evicted from memory between the alarms', async () => {
    const setting = await setUp()
    await createListed(setting, 25)
    await changeBuild(setting)
    const asked = vi.spyOn(VerificationSession.prototype, 'confirmEntry')
    for (let alarm = 0; alarm < 3; alarm++) {
      await dayStub(setting).open()
      await evictDurableObject(dayStub(setting))
      nextTurn()
      await runDurableObjectAlarm(dayStub(setting))
    }
    expect(asked).toHaveBeenCalledTimes(25)
    expect(new Set(asked.mock.calls.map(([entry]) => entry.verification_id)).size).toBe(25)
    await runInDurableObject(dayStub(setting), (_, { storage }) => {
      expect(storage.kv.get('checked_by')).not.toBe('another')
    })
  })
})

describe('the check of the entries of many days after a change of build', () => {
  it('reads no entry of a day while another day is checked', async () => {
    const [first, second] = [await setUp(), await setUp()]
    for (const setting of [first, second]) {
      await createListed(setting, 3)
      await changeBuild(setting)
    }
    nextTurn()
    const asked = vi.spyOn(VerificationSession.prototype, 'confirmEntry')
    // The erasure of metadata and the counters read each entry once, and the check a second time.
    expect(await rowsReadBy(() => runDurableObjectAlarm(dayStub(first)))).toBe(6)
    expect(await rowsReadBy(() => runDurableObjectAlarm(dayStub(second)))).toBe(3)
    expect(asked).toHaveBeenCalledTimes(3)
    nextTurn()
    // The erasure of metadata has read the day, and is not due again.
    expect(await rowsReadBy(() => runDurableObjectAlarm(dayStub(second)))).toBe(3)
    expect(asked).toHaveBeenCalledTimes(6)
  })

  it('spaces the alarms of the days, and does not change the alarm of a day that is opened again', async () => {
    const settings = await Promise.all(Array.from({ length: 8 }, () => setUp()))
    for (const setting of settings) {
      await createListed(setting, 1)
      await changeBuild(setting)
    }
    nextTurn()
    const alarms = async () => {
      const times: number[] = []
      for (const setting of settings) {
        await dayStub(setting).open()
        times.push(await alarmOf(setting))
      }
      return times
    }
    const times = await alarms()
    const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0))
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(500)
    for (const gap of gaps) expect(gap).toBeLessThanOrEqual(1_501)
    expect(new Set(gaps).size).toBeGreaterThan(1)
    for (const setting of settings) await evictDurableObject(dayStub(setting))
    expect(await alarms()).toEqual(times)
  })

  it('calls no session while the process has no capacity, and calls all sessions later', async () => {
    const setting = await setUp()
    await createListed(setting, 3)
    await changeBuild(setting)
    const asked = vi.spyOn(VerificationSession.prototype, 'confirmEntry')
    nextTurn()
    reportCapacity({ open: 850, limit: 1_000 }, 0, Date.now())
    await runDurableObjectAlarm(dayStub(setting))
    expect(asked).not.toHaveBeenCalled()
    expect(await alarmOf(setting)).toBeGreaterThanOrEqual(Date.now() + 10_000)
    // Two calls: one for the day, and one for a session.
    reportCapacity({ open: 790, limit: 1_000 }, 0, Date.now())
    await runDurableObjectAlarm(dayStub(setting))
    expect(asked).toHaveBeenCalledTimes(1)
    nextTurn()
    reportCapacity({ open: 100, limit: 1_000 }, 0, Date.now())
    await runDurableObjectAlarm(dayStub(setting))
    expect(asked).toHaveBeenCalledTimes(3)
  })

  it('opens no day while the process has no capacity, and opens each day once later', async () => {
    const setting = await setUp()
    await createListed(setting, 1)
    const relyingParty = relyingPartyStub(env, setting.relyingPartyId)
    if (relyingParty === undefined) throw new Error('no relying party')
    for (const day of [DAY - 1, DAY - 2]) await relyingParty.addListDay(day)
    await runInDurableObject(relyingParty, (_, { storage }) => storage.kv.put('checked_by', 'another'))
    await evictDurableObject(relyingParty)
    const open = vi.spyOn(VerificationIndex.prototype, 'open')
    /** Opens days with the descriptors of so many calls. Waits until those days are left. */
    const openSome = (calls: number, left: readonly number[] | undefined) =>
      vi.waitFor(async () => {
        reportCapacity({ open: 800 - 4 * calls, limit: 1_000 }, 0, Date.now())
        await relyingParty.settings()
        await runInDurableObject(relyingParty, (_, { storage }) => {
          expect(storage.kv.get<{ days: readonly number[] }>('days_to_open')?.days).toEqual(left)
        })
      }, WAIT)
    await openSome(0, [DAY, DAY - 1, DAY - 2])
    expect(open).not.toHaveBeenCalled()
    await openSome(1, [DAY - 1, DAY - 2])
    await openSome(100, undefined)
    expect(open).toHaveBeenCalledTimes(3)
  })
})

it('an entry that is pending long after its expiry is corrected by an alarm of the day', async () => {
  const setting = await setUp()
  const [ended = '', deleted = ''] = await createListed(setting, 2)
  await cancelUnlisted(setting, ended)
  await deleteUnlisted(deleted)
  at(endOfDay(DAY) + 1_000)
  await runDurableObjectAlarm(dayStub(setting))
  await vi.waitFor(async () => expect(await list(setting)).toEqual([[ended, 'canceled']]), WAIT)
})
