// The list of verifications (api/lists), over the real sessions and the real index.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { toDay } from '../../../src/relying-party/events/event-days.ts'
import { indexStub } from '../../../src/relying-party/index/index-days.ts'
import { VerificationIndex } from '../../../src/relying-party/index/verification-index.ts'
import { createApp } from '../../../src/routes/app.ts'
import {
  ask,
  createSession,
  fetchRequest,
  goodResponse,
  post,
  type Setting,
  setUp,
  stubOf,
} from '../../session/driver.ts'
import { WAIT } from '../../support/wait.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { rowsReadBy } from '../../workerd/rows.ts'
import { call } from '../edge/edge-app.ts'

const app = createApp()
const HOUR = 3_600_000
const DAYS = 24 * HOUR

startAtNoon()

type Listed = Readonly<Record<string, unknown>> & { readonly verification_id: string }
type Page = {
  readonly verifications: readonly Listed[]
  readonly next: string | null
  readonly has_more: boolean
}

async function list(setting: Pick<Setting, 'headers'>, query = ''): Promise<Page> {
  const response = await call(app, 'GET', `/v1/verify${query}`, { headers: setting.headers })
  expect(response.status).toBe(200)
  return response.json()
}

/** Creates a session, and waits until it is listed. */
async function createOne(setting: Setting, body: object = {}): Promise<string> {
  const { verification_id } = await createSession(setting, body)
  await isListed(setting, verification_id, {})
  return verification_id
}

async function cancelOne(setting: Setting, id: string): Promise<void> {
  expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
  await isListed(setting, id, { status: 'canceled' })
}

/** Waits until an entry among the newest has these members. */
function isListed(setting: Setting, verification_id: string, members: object): Promise<unknown> {
  return vi.waitFor(async () => {
    const { verifications } = await list(setting, '?limit=100')
    expect(verifications).toContainEqual(expect.objectContaining({ verification_id, ...members }))
  }, WAIT)
}

/** Reads every page of `limit`. */
async function readAll(setting: Setting, limit: number, query = ''): Promise<readonly Listed[]> {
  const found: Listed[] = []
  let after = ''
  for (let pages = 0; pages < 50; pages++) {
    const page = await list(setting, `?limit=${limit}${query}${after}`)
    found.push(...page.verifications)
    if (!page.has_more) {
      expect(page.next).toBeNull()
      return found
    }
    after = `&after=${page.next}`
  }
  throw new Error('the list never ends')
}

const idsOf = (page: readonly Listed[]) => page.map(({ verification_id }) => verification_id)

/** Stores entries without sessions, one a second before noon. */
async function fill(setting: Setting, count: number, members: (i: number) => object = () => ({})) {
  const day = toDay(NOON)
  const id = setting.relyingPartyId
  const [{ verification_id } = { verification_id: '' }] = (await list(setting)).verifications
  await runInDurableObject(indexStub(env, id, day), (_, state) => {
    const [[, known] = ['', {}]] = state.storage.kv.list<object>({ prefix: 'entry/', limit: 1 })
    for (let i = 0; i < count; i++) {
      const created_at = NOON - (i + 1) * 1_000
      const mark = `${`${i}`.padStart(21, 'A')}A`
      const id_place = undefined // the id is in the entry, as an earlier version stored it
      const entry = {
        ...known,
        id_place,
        verification_id: `${verification_id}${i}`,
        created_at,
        ...members(i),
      }
      state.storage.kv.put(`entry/${String(created_at).padStart(15, '0')}/${mark}`, entry)
    }
  })
}

describe('GET /v1/verify', () => {
  it('lists verifications of several days, newest first', async () => {
    const setting = await setUp()
    const ids: string[] = []
    for (const hours of [0, 1, 30, 31, 80]) {
      at(NOON + hours * HOUR)
      ids.unshift(await createOne(setting))
    }
    expect(idsOf(await readAll(setting, 2))).toEqual(ids)
    expect(idsOf(await readAll(setting, 100))).toEqual(ids)
  })

  it('lists an entry with all its members, before and after the end of the session', async () => {
    const setting = await setUp()
    const created = await createSession(setting, { metadata: { order: '4711' } })
    const { verification_id } = created
    await isListed(setting, verification_id, {
      status: 'pending',
      stage: 'created',
      created_at: '2046-06-15T12:00:00.000Z',
      ended_at: null,
      expires_at: '2046-06-15T12:10:00.000Z',
      credential_types: ['age_attestation'],
      reason: null,
      attempt_count: 0,
      metadata: { order: '4711' },
      livemode: false,
    })
    const request = await fetchRequest(created.wallet_request.request_uri)
    await isListed(setting, verification_id, { status: 'pending', stage: 'request_fetched' })
    at(NOON + 5_000)
    expect((await post(verification_id, await goodResponse(setting, request))).status).toBe(200)
    await isListed(setting, verification_id, {
      status: 'verified',
      stage: 'done',
      ended_at: '2046-06-15T12:00:05.000Z',
    })
    // An overwritten row can still be read in the database file.
    const day = indexStub(env, setting.relyingPartyId, toDay(NOON))
    expect(JSON.stringify(await valuesOf(day))).not.toContain('4711')
  })

  it('returns page by page all entries with one metadata value, without gaps and duplicates', async () => {
    const setting = await setUp()
    const ids: string[] = []
    for (let i = 0; i < 9; i++) {
      at(NOON + i)
      const id = await createOne(setting, { metadata: { order: `${i % 3}` } })
      if (i % 3 === 1) ids.unshift(id)
    }
    expect(idsOf(await readAll(setting, 1, '&metadata.order=1'))).toEqual(ids)
    expect(idsOf(await readAll(setting, 2, '&metadata.order=1'))).toEqual(ids)
  })

  it('lists no verification of another relying party', async () => {
    const [one, other] = [await setUp(), await setUp()]
    await createOne(one)
    expect(await list(other)).toEqual({ verifications: [], next: null, has_more: false })
    const mine = await createOne(other)
    expect(idsOf(await readAll(other, 10))).toEqual([mine])
  })

  it('rejects a cursor that was altered, or that is of another relying party or of other filters', async () => {
    const [setting, other] = [await setUp(), await setUp()]
    for (const shared of [setting, setting, other, other]) await createOne(shared)
    const { next } = await list(setting, '?limit=1')
    const altered = `${next?.startsWith('A') ? 'B' : 'A'}${next?.slice(1)}`
    for (const [caller, query] of [
      [setting, `?limit=1&after=${altered}`],
      [other, `?limit=1&after=${next}`],
      [setting, `?limit=1&after=${next}&status=pending`],
      [setting, '?after=x'],
    ] as const) {
      const response = await call(app, 'GET', `/v1/verify${query}`, { headers: caller.headers })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ errors: [{ pointer: '/after' }] })
    }
    expect((await list(setting, `?limit=100&after=${next}`)).verifications).toHaveLength(1)
  })

  it.each([
    ['status=done', '/status'],
    ['created_after=2046-06-15T12:00:00', '/created_after'],
    ['created_before=yesterday', '/created_before'],
    ['limit=101', '/limit'],
    ['limit=0', '/limit'],
    ['webhook_state=owed', '/webhook_state'],
    ['order=4711', '/order'],
    ['metadata.=x', '/metadata.'],
    ['metadata.a=1&metadata.a=2', '/metadata.a'],
    ['metadata.a=1&metadata.b=2&metadata.c=3&metadata.d=4', '/metadata.d'],
  ])('rejects the query ?%s', async (query, pointer) => {
    const setting = await setUp()
    const response = await call(app, 'GET', `/v1/verify?${query}`, { headers: setting.headers })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] })
  })

  it('filters by status, type, time and metadata', async () => {
    const setting = await setUp()
    const a = await createOne(setting, { metadata: { order: '1', shop: 'north' } })
    at(NOON + 1_000)
    const b = await createOne(setting, { metadata: { order: '2', shop: 'north' } })
    at(NOON + 2_000)
    const c = await createOne(setting, { metadata: { order: '1' } })
    await cancelOne(setting, b)
    const found = async (query: string) => idsOf(await readAll(setting, 10, `&${query}`))
    expect(await found('status=pending')).toEqual([c, a])
    expect(await found('status=pending&status=canceled')).toEqual([c, b, a])
    expect(await found('status=verified')).toEqual([])
    expect(await found('credential_type=age_attestation')).toEqual([c, b, a])
    expect(await found('credential_type=pid')).toEqual([])
    expect(await found('metadata.order=1')).toEqual([c, a])
    expect(await found('metadata.order=1&metadata.shop=north')).toEqual([a])
    expect(await found('created_after=2046-06-15T12:00:01Z')).toEqual([c, b])
    expect(await found('created_before=2046-06-15T14:00:01%2B02:00')).toEqual([a])
    expect(await found('created_after=2046-06-15T12:00:01Z&created_before=2046-06-15T12:00:02Z')).toEqual([b])
  })

  it('shows the state of the webhook, and filters by this state', async () => {
    const setting = await setUp()
    const id = await createOne(setting)
    const last = { attempts: 6, duration_ms: 20 }
    const states = [null, { delivered: true, ...last }, { delivered: false, ...last }]
    await fill(setting, 3, (i) => ({ webhook: states[i] }))
    const found = async (query: string) =>
      (await readAll(setting, 10, query)).map(({ verification_id, webhook_state }) => [
        verification_id.slice(id.length),
        webhook_state,
      ])
    const all = [
      ['', null],
      ['0', null],
      ['1', 'delivered'],
      ['2', 'dead'],
    ]
    expect(await found('')).toEqual(all)
    expect(await found('&webhook_state=delivered')).toEqual([['1', 'delivered']])
    expect(await found('&webhook_state=dead')).toEqual([['2', 'dead']])
  })

  it('has no gap and no duplicate while verifications are created', async () => {
    const setting = await setUp()
    const before: string[] = []
    for (let i = 0; i < 6; i++) {
      at(NOON + i)
      before.unshift(await createOne(setting))
    }
    const first = await list(setting, '?limit=3')
    await Promise.all([createOne(setting), createOne(setting), createOne(setting)])
    const second = await list(setting, `?limit=3&after=${first.next}`)
    expect(idsOf([...first.verifications, ...second.verifications])).toEqual(before)
    expect(second.has_more).toBe(false)
  })

  it('reads 51 rows for a page of 50 entries, even in a list of 100,000 entries', async () => {
    const setting = await setUp()
    await createOne(setting)
    await fill(setting, 250)
    expect(await rowsReadBy(() => list(setting, '?limit=50'))).toBe(51)
    expect(await readAll(setting, 100)).toHaveLength(251)
    await fill(setting, 100_000)
    expect(await rowsReadBy(() => list(setting, '?limit=50'))).toBe(51)
  })

  it('reads at most 5,000 rows for a page with a filter', async () => {
    const setting = await setUp()
    await createOne(setting)
    await fill(setting, 12_000, (i) => ({ status: i === 11_999 ? 'rejected' : 'verified' }))
    const first = await list(setting, '?status=rejected')
    expect(first).toMatchObject({ verifications: [], has_more: true })
    expect(await rowsReadBy(() => list(setting, '?status=rejected'))).toBe(5_000)
    expect(await readAll(setting, 10, '&status=rejected')).toHaveLength(1)
  })

  it('keeps the entry of a session that was erased after its retention, without its metadata', async () => {
    const setting = await setUp()
    const id = await createOne(setting, { metadata: { order: '4711' } })
    await cancelOne(setting, id)
    at(NOON + 10 * DAYS)
    await runDurableObjectAlarm(stubOf(id))
    expect((await ask(setting, 'GET', id)).status).toBe(404)
    expect((await list(setting)).verifications).toMatchObject([{ verification_id: id, metadata: {} }])
    const day = indexStub(env, setting.relyingPartyId, toDay(NOON))
    const sealed = async () =>
      Object.values(await valuesOf(day)).flatMap((value) =>
        typeof value === 'object' && value !== null && 'sealed_metadata' in value
          ? [value.sealed_metadata]
          : [],
      )
    expect(await sealed()).toEqual([expect.stringMatching(/^[\w-]+$/)])
    await runDurableObjectAlarm(day)
    expect(await sealed()).toEqual([null])
  })

  it('does not list a deleted session, and its id is removed from storage', async () => {
    const setting = await setUp()
    const [kept, deleted] = [await createOne(setting), await createOne(setting)]
    expect((await ask(setting, 'DELETE', deleted)).status).toBe(204)
    expect(idsOf(await readAll(setting, 10))).toEqual([kept])
    const day = indexStub(env, setting.relyingPartyId, toDay(NOON))
    expect(JSON.stringify(await valuesOf(day))).not.toContain(deleted)
    // The ids are masked (listed-ids.ts): only the mask of the second id is overwritten.
    const masks = await runInDurableObject(day, (_, { storage }) => {
      const [[, row] = []] = [...storage.kv.list<Uint8Array>({ prefix: 'id_masks/' })]
      return [0, 1].map((place) =>
        row?.slice(1_024 + place * 48, 1_072 + place * 48).some((byte) => byte !== 0),
      )
    })
    expect(masks).toEqual([true, false])
  })

  it('does not list an entry that arrives after its session was deleted', async () => {
    const setting = await setUp()
    const kept = await createOne(setting)
    let store: () => Promise<boolean> = async () => false
    const { put } = VerificationIndex.prototype
    vi.spyOn(VerificationIndex.prototype, 'put').mockImplementation(async function (
      this: VerificationIndex,
      sent,
    ) {
      store = () => put.call(this, sent)
      return true // the call is on its way
    })
    const { verification_id: deleted } = await createSession(setting)
    expect((await ask(setting, 'DELETE', deleted)).status).toBe(204)
    const day = indexStub(env, setting.relyingPartyId, toDay(NOON))
    expect(await runInDurableObject(day, () => store())).toBe(true)
    expect(idsOf(await readAll(setting, 10))).toEqual([kept])
    expect(JSON.stringify(await valuesOf(day))).not.toContain(deleted)
  })

  it('does not list an erased session after its next alarm, if the list was unreachable during its DELETE', async () => {
    const setting = await setUp()
    const id = await createOne(setting, { metadata: { order: '4711' } })
    vi.spyOn(VerificationIndex.prototype, 'remove').mockRejectedValueOnce(new Error('unreachable'))
    const response = await ask(setting, 'DELETE', id)
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('is erased')])
    expect((await ask(setting, 'GET', id)).status).toBe(404)
    expect(JSON.stringify(await valuesOf(stubOf(id)))).not.toContain('4711')
    expect((await ask(await setUp(), 'DELETE', id)).status).toBe(404)
    at(NOON + 60_000)
    expect(await runDurableObjectAlarm(stubOf(id))).toBe(true)
    expect(await readAll(setting, 10)).toEqual([])
    expect(await valuesOf(stubOf(id))).toEqual({})
    expect((await ask(setting, 'DELETE', id)).status).toBe(404)
  })

  it('does not list an erased session, even if the response of the day object was lost and the first DELETE got 503', async () => {
    const setting = await setUp()
    const id = await createOne(setting)
    const { remove } = VerificationIndex.prototype
    const lose = vi.spyOn(VerificationIndex.prototype, 'remove')
    lose.mockImplementationOnce(async function (this: VerificationIndex, entry) {
      await remove.call(this, entry)
      throw new Error('the answer is lost')
    })
    expect((await ask(setting, 'DELETE', id)).status).toBe(503)
    expect((await ask(setting, 'GET', id)).status).toBe(404)
    expect((await ask(setting, 'DELETE', id)).status).toBe(204)
    expect((await ask(setting, 'DELETE', id)).status).toBe(404)
    expect(await readAll(setting, 10)).toEqual([])
  })

  it('erases entries after 30 days, and the counts of their day after 90 days', async () => {
    const setting = await setUp()
    await createOne(setting)
    const day = indexStub(env, setting.relyingPartyId, toDay(NOON))
    at(NOON + 29 * DAYS)
    expect((await list(setting)).verifications).toHaveLength(1)
    at(NOON + 31 * DAYS)
    expect((await list(setting)).verifications).toHaveLength(0)
    await runDurableObjectAlarm(day)
    expect(await valuesOf(day)).toEqual({})
    const counters = env.VERIFICATION_INDEX.getByName(`${day.id}/counts`)
    expect(Object.keys(await valuesOf(counters)).sort()).toEqual(['counts', 'day'])
    expect(await day.counts()).toMatchObject([{ created: 1 }])
    at(NOON + 91 * DAYS)
    await runDurableObjectAlarm(counters)
    expect(await valuesOf(counters)).toEqual({})
    expect(await day.counts()).toEqual([])
  })

  it('keeps the counts of a day if the erasure of its entries is interrupted; this day then stores no new entry', async () => {
    const setting = await setUp()
    const put = vi.spyOn(VerificationIndex.prototype, 'put')
    await createOne(setting)
    const day = indexStub(env, setting.relyingPartyId, toDay(NOON))
    at(NOON + 31 * DAYS)
    await runInDurableObject(day, async (index: VerificationIndex, { storage }) => {
      vi.spyOn(Object.getPrototypeOf(storage), 'deleteAll').mockImplementationOnce(() => {
        throw new Error('the process ends')
      })
      await expect(index.alarm()).rejects.toThrow('the process ends')
    })
    expect(await day.counts()).toMatchObject([{ created: 1 }])
    expect(await runDurableObjectAlarm(day)).toBe(true)
    const [entry] = put.mock.calls.at(-1) ?? []
    if (entry === undefined) throw new Error('no entry was sent')
    await day.put({ ...entry, entry: { ...entry.entry, revision: 99 } })
    expect(await valuesOf(day)).toEqual({})
    expect(await day.counts()).toMatchObject([{ created: 1 }])
  })

  it('gets 409 if the settings turn the index off, and no entry is sent to the list', async () => {
    const setting = await setUp({ index: false })
    const put = vi.spyOn(VerificationIndex.prototype, 'put')
    const { verification_id } = await createSession(setting)
    await ask(setting, 'POST', verification_id, '/cancel')
    for (const path of ['/v1/verify', '/v1/insights?from=2046-06-15T00:00:00Z&to=2046-06-16T00:00:00Z']) {
      const response = await call(app, 'GET', path, { headers: setting.headers })
      expect(response.status).toBe(409)
      expect(await response.json()).toMatchObject({ code: 'index_disabled' })
    }
    const timeline = await (await ask(setting, 'GET', verification_id, '/timeline')).json()
    expect(timeline).toMatchObject({ entries: [{ type: 'created' }, { type: 'ended', status: 'canceled' }] })
    expect(put).not.toHaveBeenCalled()
  })

  it('lists a session after its next alarm if the first attempt to store its entry failed', async () => {
    const setting = await setUp()
    const put = vi.spyOn(VerificationIndex.prototype, 'put').mockRejectedValueOnce(new Error('unreachable'))
    const { verification_id } = await createSession(setting)
    await vi.waitFor(() => expect(put).toHaveBeenCalledTimes(1), WAIT)
    expect((await list(setting)).verifications).toEqual([])
    let now = NOON
    await vi.waitFor(async () => {
      now += 5_000 // the failed call may end after the clock moved
      at(now)
      await runDurableObjectAlarm(stubOf(verification_id))
      expect(idsOf((await list(setting)).verifications)).toEqual([verification_id])
    }, WAIT)
  })

  it('lists a session only once, even if it sends its entry again after an eviction from memory', async () => {
    const setting = await setUp()
    const id = await createOne(setting)
    await evictDurableObject(stubOf(id))
    await cancelOne(setting, id)
    expect(await readAll(setting, 10)).toHaveLength(1)
  })
})

/** Returns the stored values by key, and bytes as text. */
function valuesOf(stub: DurableObjectStub): Promise<Readonly<Record<string, unknown>>> {
  const shown = (value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value)
  return runInDurableObject(stub, (_, state) =>
    Object.fromEntries([...state.storage.kv.list()].map(([key, value]) => [key, shown(value)])),
  )
}
