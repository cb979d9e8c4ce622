// Entries of the list that a lost call, or a build without lists, left out of date.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { dayOf, endOfDay } from '../../../src/relying-party/events/event-days.ts'
import { indexStub } from '../../../src/relying-party/index/index-days.ts'
import { VerificationIndex } from '../../../src/relying-party/index/verification-index.ts'
import { createApp } from '../../../src/routes/app.ts'
import { VerificationSession } from '../../../src/session/verification-session.ts'
import { call } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { ask, createSession, type Setting, setUp, stubOf } from '../driver.ts'

const app = createApp()
const DAY = dayOf(NOON)

startAtNoon()

let turns = 0
/** Sets the clock to the next turn: all days of this process share them. */
const nextTurn = () => at(NOON + ++turns * 60_000)

const dayStub = ({ relyingPartyId }: Setting) => indexStub(env, relyingPartyId, DAY)

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

describe('after a change of build, the entry', () => {
  it('of a deleted session is removed, the entry of an ended session is corrected, and other entries stay', async () => {
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

  it('stays if its session cannot be asked', async () => {
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

  it('is checked with at most nine others in one alarm', async () => {
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

  it('is checked without a request to the list: its relying party opens the day', async () => {
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
    await runInDurableObject(dayStub(setting), async (_, { storage }) => {
      expect(await storage.getAlarm()).toBeLessThan(NOON + 60_000)
    })
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
