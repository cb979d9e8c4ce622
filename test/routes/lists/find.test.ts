// Search in the list of verifications, and their refused responses (api/lists). Over the real sessions and
// the real index.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { toDay } from '../../../src/relying-party/events/event-days.ts'
import { indexStub } from '../../../src/relying-party/index/index-days.ts'
import type { IndexEntry } from '../../../src/relying-party/index/index-entry.ts'
import { VerificationIndex } from '../../../src/relying-party/index/verification-index.ts'
import { createApp } from '../../../src/routes/app.ts'
import {
  ask,
  createSession,
  fetchedSession,
  goodResponse,
  post,
  type Setting,
  setUp,
} from '../../session/driver.ts'
import { WAIT } from '../../support/wait.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { indexEntry } from '../../workerd/index-entry.ts'
import { rowsReadBy } from '../../workerd/rows.ts'
import { call } from '../edge/edge-app.ts'

const app = createApp()
const DAY = toDay(NOON)

startAtNoon()

type Listed = Readonly<Record<string, unknown>> & { readonly verification_id: string }
type Page = { readonly verifications: readonly Listed[]; readonly next: string | null }

async function list({ headers }: Setting, query: string): Promise<Page> {
  const response = await call(app, 'GET', `/v1/verify?${query}`, { headers })
  expect(response.status).toBe(200)
  return response.json()
}

const idsOf = ({ verifications }: Page) => verifications.map(({ verification_id }) => verification_id)

/** Stores the entry `number`, which was created that many seconds before noon. */
function store({ relyingPartyId }: Setting, number: number, members: Partial<IndexEntry>): Promise<boolean> {
  const created_at = NOON - number * 1_000
  const entry = indexEntry(created_at, { verification_id: `v_Entry${number}`, ...members })
  const mark = `${number}`.padStart(22, 'A')
  return indexStub(env, relyingPartyId, DAY).put({ relyingPartyId, day: DAY, mark, entry })
}

describe('the search of the list', () => {
  it.each([
    ['the whole of a value', '10777', [1]],
    ['the middle of a value', '077', [1]],
    ['a value in other capitals', 'mÜLLER', [2]],
    ['a value with a space', 'erika m', [2]],
    ['parts of several values', '07', [1, 3]],
    ['the middle of an id', 'entry2', [2]],
    ['an id and a value', 'ENTRY', [1, 2, 3]],
    ['nothing by a key of the metadata', 'order', []],
    ['nothing by a text over two values', '10777north', []],
    ['nothing by a pattern', '1.777', []],
  ])('finds %s: %s', async (_, word, numbers) => {
    const setting = await setUp()
    await store(setting, 1, { metadata: { order: '10777', shop: 'north' } })
    await store(setting, 2, { metadata: { name: 'Erika Müller' } })
    await store(setting, 3, { metadata: { order: '4-07', note: 'next entry' } })
    await store(setting, 0, { verification_id: 'v_other' })
    const found = await list(setting, `search=${encodeURIComponent(word)}`)
    expect(idsOf(found)).toEqual(numbers.map((number) => `v_Entry${number}`))
  })

  it('finds sessions by the metadata of their create request, with pages and with other filters', async () => {
    const setting = await setUp()
    const ids: string[] = []
    for (const order of ['A-10777', 'B-10777', 'C-10778']) {
      at(NOON + ids.length)
      ids.unshift((await createSession(setting, { metadata: { order } })).verification_id)
    }
    await vi.waitFor(async () => expect(idsOf(await list(setting, ''))).toEqual(ids), WAIT)
    const [, second = '', first = ''] = ids
    const page = await list(setting, 'search=10777&limit=1')
    expect(idsOf(page)).toEqual([second])
    expect(idsOf(await list(setting, `search=10777&limit=1&after=${page.next}`))).toEqual([first])
    expect(idsOf(await list(setting, 'search=10777&metadata.order=A-10777'))).toEqual([first])
    expect(idsOf(await list(setting, 'search=10777&status=canceled'))).toEqual([])
    const other = await call(app, 'GET', `/v1/verify?search=b&after=${page.next}`, setting)
    expect(other.status).toBe(400)
  })

  it('finds nothing of another relying party', async () => {
    const [one, other] = [await setUp(), await setUp()]
    await store(one, 1, { metadata: { order: '10777' } })
    await store(other, 2, { metadata: { order: '4711' } })
    expect(idsOf(await list(other, 'search=10777'))).toEqual([])
  })

  it('finds a verification by its metadata until the retention ends, and by its id also later', async () => {
    const setting = await setUp()
    await store(setting, 1, { metadata: { order: '10777' }, metadata_until: NOON + 60_000 })
    expect(idsOf(await list(setting, 'search=10777'))).toEqual(['v_Entry1'])
    at(NOON + 60_000)
    expect(idsOf(await list(setting, 'search=10777'))).toEqual([])
    expect(idsOf(await list(setting, 'search=entry1'))).toEqual(['v_Entry1'])
  })

  it('reads at most 5,000 rows for a page, and finds later matches on the next page', async () => {
    const setting = await setUp()
    await store(setting, 0, {})
    await runInDurableObject(indexStub(env, setting.relyingPartyId, DAY), (_, { storage }) => {
      const [[, known] = ['', {}]] = storage.kv.list<object>({ prefix: 'entry/', limit: 1 })
      for (let i = 1; i <= 5_100; i++) {
        const created_at = NOON - i * 1_000
        const entry = { ...known, id_place: undefined, verification_id: `v_${i}x`, created_at }
        storage.kv.put(`entry/${String(created_at).padStart(15, '0')}/${`${i}`.padStart(22, 'A')}`, entry)
      }
    })
    let page: Page = { verifications: [], next: null }
    const rows = await rowsReadBy(async () => {
      page = await list(setting, 'search=5100x')
    })
    expect([rows, page]).toMatchObject([5_000, { verifications: [], has_more: true }])
    expect(idsOf(await list(setting, `search=5100x&after=${page.next}`))).toEqual(['v_5100x'])
  })

  it.each([
    ['search=', '/search'],
    [`search=${'x'.repeat(501)}`, '/search'],
    ['search=a&search=b', '/search'],
    ['reason=no_such_reason', '/reason'],
    ['reason=toString', '/reason'],
    ['reason=untrusted_issuer&reason=nonce_mismatch', '/reason'],
    ['has_attempts=1', '/has_attempts'],
  ])('rejects the query ?%s', async (query, pointer) => {
    const setting = await setUp()
    const response = await call(app, 'GET', `/v1/verify?${query}`, { headers: setting.headers })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] })
  })
})

/** Sends responses for another request: each is refused. */
async function refuse(setting: Setting, { id, request }: Fetched, count = 1): Promise<void> {
  for (let i = 0; i < count; i++) {
    const response = await goodResponse(setting, { ...request, nonce: `another ${i}` })
    expect((await post(id, response)).status).toBe(400)
  }
}

type Fetched = Awaited<ReturnType<typeof fetchedSession>>

/** Waits until the list has an entry with these members. */
function isListed(setting: Setting, verification_id: string, members: object): Promise<unknown> {
  return vi.waitFor(async () => {
    const { verifications } = await list(setting, '')
    expect(verifications).toContainEqual(expect.objectContaining({ verification_id, ...members }))
  }, WAIT)
}

const reasonOf = (code: string) => expect.objectContaining({ code, retryable: expect.any(Boolean) })

describe('refused responses in the list', () => {
  it('are counted in the entry of a pending and of a verified session, with the last reason', async () => {
    const setting = await setUp()
    const session = await fetchedSession(setting)
    await isListed(setting, session.id, { attempt_count: 0, last_attempt_reason: null })
    await refuse(setting, session)
    const last_attempt_reason = reasonOf('nonce_mismatch')
    await isListed(setting, session.id, { status: 'pending', attempt_count: 1, last_attempt_reason })
    await post(session.id, { vp_token: '{', state: session.request.state })
    const last = reasonOf('invalid_vp_token')
    await isListed(setting, session.id, { attempt_count: 2, last_attempt_reason: last, reason: null })
    expect((await post(session.id, await goodResponse(setting, session.request))).status).toBe(200)
    await isListed(setting, session.id, { status: 'verified', attempt_count: 2, last_attempt_reason: last })
  })

  it('cause a new entry for the list only at the first three refused responses and at the tenth', async () => {
    const setting = await setUp()
    const session = await fetchedSession(setting)
    await isListed(setting, session.id, { stage: 'request_fetched' })
    const put = vi.spyOn(VerificationIndex.prototype, 'put')
    for (const count of [1, 2, 3]) {
      await refuse(setting, session)
      await isListed(setting, session.id, { attempt_count: count })
    }
    await refuse(setting, session, 27)
    await vi.waitFor(() => expect(put).toHaveBeenCalledTimes(4), WAIT)
    await ask(setting, 'POST', session.id, '/cancel')
    await isListed(setting, session.id, { status: 'canceled', attempt_count: 30 })
    expect(put).toHaveBeenCalledTimes(5)
  })

  it('refused responses in the list are counted even if they name no request', async () => {
    const setting = await setUp()
    const { verification_id: id } = await createSession(setting)
    expect((await post(id, { nothing: 'x' })).status).toBe(400)
    await isListed(setting, id, {
      stage: 'created',
      attempt_count: 1,
      last_attempt_reason: reasonOf('malformed_response'),
    })
  })

  it('are found by has_attempts, and by `reason`, which also finds sessions by the reason of their end', async () => {
    const setting = await setUp()
    const session = await fetchedSession(setting)
    await refuse(setting, session)
    await post(session.id, { vp_token: '{', state: session.request.state })
    at(NOON + 1_000)
    const { verification_id: canceled } = await createSession(setting)
    await ask(setting, 'POST', canceled, '/cancel')
    at(NOON + 2_000)
    const { verification_id: untouched } = await createSession(setting)
    await isListed(setting, untouched, {})
    await isListed(setting, canceled, { status: 'canceled' })
    await isListed(setting, session.id, { attempt_count: 2 })
    const found = async (query: string) => idsOf(await list(setting, query))
    expect(await found('has_attempts=true')).toEqual([session.id])
    expect(await found('has_attempts=false')).toEqual([untouched, canceled])
    expect(await found('reason=nonce_mismatch')).toEqual([session.id])
    expect(await found('reason=invalid_vp_token')).toEqual([session.id])
    expect(await found('reason=canceled_by_relying_party')).toEqual([canceled])
    expect(await found('reason=untrusted_issuer')).toEqual([])
    expect(await found('reason=nonce_mismatch&status=verified')).toEqual([])
  })

  it('have last_attempt_reason null in an entry that an earlier version stored without this member', async () => {
    const setting = await setUp()
    await store(setting, 1, {
      attempt_count: 3,
      status: 'expired',
      ended_at: NOON,
      reason: 'session_expired',
    })
    expect((await list(setting, 'reason=session_expired')).verifications).toMatchObject([
      { attempt_count: 3, last_attempt_reason: null },
    ])
  })
})

describe('refused responses in the insights', () => {
  const TODAY = 'from=2046-06-15T00:00:00Z&to=2046-06-16T00:00:00Z&step=hour'
  const HOUR = 3_600_000

  async function countsOf({ headers }: Setting): Promise<readonly object[]> {
    const response = await call(app, 'GET', `/v1/insights?${TODAY}`, { headers })
    const { steps } = (await response.json()) as { steps: readonly { attempt_reasons: object }[] }
    return steps.slice(12, 15).map(({ attempt_reasons }) => attempt_reasons)
  }

  it('are counted by reason in the hour of the last refused response, and the counts stay the same when the session ends', async () => {
    const setting = await setUp()
    const session = await fetchedSession(setting, { expires_in: 7_200 })
    await refuse(setting, session, 2)
    await vi.waitFor(
      async () => expect(await countsOf(setting)).toEqual([{ nonce_mismatch: 2 }, {}, {}]),
      WAIT,
    )
    at(NOON + HOUR)
    await post(session.id, { vp_token: '{', state: session.request.state })
    const both = { nonce_mismatch: 2, invalid_vp_token: 1 }
    await vi.waitFor(async () => expect(await countsOf(setting)).toEqual([{}, both, {}]), WAIT)
    at(NOON + HOUR + 1_000)
    expect((await post(session.id, await goodResponse(setting, session.request))).status).toBe(200)
    await isListed(setting, session.id, { status: 'verified' })
    expect(await countsOf(setting)).toEqual([{}, both, {}])
  })
})
