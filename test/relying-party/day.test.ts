// One day of a relying party, with the events that arrive on it and the list of its verifications.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { relyingPartyStub } from '../../src/relying-party/document/identifier.ts'
import { EventLog } from '../../src/relying-party/event-log.ts'
import { endOfDay, eventLogStub, toDay } from '../../src/relying-party/events/event-days.ts'
import { indexStub, oldIndexStub, unlistedAt } from '../../src/relying-party/index/index-days.ts'
import { VerificationIndex } from '../../src/relying-party/index/verification-index.ts'
import { createApp } from '../../src/routes/app.ts'
import { call } from '../routes/edge/edge-app.ts'
import { ask, createSession, type Setting, setUp } from '../session/driver.ts'
import { WAIT } from '../support/wait.ts'
import { at, NOON, startAtNoon } from '../workerd/clock.ts'
import { indexEntry } from '../workerd/index-entry.ts'

const app = createApp()
const DAY = toDay(NOON)

startAtNoon()

async function listed({ headers }: Setting): Promise<readonly string[]> {
  const response = await call(app, 'GET', '/v1/verify', { headers })
  const { verifications } = (await response.json()) as { verifications: readonly { status: string }[] }
  return verifications.map(({ status }) => status)
}

async function createListed(setting: Setting): Promise<string> {
  const { verification_id } = await createSession(setting, { metadata: { order: '4711' } })
  await vi.waitFor(async () => expect(await listed(setting)).toEqual(['pending']), WAIT)
  return verification_id
}

async function cancel(setting: Setting, id: string): Promise<void> {
  expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
  await vi.waitFor(async () => expect(await listed(setting)).toEqual(['canceled']), WAIT)
}

async function loggedOn({ relyingPartyId }: Setting, day: number): Promise<readonly string[]> {
  const { events } = await eventLogStub(env, relyingPartyId, day).read(day, 0, 100)
  return events.map(({ verification_id }) => verification_id)
}

/** Returns the keys of the rows of an object, without the numbers in them. */
function keysOf(stub: ReturnType<typeof oldIndexStub>): Promise<readonly string[]> {
  return runInDurableObject(stub, (_, { storage }) =>
    [...storage.kv.list()].map(([key]) => key.replace(/\/.*/, '')).sort(),
  )
}

function eventOf(id: string) {
  const body = JSON.stringify({ event_id: id })
  const of = { event_id: id, verification_id: 'v_1', created_at: NOON, session_until: NOON, body }
  return { ...of, day: DAY, first: true }
}

describe('the end of a session', () => {
  it('the end of a session causes one call to the object of its day, which stores the event and the entry', async () => {
    const setting = await setUp()
    const id = await createListed(setting)
    const [record, append, put] = [
      vi.spyOn(EventLog.prototype, 'record'),
      vi.spyOn(EventLog.prototype, 'append'),
      vi.spyOn(VerificationIndex.prototype, 'put'),
    ]
    await cancel(setting, id)
    expect(await loggedOn(setting, DAY)).toEqual([id])
    expect([record, append, put].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1])
    const day = indexStub(env, setting.relyingPartyId, DAY)
    expect(await keysOf(day)).toEqual(['checked_by', 'day', 'entry', 'event', 'id_masks'])
    expect(await keysOf(oldIndexStub(env, setting.relyingPartyId, DAY))).toEqual([])
  })

  it('the end of a session on the day after its creation causes one call to each of the two days', async () => {
    const setting = await setUp()
    at(endOfDay(DAY) - 1_000)
    const id = await createListed(setting)
    at(endOfDay(DAY) + 1_000)
    const record = vi.spyOn(EventLog.prototype, 'record')
    await cancel(setting, id)
    await vi.waitFor(async () => expect(await loggedOn(setting, DAY + 1)).toEqual([id]), WAIT)
    expect(await loggedOn(setting, DAY)).toEqual([])
    expect(record).not.toHaveBeenCalled()
  })
})

describe('an event with an entry', () => {
  it('is stored once, and its entry is stored once, however often both are sent', async () => {
    const { relyingPartyId } = await setUp()
    const put = { relyingPartyId, day: DAY, mark: 'A'.repeat(22), entry: indexEntry(NOON, {}) }
    const day = eventLogStub(env, relyingPartyId, DAY)
    const stored = { appended: 'recorded', listed: true }
    expect(await day.record(eventOf('evt_1'), put)).toEqual(stored)
    expect(await day.record({ ...eventOf('evt_1'), first: false }, put)).toEqual(stored)
    expect((await day.read(DAY, 0, 10)).events).toHaveLength(1)
    expect(await keysOf(indexStub(env, relyingPartyId, DAY))).toEqual([
      'checked_by',
      'day',
      'entry',
      'event',
      'id_masks',
    ])
  })

  it('is stored without the entry if the row of the entry is damaged', async () => {
    const { relyingPartyId } = await setUp()
    const put = { relyingPartyId, day: DAY, mark: 'A'.repeat(22), entry: indexEntry(NOON, {}) }
    const day = eventLogStub(env, relyingPartyId, DAY)
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    await runInDurableObject(day, (_, { storage }) => {
      const kv = Object.getPrototypeOf(storage.kv) as SyncKvStorage
      const { get } = kv
      vi.spyOn(kv, 'get').mockImplementation(function (this: SyncKvStorage, key: string) {
        if (key.startsWith('entry/')) throw new TypeError('the value cannot be decoded')
        return get.call(this, key)
      })
    })
    expect(await day.record(eventOf('evt_1'), put)).toEqual({ appended: 'recorded', listed: false })
    expect((await day.read(DAY, 0, 10)).events).toHaveLength(1)
  })

  it('fails, and its entry is not stored, if the event cannot be stored', async () => {
    const { relyingPartyId } = await setUp()
    const put = { relyingPartyId, day: DAY, mark: 'A'.repeat(22), entry: indexEntry(NOON, {}) }
    const append = vi.spyOn(EventLog.prototype, 'append').mockImplementation(() => {
      throw new Error('the disk is full')
    })
    const day = eventLogStub(env, relyingPartyId, DAY)
    await runInDurableObject(day, async (log: EventLog) => {
      await expect(log.record(eventOf('evt_1'), put)).rejects.toThrow('the disk is full')
    })
    expect(append).toHaveBeenCalledTimes(1)
    expect(await keysOf(indexStub(env, relyingPartyId, DAY))).not.toContain('entry')
  })
})

describe('a list that an earlier build began', () => {
  it('is continued in the object of the earlier build until its day ends', async () => {
    const setting = await setUp()
    const relyingParty = relyingPartyStub(env, setting.relyingPartyId)
    if (relyingParty === undefined) throw new Error('no relying party')
    await runInDurableObject(relyingParty, (_, { storage }) => storage.kv.put('index_days', [DAY]))
    const id = await createListed(setting)
    await cancel(setting, id)
    expect(await loggedOn(setting, DAY)).toEqual([id])
    const old = oldIndexStub(env, setting.relyingPartyId, DAY)
    expect(await keysOf(old)).toEqual(['checked_by', 'day', 'entry', 'id_masks'])
    expect(await keysOf(indexStub(env, setting.relyingPartyId, DAY))).toEqual(['event'])
    expect(await relyingParty.listedDays()).toEqual([{ day: DAY, isOld: true }])
    expect((await ask(setting, 'DELETE', id)).status).toBe(204)
    expect(await listed(setting)).toEqual([])
    at(NOON + 86_400_000)
    await createListed(setting)
    expect(await relyingParty.listedDays()).toEqual([
      { day: DAY, isOld: true },
      { day: DAY + 1, isOld: false },
    ])
  })
})

describe('a day that is over', () => {
  it('erases events and entries together after 30 days, and keeps the counters', async () => {
    const setting = await setUp()
    await cancel(setting, await createListed(setting))
    const day = indexStub(env, setting.relyingPartyId, DAY)
    for (const days of [1, 29]) {
      at(NOON + days * 86_400_000)
      expect(await runDurableObjectAlarm(day)).toBe(true)
      expect(await keysOf(day)).toEqual(expect.arrayContaining(['entry', 'event']))
    }
    at(unlistedAt(DAY))
    expect(await runDurableObjectAlarm(day)).toBe(true)
    expect(await keysOf(day)).toEqual([])
    expect(await loggedOn(setting, DAY)).toEqual([])
    expect(await day.counts()).toMatchObject([{ created: 1, ended: { canceled: 1 } }])
  })
})
