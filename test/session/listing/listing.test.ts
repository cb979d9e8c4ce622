// Entries of the list, and their day, under faults (api/lists).

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { EventLog } from '../../../src/relying-party/event-log.ts'
import { toDay } from '../../../src/relying-party/events/event-days.ts'
import { indexStub } from '../../../src/relying-party/index/index-days.ts'
import type { IndexPut } from '../../../src/relying-party/index/stored-entry.ts'
import { VerificationIndex } from '../../../src/relying-party/index/verification-index.ts'
import { createApp } from '../../../src/routes/app.ts'
import type { Tombstone } from '../../../src/session/document/document.ts'
import { keeperName } from '../../../src/session/listing/remainder.ts'
import type { VerificationSession } from '../../../src/session/verification-session.ts'
import { call } from '../../routes/edge/edge-app.ts'
import { WAIT } from '../../support/wait.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { ask, createSession, fetchRequest, type Setting, setUp, stubOf } from '../driver.ts'

const app = createApp()
const HOUR = 3_600_000
const DAY = toDay(NOON)
const STEPS = ['verification.created', 'verification.request_fetched']
const WEBHOOK = { url: 'http://127.0.0.1:9/hook', events: [...STEPS, 'verification.canceled'] }

startAtNoon()

type Listed = { readonly verification_id: string; readonly status: string; readonly metadata: object }

async function list({ headers }: Setting, query = ''): Promise<readonly Listed[]> {
  const response = await call(app, 'GET', `/v1/verify${query}`, { headers })
  return ((await response.json()) as { verifications: readonly Listed[] }).verifications
}

const cancel = (setting: Setting, id: string) => ask(setting, 'POST', id, '/cancel')
const dayStub = ({ relyingPartyId }: Setting) => indexStub(env, relyingPartyId, DAY)

/** Returns the stored rows as text, also bytes. */
function textOf(setting: Setting): Promise<string> {
  const shown = (_: string, value: unknown) =>
    value instanceof Uint8Array ? new TextDecoder().decode(value) : value
  return runInDurableObject(dayStub(setting), (_, { storage }) =>
    JSON.stringify([...storage.kv.list()], shown),
  )
}

/** Accepts every event. */
function acceptEvents() {
  const respond = async () => new Response(null, { status: 204 })
  return vi.spyOn(globalThis, 'fetch').mockImplementation(respond)
}

describe('an entry in the list', () => {
  it('contains no metadata after the retention, even while an event still waits for its receiver', async () => {
    const setting = await setUp({ retention_seconds: 3_600, webhook: WEBHOOK })
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status: 500 }))
    const { verification_id } = await createSession(setting, { metadata: { order: '4711' } })
    await cancel(setting, verification_id)
    await vi.waitFor(async () => expect(await list(setting)).toMatchObject([{ status: 'canceled' }]), WAIT)
    at(NOON + HOUR - 1)
    expect(await list(setting)).toMatchObject([{ metadata: { order: '4711' } }])
    at(NOON + HOUR)
    expect(await list(setting)).toMatchObject([{ verification_id, metadata: {} }])
    at(NOON + 2 * HOUR)
    await runDurableObjectAlarm(dayStub(setting))
    expect(await textOf(setting)).not.toContain('4711')
  })

  it('is not stored if it arrives after the DELETE of its session', async () => {
    const setting = await setUp()
    const put = vi.spyOn(VerificationIndex.prototype, 'put').mockResolvedValueOnce(true)
    const { verification_id } = await createSession(setting, { metadata: { order: '4711' } })
    await vi.waitFor(() => expect(put).toHaveBeenCalledTimes(1), WAIT)
    expect((await ask(setting, 'DELETE', verification_id)).status).toBe(204)
    await dayStub(setting).put(put.mock.calls[0]?.[0] as IndexPut)
    expect(await list(setting)).toEqual([])
    expect(await textOf(setting)).not.toContain(verification_id)
  })

  it('is sent once for both the end of its session and the result of the webhook, and not for step events', async () => {
    const setting = await setUp({ webhook: WEBHOOK })
    const receiver = acceptEvents()
    const put = vi.spyOn(VerificationIndex.prototype, 'put')
    const { verification_id, wallet_request } = await createSession(setting)
    await vi.waitFor(async () => expect(await list(setting)).toHaveLength(1), WAIT)
    await fetchRequest(wallet_request.request_uri)
    await vi.waitFor(async () => {
      const response = await ask(setting, 'GET', verification_id, '/deliveries')
      const { deliveries } = (await response.json()) as { deliveries: { state: string }[] }
      expect(deliveries).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }])
    }, WAIT)
    expect(receiver).toHaveBeenCalledTimes(2)
    expect(put.mock.calls.map(([{ entry }]) => entry.stage)).toEqual(['created'])
    await cancel(setting, verification_id)
    await vi.waitFor(() => expect(put).toHaveBeenCalledTimes(2), WAIT)
    expect(put.mock.calls[1]?.[0].entry).toMatchObject({ webhook: { delivered: true, attempts: 1 } })
  })
})

describe('an event without further attempts', () => {
  const ended = async (setting: Setting) => {
    const { verification_id } = await createSession(setting)
    await cancel(setting, verification_id)
    await vi.waitFor(async () => {
      const deliveries = await ask(setting, 'GET', verification_id, '/deliveries')
      expect(await deliveries.json()).toMatchObject({ deliveries: [{ attempts: [{ status: 500 }] }] })
    }, WAIT)
    return verification_id
  }

  it('is shown as dead in the list if the webhook is removed', async () => {
    const setting = await setUp({ webhook: { url: WEBHOOK.url } })
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status: 500 }))
    const id = await ended(setting)
    expect(await list(setting, '?webhook_state=dead')).toEqual([])
    await call(app, 'PATCH', '/v1/relying_party', { headers: setting.headers, body: { webhook: null } })
    at(NOON + HOUR)
    await runDurableObjectAlarm(stubOf(id))
    await vi.waitFor(async () => {
      expect(await list(setting, '?webhook_state=dead')).toMatchObject([{ verification_id: id }])
    }, WAIT)
  })

  it('keeps its state in the list if an older update with the same revision arrives later', async () => {
    const setting = await setUp({ webhook: { url: WEBHOOK.url } })
    acceptEvents()
    const put = vi.spyOn(VerificationIndex.prototype, 'put')
    const { verification_id } = await createSession(setting)
    await cancel(setting, verification_id)
    await vi.waitFor(async () => {
      expect(await list(setting, '?webhook_state=delivered')).toHaveLength(1)
    }, WAIT)
    const [last] = put.mock.calls.at(-1) ?? []
    if (last === undefined) throw new Error('no entry was sent')
    await dayStub(setting).put({ ...last, entry: { ...last.entry, webhook: null } })
    expect(await list(setting, '?webhook_state=delivered')).toMatchObject([{ verification_id }])
  })
})

describe('the erasure of a session', () => {
  it('does not wait for the list; the list stores the entry later, without metadata', async () => {
    const setting = await setUp({ retention_seconds: 3_600 })
    const { verification_id } = await createSession(setting, { metadata: { order: '4711' } })
    await vi.waitFor(async () => expect(await list(setting)).toHaveLength(1), WAIT)
    const put = vi.spyOn(VerificationIndex.prototype, 'put')
    put.mockImplementation(async () => {
      throw new Error('the list is unreachable')
    })
    await cancel(setting, verification_id)
    await vi.waitFor(() => expect(put).toHaveBeenCalled(), WAIT)
    at(NOON + HOUR + 60_000)
    await runDurableObjectAlarm(stubOf(verification_id))
    const values = await runInDurableObject(stubOf(verification_id), (_, { storage }) =>
      JSON.stringify([...storage.kv.list()]),
    )
    expect(values).toContain('"status":"canceled"')
    expect(values).not.toContain('4711')
    expect(await list(setting)).toMatchObject([{ status: 'pending' }])
    put.mockRestore()
    at(NOON + 3 * HOUR)
    await runDurableObjectAlarm(stubOf(verification_id))
    expect(await list(setting)).toMatchObject([{ status: 'canceled', metadata: {} }])
    expect(await textOf(setting)).not.toContain('sealed_metadata":"')
    await runInDurableObject(stubOf(verification_id), (_, { storage }) => {
      expect([...storage.kv.list()]).toEqual([])
    })
  })

  it('does not call the list if the session has no entry there, and keeps only the data for an Idempotency-Key', async () => {
    // Its document has no entry, like one of a build before the list.
    const setting = await setUp({ index: false })
    const put = vi.spyOn(VerificationIndex.prototype, 'put')
    const remove = vi.spyOn(VerificationIndex.prototype, 'remove')
    const plain = await createSession(setting, { metadata: { order: '4711' } })
    const keyed = await createSession(setting, {}, { 'Idempotency-Key': 'one' })
    const storedAfterDelete = async (id: string) => {
      expect((await ask(setting, 'DELETE', id)).status).toBe(204)
      expect((await ask(setting, 'DELETE', id)).status).toBe(404)
      return runInDurableObject(stubOf(id), (_, { storage }) => [...storage.kv.list()])
    }
    expect(await storedAfterDelete(plain.verification_id)).toEqual([])
    const tombstone = {
      schema: expect.any(Number),
      erased: true,
      body_digest: expect.any(String),
      keep_until: NOON + 24 * HOUR,
    }
    expect(await storedAfterDelete(keyed.verification_id)).toEqual([['session', tombstone]])
    expect([put.mock.calls, remove.mock.calls]).toEqual([[], []])
  })
})

describe('a DELETE that is interrupted', () => {
  /** What a session's object has stored. */
  const valuesOf = (id: string) =>
    runInDurableObject(stubOf(id), (_, { storage }) => [...storage.kv.list<object>()])
  const throwOnce = (message: string) => () => {
    throw new Error(message)
  }

  it('is completed by the alarm if the list had not confirmed it', async () => {
    const setting = await setUp()
    const { verification_id } = await createSession(setting, { metadata: { order: '4711' } })
    await vi.waitFor(async () => expect(await list(setting)).toHaveLength(1), WAIT)
    vi.spyOn(VerificationIndex.prototype, 'remove').mockImplementationOnce(throwOnce('the process ends'))
    expect((await ask(setting, 'DELETE', verification_id)).status).toBe(503)
    await evictDurableObject(stubOf(verification_id))
    const removal = { relying_party_id: setting.relyingPartyId, verification_id, entry: null }
    expect(await valuesOf(verification_id)).toEqual([
      ['session', expect.objectContaining({ erased: true, listing: expect.objectContaining(removal) })],
    ])
    at(NOON + 60_000)
    expect(await runDurableObjectAlarm(stubOf(verification_id))).toBe(true)
    expect(await list(setting)).toEqual([])
    expect(await valuesOf(verification_id)).toEqual([])
  })

  it('is completed by a repeated DELETE if the file was not erased, and the Idempotency-Key stays in use', async () => {
    const setting = await setUp()
    const { verification_id } = await createSession(setting, {}, { 'Idempotency-Key': 'one' })
    await runInDurableObject(stubOf(verification_id), (_, { storage }) => {
      vi.spyOn(Object.getPrototypeOf(storage), 'deleteAll').mockImplementationOnce(
        throwOnce('the process ends'),
      )
    })
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    expect((await ask(setting, 'DELETE', verification_id)).status).toBe(500)
    await evictDurableObject(stubOf(verification_id))
    expect(await list(setting)).toEqual([])
    expect((await ask(setting, 'DELETE', verification_id)).status).toBe(204)
    expect((await ask(setting, 'DELETE', verification_id)).status).toBe(404)
    const [[, tombstone] = []] = await valuesOf(verification_id)
    expect(Object.keys(tombstone ?? {}).sort()).toEqual(['body_digest', 'erased', 'keep_until', 'schema'])
    await expect(createSession(setting, {}, { 'Idempotency-Key': 'one' })).rejects.toThrow(
      'verification_ended',
    )
  })

  it('writes its tombstone before the call to the list, and erases the file after this call', async () => {
    const setting = await setUp()
    const { verification_id } = await createSession(setting)
    const steps: string[] = []
    const { remove } = VerificationIndex.prototype
    vi.spyOn(VerificationIndex.prototype, 'remove').mockImplementation(async function (
      this: VerificationIndex,
      entry,
    ) {
      steps.push(`list with ${JSON.stringify(await valuesOf(verification_id)).includes('"erased":true')}`)
      return remove.call(this, entry)
    })
    await runInDurableObject(stubOf(verification_id), (_, { storage }) => {
      const { deleteAll } = storage
      vi.spyOn(Object.getPrototypeOf(storage) as DurableObjectStorage, 'deleteAll').mockImplementation(
        function (this: DurableObjectStorage) {
          steps.push('deleteAll')
          return deleteAll.call(this)
        },
      )
    })
    expect((await ask(setting, 'DELETE', verification_id)).status).toBe(204)
    expect(steps).toEqual(['list with true', 'deleteAll'])
  })

  it('erases the file after an hour although the list is unreachable, and removes the entry once the list is reachable', async () => {
    const setting = await setUp()
    const { verification_id } = await createSession(setting)
    await vi.waitFor(async () => expect(await list(setting)).toHaveLength(1), WAIT)
    const remove = vi.spyOn(VerificationIndex.prototype, 'remove')
    remove.mockImplementation(throwOnce('the list is unreachable'))
    expect((await ask(setting, 'DELETE', verification_id)).status).toBe(503)
    await runInDurableObject(stubOf(verification_id), async (session: VerificationSession, { storage }) => {
      const deleteAll = vi.spyOn(Object.getPrototypeOf(storage), 'deleteAll')
      const { clear_at } = storage.kv.get<Tombstone>('session') ?? {}
      if (clear_at === undefined) throw new Error('the tombstone has no time')
      at(clear_at - 1_000)
      await session.alarm()
      expect(deleteAll).not.toHaveBeenCalled()
      at(clear_at)
      await session.alarm()
      expect(deleteAll).toHaveBeenCalledTimes(1)
      expect(storage.kv.get('session')).toMatchObject({ listing: { entry: null } })
      expect(storage.kv.get('session')).not.toHaveProperty('clear_at')
    })
    remove.mockRestore()
    at(NOON + 3 * HOUR)
    await runDurableObjectAlarm(stubOf(verification_id))
    expect(await list(setting)).toEqual([])
    expect(await valuesOf(verification_id)).toEqual([])
  })

  describe('after the file is erased, but before the list removal is stored in it', () => {
    const keeperOf = (id: string) => env.VERIFICATION_SESSION.getByName(keeperName(id))
    const storedIn = (object: ReturnType<typeof keeperOf>) =>
      runInDurableObject(object, (_, { storage }) => [...storage.kv.list<object>()])

    /** Erases a session while the list is unreachable, until its object has lost the removal. */
    async function loseRemoval(
      setting: Setting,
      prepare: (tombstone: Tombstone) => Promise<void> = async () => {},
    ) {
      const { verification_id } = await createSession(setting, { metadata: { order: '4711' } })
      await vi.waitFor(async () => expect(await list(setting)).toHaveLength(1), WAIT)
      const remove = vi.spyOn(VerificationIndex.prototype, 'remove')
      remove.mockImplementation(throwOnce('the list is unreachable'))
      expect((await ask(setting, 'DELETE', verification_id)).status).toBe(503)
      const [[, stored] = []] = await valuesOf(verification_id)
      const tombstone = stored as Tombstone
      await prepare(tombstone)
      await runInDurableObject(stubOf(verification_id), async (session: VerificationSession, { storage }) => {
        const { deleteAll } = storage
        vi.spyOn(Object.getPrototypeOf(storage), 'deleteAll').mockImplementationOnce(() => {
          vi.spyOn(Object.getPrototypeOf(storage.kv), 'put').mockImplementationOnce(
            throwOnce('the process ends'),
          )
          return deleteAll.call(storage)
        })
        at(tombstone.clear_at ?? Number.NaN)
        await expect(session.alarm()).rejects.toThrow('the process ends')
      })
      await evictDurableObject(stubOf(verification_id))
      expect(await valuesOf(verification_id)).toEqual([])
      return { id: verification_id, removal: tombstone.listing, remove }
    }

    it('is completed by the alarm of another object', async () => {
      const setting = await setUp()
      const { id, removal, remove } = await loseRemoval(setting)
      const keeper = keeperOf(id)
      await evictDurableObject(keeper)
      expect(await storedIn(keeper)).toEqual([
        ['session', expect.objectContaining({ erased: true, listing: removal })],
      ])
      remove.mockRestore()
      at(NOON + 3 * HOUR)
      expect(await runDurableObjectAlarm(keeper)).toBe(true)
      expect(await list(setting)).toEqual([])
      expect(await textOf(setting)).not.toContain('4711')
      expect(await storedIn(keeper)).toEqual([])
    })

    it('is completed if its relying party repeats it; a DELETE from another relying party gets 404', async () => {
      const setting = await setUp()
      const { id, remove } = await loseRemoval(setting)
      expect((await ask(setting, 'DELETE', id)).status).toBe(503)
      expect((await ask(await setUp(), 'DELETE', id)).status).toBe(404)
      remove.mockRestore()
      expect(await list(setting)).toHaveLength(1)
      expect((await ask(setting, 'DELETE', id)).status).toBe(204)
      expect(await list(setting)).toEqual([])
      expect(await storedIn(keeperOf(id))).toEqual([])
      expect((await ask(setting, 'DELETE', id)).status).toBe(404)
    })

    it('is completed by a third object if the second object keeps the removal of an earlier session with this id', async () => {
      const setting = await setUp()
      let earlier: object | undefined
      const { id, removal, remove } = await loseRemoval(setting, async ({ clear_at: _, ...tombstone }) => {
        const { listing } = tombstone
        if (listing === undefined) throw new Error('the tombstone has no removal')
        earlier = { ...listing, created_at: listing.created_at - 1 }
        await keeperOf(listing.verification_id).keepListing({
          ...tombstone,
          listing: earlier as typeof listing,
        })
      })
      const keepers = [
        keeperOf(id),
        env.VERIFICATION_SESSION.getByName(`${keeperName(id)} ${removal?.created_at}`),
      ]
      for (const [i, listing] of [earlier, removal].entries())
        expect(await storedIn(keepers[i]!)).toEqual([['session', expect.objectContaining({ listing })]])
      remove.mockRestore()
      at(NOON + 3 * HOUR)
      for (const keeper of keepers) expect(await runDurableObjectAlarm(keeper)).toBe(true)
      expect(await list(setting)).toEqual([])
    })
  })
})

describe('a day of the list', () => {
  it('is opened again if the first write to it failed', async () => {
    const setting = await setUp()
    let failures = 1
    await runInDurableObject(dayStub(setting), (_, { storage }) => {
      const kv = Object.getPrototypeOf(storage.kv) as SyncKvStorage
      const write = kv.put
      vi.spyOn(kv, 'put').mockImplementation(function (this: SyncKvStorage, key, value) {
        if (key === 'day' && failures-- > 0) throw new Error('the disk is full')
        return write.call(this, key, value)
      })
    })
    const { verification_id } = await createSession(setting)
    await vi.waitFor(() => expect(failures).toBe(0), WAIT)
    expect(await list(setting)).toEqual([])
    let now = NOON
    await vi.waitFor(async () => {
      now += 5_000
      at(now)
      await runDurableObjectAlarm(stubOf(verification_id))
      expect(await list(setting)).toMatchObject([{ verification_id }])
    }, WAIT)
    await runInDurableObject(dayStub(setting), async (_, { storage }) => {
      expect(storage.kv.get('day')).toBe(DAY)
      expect(await storage.getAlarm()).not.toBeNull()
    })
  })

  it('is erased by the next alarm if its erasure failed', async () => {
    const setting = await setUp()
    await createSession(setting)
    await vi.waitFor(async () => expect(await list(setting)).toHaveLength(1), WAIT)
    at(NOON + 100 * 24 * HOUR)
    await runInDurableObject(dayStub(setting), async (index: VerificationIndex, { storage }) => {
      vi.spyOn(Object.getPrototypeOf(storage), 'deleteAll').mockImplementationOnce(() => {
        throw new Error('the disk is full')
      })
      await expect(index.alarm()).rejects.toThrow('the disk is full')
      await index.alarm()
    })
    expect(await textOf(setting)).toBe('[]')
  })
})

describe('a step event', () => {
  it('is in the log once even if the response to its first call is lost', async () => {
    const setting = await setUp({ webhook: WEBHOOK })
    acceptEvents()
    const append = EventLog.prototype.append
    vi.spyOn(EventLog.prototype, 'append').mockImplementationOnce(function (this: EventLog, entry) {
      append.call(this, entry)
      throw new Error('the answer is lost')
    })
    const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const { wallet_request } = await createSession(setting)
    // A step that is sent together with a failed one waits for the alarm.
    await vi.waitFor(() => expect(logged).toHaveBeenCalledTimes(1), WAIT)
    await fetchRequest(wallet_request.request_uri)
    await vi.waitFor(async () => {
      const response = await call(app, 'GET', '/v1/events', { headers: setting.headers })
      const { events } = (await response.json()) as { events: readonly { event_type: string }[] }
      expect(events.map(({ event_type }) => event_type)).toEqual(STEPS)
    }, WAIT)
  })
})
