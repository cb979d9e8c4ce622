import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { EventLog } from '../../../src/relying-party/event-log.ts'
import { endOfDay, eventLogStub, toDay } from '../../../src/relying-party/events/event-days.ts'
import { createApp } from '../../../src/routes/app.ts'
import { VerificationSession } from '../../../src/session/verification-session.ts'
import {
  ask,
  createSession,
  fetchRequest,
  goodResponse,
  isPublished,
  post,
  type Setting,
  setUp,
  stubOf,
} from '../../session/driver.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { ADMIN, call, json } from '../edge/edge-app.ts'

const app = createApp()
const SECOND = 1_000
const HOUR = 3_600_000
const DAYS = 24 * HOUR
const WEBHOOK = { webhook: { url: 'http://127.0.0.1:9/hook' } }

startAtNoon()

function read(setting: Pick<Setting, 'headers'>, query = ''): Promise<Response> {
  return call(app, 'GET', `/v1/events${query}`, { headers: setting.headers })
}

/** Ends a session, and waits until the log has its event. */
async function cancelOne(setting: Setting, body: object = {}): Promise<string> {
  const { verification_id } = await createSession(setting, body)
  expect((await ask(setting, 'POST', verification_id, '/cancel')).status).toBe(200)
  await isPublished(verification_id)
  return verification_id
}

/** Gives the session's document an unknown version. */
async function breakDocument(id: string): Promise<void> {
  await runInDurableObject(stubOf(id), (_, state) => {
    const document = state.storage.kv.get<object>('session')
    state.storage.kv.put('session', { ...document, schema: 1000 })
  })
  await evictDurableObject(stubOf(id))
}

/** Reads every event in pages of `limit`. Returns them, and the ids of their sessions. */
async function readAll(setting: Setting, limit: number, after?: string) {
  const ids: string[] = []
  let next = after
  for (let pages = 0; pages < 50; pages++) {
    const page = await json(read(setting, `?limit=${limit}${next === undefined ? '' : `&after=${next}`}`))
    expect(page.events.length).toBeLessThanOrEqual(limit)
    if (page.has_more) expect(page.events).toHaveLength(limit)
    ids.push(...page.events.map((event: { verification_id: string }) => event.verification_id))
    next = page.next
    if (!page.has_more) return { ids, next: next as string }
  }
  throw new Error('the log never ends')
}

describe('an event in the log', () => {
  it('has the same members as the event that the webhook gets', async () => {
    const setting = await setUp(WEBHOOK)
    const receiver = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null))
    const { verification_id, wallet_request } = await createSession(setting, { metadata: { order: '17' } })
    const request = await fetchRequest(wallet_request.request_uri)
    expect((await post(verification_id, await goodResponse(setting, request))).status).toBe(200)
    await isPublished(verification_id)
    const { events } = await json(read(setting))
    expect(JSON.stringify(events)).toBe(`[${receiver.mock.calls[0]?.[1]?.body}]`)
    expect(events[0]).toMatchObject({ event_type: 'verification.verified', metadata: { order: '17' } })
  })

  it('loses the personal data of its session when the session is deleted', async () => {
    const setting = await setUp()
    const id = await cancelOne(setting, { metadata: { who: 'canary-person' } })
    expect((await json(read(setting))).events[0].metadata).toEqual({ who: 'canary-person' })
    expect((await ask(setting, 'DELETE', id)).status).toBe(204)
    const { events } = await json(read(setting))
    expect(events).toMatchObject([{ verification_id: id, metadata: {}, encrypted_claims: null }])
  })

  it('loses the personal members after the retention, and later the log no longer calls the erased session', async () => {
    const setting = await setUp({ retention_seconds: 3600 })
    const id = await cancelOne(setting, { metadata: { who: 'canary-person' } })
    at(NOON + 2 * HOUR)
    await runDurableObjectAlarm(stubOf(id))
    expect((await json(read(setting))).events).toMatchObject([{ verification_id: id, metadata: {} }])
    at(NOON + 10 * DAYS)
    const asked = vi.spyOn(VerificationSession.prototype, 'readPersonalMembers')
    expect((await json(read(setting))).events).toMatchObject([{ verification_id: id, metadata: {} }])
    expect(asked).not.toHaveBeenCalled()
  })

  it('is stored without personal members', async () => {
    const { publicKey } = await generateKeyPair('ECDH-ES', { extractable: true })
    const setting = await setUp({ claims_encryption_jwk: await exportJWK(publicKey) })
    const session = await createSession(setting, { metadata: { who: 'canary-person' } })
    const request = await fetchRequest(session.wallet_request.request_uri)
    expect((await post(session.verification_id, await goodResponse(setting, request))).status).toBe(200)
    await isPublished(session.verification_id)
    const [event] = (await json(read(setting))).events
    expect(event.encrypted_claims).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/)
    const log = eventLogStub(env, setting.relyingPartyId, toDay(NOON))
    const stored = await runInDurableObject(log, (_, state) => JSON.stringify([...state.storage.kv.list()]))
    expect(stored).toContain('verification.verified')
    expect(stored).not.toContain('canary')
    expect(stored).not.toContain(event.encrypted_claims)
  })

  it('has personal members only for the relying party that owns its session', async () => {
    const [ours, theirs] = [await setUp(), await setUp()]
    const session = stubOf(await cancelOne(ours, { metadata: { who: 'canary-person' } }))
    const endedAt = new Date(NOON).toISOString()
    const members = { metadata: { who: 'canary-person' }, encrypted_claims: null }
    expect(await session.readPersonalMembers(ours.relyingPartyId, endedAt)).toEqual(members)
    expect(await session.readPersonalMembers(theirs.relyingPartyId, endedAt)).toBeNull()
  })

  it('has no members of a later session that has the same Idempotency-Key', async () => {
    const setting = await setUp()
    const headers = { 'Idempotency-Key': 'order-17' }
    const { verification_id } = await createSession(setting, { metadata: { turn: 'first' } }, headers)
    await ask(setting, 'POST', verification_id, '/cancel')
    await isPublished(verification_id)
    await ask(setting, 'DELETE', verification_id)
    at(NOON + 25 * HOUR)
    await runDurableObjectAlarm(stubOf(verification_id))
    await createSession(setting, { metadata: { turn: 'second' } }, headers)
    expect((await json(read(setting))).events).toMatchObject([{ verification_id, metadata: {} }])
    await ask(setting, 'POST', verification_id, '/cancel')
    await isPublished(verification_id)
    const { events } = await json(read(setting))
    expect(events).toMatchObject([{ metadata: {} }, { verification_id, metadata: { turn: 'second' } }])
  })

  it('an event whose session fails does not delay other events, and has metadata null', async () => {
    const setting = await setUp()
    const ids: string[] = []
    for (const who of ['a', 'b', 'c']) ids.push(await cancelOne(setting, { metadata: { who } }))
    const errors = vi.spyOn(console, 'error').mockReturnValue(undefined)
    await breakDocument(ids[1] ?? '')
    const broken = await json(read(setting))
    expect(broken.events.map((event: { verification_id: string }) => event.verification_id)).toEqual(ids)
    expect(broken.events).toMatchObject([
      { metadata: { who: 'a' } },
      { status: 'canceled', metadata: null, encrypted_claims: null },
      { metadata: { who: 'c' } },
    ])
    const lines = errors.mock.calls.flat().map((line) => JSON.parse(line))
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'event_members_unreadable', error: 'Error' }),
    )
    expect(broken.next).toBe((await json(read(setting))).next)
  })

  it('an event whose session does not respond does not delay other events', async () => {
    const setting = await setUp()
    await cancelOne(setting)
    vi.spyOn(scheduler, 'wait').mockResolvedValue(undefined)
    vi.spyOn(VerificationSession.prototype, 'readPersonalMembers').mockReturnValue(
      new Promise(() => undefined) as never,
    )
    expect((await json(read(setting))).events).toMatchObject([{ status: 'canceled', metadata: null }])
  })
})

describe('the log', () => {
  it('has every event in order and once, even if the receiver was unavailable for longer than all retries', async () => {
    const setting = await setUp(WEBHOOK)
    const receiver = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async () => new Response(null, { status: 500 }))
    const ids: string[] = []
    for (let i = 0; i < 4; i++) ids.push(await cancelOne(setting))
    for (const wait of [6 * SECOND, 72 * SECOND, 720 * SECOND, 2.4 * HOUR, 28.8 * HOUR]) {
      at(Date.now() + wait)
      for (const id of ids) await runDurableObjectAlarm(stubOf(id))
    }
    expect(receiver).toHaveBeenCalledTimes(24)
    const { deliveries } = await json(ask(setting, 'GET', ids[0] ?? '', '/deliveries'))
    expect(deliveries[0].state).toBe('dead')
    for (const limit of [1, 3, 4, 100]) expect((await readAll(setting, limit)).ids).toEqual(ids)
  })

  it('continues after the event that a cursor names', async () => {
    const setting = await setUp()
    const nothing = await readAll(setting, 10)
    expect(nothing.ids).toEqual([])
    const first = await cancelOne(setting)
    const one = await readAll(setting, 10, nothing.next)
    expect(one.ids).toEqual([first])
    expect((await readAll(setting, 10, one.next)).ids).toEqual([])
    const second = await cancelOne(setting)
    expect((await readAll(setting, 10, one.next)).ids).toEqual([second])
    expect((await readAll(setting, 10)).ids).toEqual([first, second])
  })

  it('is read from its end with after=latest, and this call asks only one day object, once', async () => {
    const setting = await setUp()
    await cancelOne(setting)
    at(NOON + 3 * DAYS)
    await cancelOne(setting)
    const [reads, ends] = [vi.spyOn(EventLog.prototype, 'read'), vi.spyOn(EventLog.prototype, 'end')]
    const { next, ...page } = await json(read(setting, '?after=latest'))
    expect(page).toEqual({ events: [], has_more: false })
    expect([reads.mock.calls.length, ends.mock.calls.length]).toEqual([0, 1])
    expect((await readAll(setting, 10, next)).ids).toEqual([])
    const first = await cancelOne(setting)
    expect((await readAll(setting, 10, next)).ids).toEqual([first])
    await evictDurableObject(eventLogStub(env, setting.relyingPartyId, toDay(NOON + 3 * DAYS)))
    const later = await json(read(setting, '?after=latest'))
    const second = await cancelOne(setting)
    expect((await readAll(setting, 10, later.next)).ids).toEqual([second])
  })

  it('gives a reader that starts just after midnight every later event, even a late event of the old day', async () => {
    const setting = await setUp()
    const midnight = endOfDay(toDay(NOON))
    at(midnight + 9 * SECOND)
    const { next } = await json(read(setting, '?after=latest'))
    // The clock of another machine is behind.
    at(midnight - SECOND)
    const last = await cancelOne(setting)
    at(midnight + 10 * SECOND)
    const first = await cancelOne(setting)
    expect((await readAll(setting, 10, next)).ids).toEqual([last, first])
    const now = await json(read(setting, '?after=latest'))
    expect((await readAll(setting, 10, now.next)).ids).toEqual([])
  })

  it('can be read over midnight and over days without events, with any page size', async () => {
    const setting = await setUp()
    const ids: string[] = []
    for (const time of [NOON, NOON + 1, endOfDay(toDay(NOON)) - 1, endOfDay(toDay(NOON)), NOON + 5 * DAYS]) {
      at(time)
      ids.push(await cancelOne(setting))
    }
    for (const limit of [1, 2, 3, 4, 5, 6]) expect((await readAll(setting, limit)).ids).toEqual(ids)
    at(NOON + 9 * DAYS)
    for (const limit of [1, 5]) expect((await readAll(setting, limit)).ids).toEqual(ids)
  })

  it('shows a reader at midnight the last event of the old day', async () => {
    const setting = await setUp()
    at(endOfDay(toDay(NOON)) - SECOND)
    const { next } = await readAll(setting, 10)
    const last = await cancelOne(setting)
    at(endOfDay(toDay(NOON)) + SECOND)
    const first = await cancelOne(setting)
    // Readers wait five more seconds for the old day. Nothing of the new day is returned before.
    const early = await readAll(setting, 10, next)
    expect(early.ids).toEqual([last])
    at(endOfDay(toDay(NOON)) + 6 * SECOND)
    expect((await readAll(setting, 10, early.next)).ids).toEqual([first])
  })

  it('keeps an event for 30 days; an older cursor continues with the oldest event', async () => {
    const setting = await setUp()
    const { next } = await readAll(setting, 10)
    const old = await cancelOne(setting)
    at(NOON + 30 * DAYS)
    const young = await cancelOne(setting)
    expect((await readAll(setting, 10)).ids).toEqual([old, young])
    at(NOON + 31 * DAYS)
    expect((await readAll(setting, 10)).ids).toEqual([young])
    expect((await readAll(setting, 10, next)).ids).toEqual([young])
  })

  it('the log of one relying party has no events of another relying party', async () => {
    const [ours, theirs] = [await setUp(), await setUp()]
    const id = await cancelOne(ours)
    expect((await readAll(theirs, 10)).ids).toEqual([])
    expect((await readAll(ours, 10)).ids).toEqual([id])
  })
})

describe('the log rejects', () => {
  it('a cursor of another relying party', async () => {
    const [ours, theirs] = [await setUp(), await setUp()]
    await cancelOne(ours)
    const { next } = await readAll(ours, 10)
    expect((await read(ours, `?after=${next}`)).status).toBe(200)
    const response = await read(theirs, `?after=${next}`)
    expect(response.status).toBe(400)
    expect(await json(response)).toMatchObject({ errors: [{ pointer: '/after', code: 'invalid_value' }] })
  })

  it('a cursor with one character changed, added or removed', async () => {
    const setting = await setUp()
    const { next } = await readAll(setting, 10)
    const others = [...next].map((character, i) => {
      return `${next.slice(0, i)}${character === 'A' ? 'B' : 'A'}${next.slice(i + 1)}`
    })
    expect(await json(read(setting, '?after='))).toEqual(await json(read(setting)))
    for (const cursor of [...others, `${next}A`, next.slice(1)]) {
      const response = await read(setting, `?after=${cursor}`)
      expect(response.status, cursor).toBe(400)
      expect(await json(response)).toMatchObject({ errors: [{ pointer: '/after' }] })
    }
  })

  it.each([
    ['?limit=0', '/limit'],
    ['?limit=101', '/limit'],
    ['?limit=', '/limit'],
    ['?limit=1e1', '/limit'],
    ['?limit=5&limit=5', '/limit'],
    ['?after=%00%F0%9F%98%80', '/after'],
    [`?after=${'A'.repeat(32)}`, '/after'],
    [`?after=${'='.repeat(32)}`, '/after'],
    [`?after=${'A'.repeat(5000)}`, '/after'],
    ['?after=newest', '/after'],
    ['?before=1', '/before'],
  ])('%s', async (query, pointer) => {
    const response = await read(await setUp(), query)
    expect(response.status).toBe(400)
    expect(await json(response)).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] })
  })

  it('a caller without a key, or without verify:read', async () => {
    expect((await read({ headers: {} }, '?limit=0')).status).toBe(401)
    const { relyingPartyId } = await setUp()
    const path = `/v1/admin/relying_parties/${relyingPartyId}/api_keys`
    const body = { scopes: ['verify:create', 'verify:request', 'webhooks:manage', 'settings:manage'] }
    const { api_key } = await json(call(app, 'POST', path, { headers: ADMIN, body }))
    const response = await read({ headers: { Authorization: `Bearer ${api_key}` } })
    expect(response.status).toBe(403)
  })
})
