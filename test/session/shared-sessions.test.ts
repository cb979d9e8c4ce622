// Sessions that share one object, as on one machine (src/session/shared-sessions.ts).

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env, withEnv } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Env } from '../../src/env.ts'
import { reportCapacity } from '../../src/metrics/capacity.ts'
import { relyingPartyStub } from '../../src/relying-party/document/identifier.ts'
import { sessionStub, sharedObjectName } from '../../src/relying-party/document/session-stub.ts'
import type { RelyingParty } from '../../src/relying-party/relying-party.ts'
import { createApp } from '../../src/routes/app.ts'
import { call, json } from '../routes/edge/edge-app.ts'
import { WAIT } from '../support/wait.ts'
import { ask, createSession, fetchRequest, goodResponse, poll, post, type Setting, setUp } from './driver.ts'

const SHARED: Env = { ...env, SHARE_SESSIONS: '1' }
const WEBHOOK = { webhook: { url: 'http://127.0.0.1:9/hook' } }
const HOUR = 3_600_000

/** Runs `act` in a service whose sessions share one object. */
const shared = <T>(act: () => Promise<T>) => withEnv(SHARED, act) as Promise<T>
const create = (setting: Setting, body: object = {}, headers: object = {}) =>
  shared(() => createSession(setting, body, headers))

function object() {
  const { SHARED_SESSIONS } = SHARED
  if (SHARED_SESSIONS === undefined) throw new Error('no binding SHARED_SESSIONS')
  return SHARED_SESSIONS.getByName(sharedObjectName(0))
}

type Row = { place: number; pages: number; wake_at: number; mark: string; data: ArrayBuffer }

/** Returns the rows of the object with their bytes as text. */
async function rows(): Promise<readonly (Omit<Row, 'data'> & { readonly text: string })[]> {
  const stored = await runInDurableObject(object(), (_, { storage }) =>
    storage.sql.exec<Row>('SELECT * FROM slots ORDER BY place').toArray(),
  )
  return stored.map(({ data, ...row }) => ({ ...row, text: new TextDecoder('latin1').decode(data) }))
}

const rowOf = async (id: string) => (await rows()).find(({ text }) => text.includes(id))

/** Changes the rows of the object with SQL. The object then reads them from its storage. */
async function change(statement: string, ...values: readonly (string | number)[]): Promise<void> {
  await runInDurableObject(object(), (_, { storage }) => {
    storage.sql.exec(statement, ...values)
  })
  await evictDurableObject(object())
}

const isEmpty = (text: string) => /^\0*$/.test(text)

beforeEach(async () => {
  await runInDurableObject(object(), (_, { storage }) => {
    storage.sql.exec('DELETE FROM slots')
  })
  await evictDurableObject(object())
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  reportCapacity(null, 0, Number.NEGATIVE_INFINITY)
})

function receiver(answer: (url: string, body: string) => Promise<Response> | Response) {
  return vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async (input, init) => answer(String(input), String(init?.body)))
}

describe('sessions of one object', () => {
  it('are verified, canceled and erased one by one', async () => {
    const setting = await setUp()
    const [one, two, three] = await Promise.all([create(setting), create(setting), create(setting)])
    await shared(async () => {
      const request = await fetchRequest(one.wallet_request.request_uri)
      expect((await post(one.verification_id, await goodResponse(setting, request))).status).toBe(200)
      expect((await ask(setting, 'POST', two.verification_id, '/cancel')).status).toBe(200)
      expect((await ask(setting, 'DELETE', three.verification_id)).status).toBe(204)
      expect((await poll(setting, one.verification_id)).status).toBe('verified')
      expect((await poll(setting, two.verification_id)).status).toBe('canceled')
      expect((await ask(setting, 'GET', three.verification_id)).status).toBe(404)
    })
  })

  it('have one row each, with the document, the time of the next work and a mark that is not a part of the id', async () => {
    const setting = await setUp()
    const sessions = await Promise.all(Array.from({ length: 5 }, () => create(setting)))
    const stored = await rows()
    expect(stored).toHaveLength(5)
    for (const { verification_id, expires_at } of sessions) {
      const row = await rowOf(verification_id)
      expect(row?.text).toContain('"status":"pending"')
      expect(row?.wake_at).toBeGreaterThanOrEqual(Date.parse(expires_at))
      expect(sessions.every((session) => !session.verification_id.includes(row?.mark))).toBe(true)
    }
    expect(new Set(stored.map(({ mark }) => mark)).size).toBe(5)
  })

  it('can be read again after the object was evicted from memory', async () => {
    const setting = await setUp()
    const { verification_id } = await create(setting, { metadata: { order: '7' } })
    await evictDurableObject(object())
    const session = await shared(() => poll(setting, verification_id))
    expect([session.status, session.metadata]).toEqual(['pending', { order: '7' }])
  })

  it('are created only once for an Idempotency-Key, even after the erasure of the session', async () => {
    const setting = await setUp()
    const headers = { 'Idempotency-Key': 'order-7' }
    const [first, second] = await Promise.all([create(setting, {}, headers), create(setting, {}, headers)])
    expect(second.verification_id).toBe(first.verification_id)
    expect((await shared(() => ask(setting, 'DELETE', first.verification_id))).status).toBe(204)
    await vi.waitFor(async () => expect(await rowOf(first.verification_id)).toBeUndefined(), WAIT)
    const [tombstone] = (await rows()).filter(({ text }) => !isEmpty(text))
    expect(tombstone?.text).toContain('"erased":true')
    await expect(create(setting, {}, headers)).rejects.toThrow('verification_ended')
  })
})

describe('an Idempotency-Key that was used before a change', () => {
  const FORMS = { own: { ...env }, shared: SHARED } as const
  const HEADERS = { 'Idempotency-Key': 'order-9' }

  describe.each([
    ['own', 'shared'],
    ['shared', 'own'],
  ] as const)('of new sessions from %s objects to %s objects', (before, after) => {
    const now = (until: number, act: () => Promise<unknown>) =>
      withEnv({ ...FORMS[after], OTHER_FORM_UNTIL: String(until) }, act) as Promise<{
        verification_id: string
      }>
    const begin = async () => {
      const setting = await setUp()
      const created = await withEnv(FORMS[before], () => createSession(setting, {}, HEADERS))
      const again = (body: object, until = Date.now() + HOUR) =>
        now(until, () => createSession(setting, body, HEADERS))
      return { setting, again, created: created as { verification_id: string } }
    }

    it('returns the earlier session, or a conflict if the body differs, and creates no session after the erasure', async () => {
      const { setting, again, created } = await begin()
      expect((await again({})).verification_id).toBe(created.verification_id)
      await expect(again({ metadata: { order: '9' } })).rejects.toThrow('idempotency_conflict')
      await withEnv(FORMS[after], () => ask(setting, 'DELETE', created.verification_id))
      await expect(again({})).rejects.toThrow('verification_ended')
    })

    it('returns the earlier session until OTHER_FORM_UNTIL, and then creates a second session', async () => {
      const { again, created } = await begin()
      const next = await again({}, Date.now())
      expect(next.verification_id).not.toBe(created.verification_id)
      // The session of the earlier form is the first.
      expect((await again({})).verification_id).toBe(created.verification_id)
    })
  })
})

describe('an erased session whose Idempotency-Key has expired', () => {
  it('can be created again with the same id, although its tombstone contained no id', async () => {
    const setting = await setUp({ index: false })
    const headers = { 'Idempotency-Key': 'order-8' }
    const first = await create(setting, {}, headers)
    await shared(() => ask(setting, 'DELETE', first.verification_id))
    await evictDurableObject(object())
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 80 * HOUR })
    await runDurableObjectAlarm(object())
    await vi.waitFor(async () => expect((await rows()).every(({ text }) => isEmpty(text))).toBe(true), WAIT)
    const second = await create(setting, {}, headers)
    expect(second.verification_id).toBe(first.verification_id)
    expect((await shared(() => poll(setting, first.verification_id))).verification_id).toBe(
      first.verification_id,
    )
  })
})

describe('a service whose sessions share objects', () => {
  it('reads a session that has an object of its own', async () => {
    const setting = await setUp()
    const own = await createSession(setting)
    const session = await shared(() => poll(setting, own.verification_id))
    expect(session.status).toBe('pending')
    expect(await rows()).toEqual([])
  })

  it('finds no session for an id that it did not issue', async () => {
    const { verification_id } = await create(await setUp())
    const other = verification_id[10] === 'A' ? 'B' : 'A'
    expect(
      sessionStub(SHARED, `${verification_id.slice(0, 10)}${other}${verification_id.slice(11)}`),
    ).toBeUndefined()
  })
})

describe('the erasure of a session', () => {
  it('overwrites its row with zeros, and the next new session gets this row', async () => {
    const setting = await setUp({ index: false })
    const { verification_id } = await create(setting, { metadata: { user: 'CANARY' } })
    expect((await rowOf(verification_id))?.text).toContain('CANARY')
    await shared(() => ask(setting, 'DELETE', verification_id))
    const [erased] = await rows()
    expect([isEmpty(erased?.text ?? 'x'), erased?.mark]).toEqual([true, '0'.repeat(32)])
    const next = await create(setting)
    expect((await rowOf(next.verification_id))?.place).toBe(erased?.place)
    expect(await rows()).toHaveLength(1)
  })

  it('an earlier row of the session that became too small is overwritten with zeros before the erasure', async () => {
    const setting = await setUp({ index: false })
    const { verification_id } = await create(setting)
    const before = await rowOf(verification_id)
    await shared(async () => {
      for (let i = 0; i < 20; i++) await ask(setting, 'GET', verification_id, '/qr')
      for (let i = 0; i < 40; i++) await post(verification_id, { state: 'junk', vp_token: `{"a":["${i}"]}` })
      await ask(setting, 'POST', verification_id, '/cancel')
    })
    const after = await rowOf(verification_id)
    expect(after?.pages).toBeGreaterThan(before?.pages ?? 0)
    const others = (await rows()).filter(({ place }) => place !== after?.place)
    expect(others.length).toBeGreaterThan(0)
    expect(others.every(({ text }) => isEmpty(text))).toBe(true)
  })

  it('may have happened before an object starts, so the object overwrites its write-ahead log an hour later', async () => {
    const setting = await setUp({ index: false })
    const { verification_id } = await create(setting)
    await runInDurableObject(object(), (_, { storage }) => storage.sync())
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR + 60_000 })
    const written = runInDurableObject(object(), (_, { storage }) => {
      const exec = vi.spyOn(storage.sql, 'exec')
      return vi.waitFor(() => {
        const statements = exec.mock.calls.map(([statement]) => statement)
        expect(statements).toContain('DELETE FROM filler')
        return statements.filter((statement) => statement.startsWith('UPDATE filler')).length
      }, WAIT)
    })
    await shared(() => ask(setting, 'GET', verification_id))
    // 64 pages each; SQLite begins its log again after 1,000 pages.
    expect((await written) * 64).toBeGreaterThanOrEqual(2_000)
  })
})

describe('a failed write of one session', () => {
  it('resets the object: a running call of another session gets a retryable 503, a poll is repeated, and nothing confirmed is lost', async () => {
    const setting = await setUp()
    const [canceled, waiting, running] = [await create(setting), await create(setting), await create(setting)]
    await shared(async () => {
      const request = await fetchRequest(running.wallet_request.request_uri)
      const response = await goodResponse(setting, request)
      expect((await ask(setting, 'POST', canceled.verification_id, '/cancel')).status).toBe(200)
      const verify = vi.spyOn(crypto.subtle, 'verify').mockReturnValue(new Promise(() => {}))
      vi.spyOn(console, 'error').mockReturnValue()
      const posted = post(running.verification_id, response)
      await vi.waitFor(() => expect(verify).toHaveBeenCalled(), WAIT)
      // The platform does the same if it cannot write.
      const reset = runInDurableObject(object(), (_, state) => state.abort('a write failed'))
      const polled = poll(setting, waiting.verification_id)
      await expect(reset).rejects.toThrow('a write failed')
      expect((await posted).status).toBe(503)
      expect((await polled).status).toBe('pending')
      verify.mockRestore()
      expect((await post(running.verification_id, response)).status).toBe(200)
      expect((await poll(setting, running.verification_id)).status).toBe('verified')
      expect((await poll(setting, canceled.verification_id)).status).toBe('canceled')
    })
  })
})

describe('the limit of QR codes', () => {
  it('applies to one session only: another session of the same object still gets a QR code', async () => {
    const setting = await setUp()
    const [busy, other] = [await create(setting), await create(setting)]
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const draw = (id: string) => shared(() => ask(setting, 'GET', id, '/qr'))
    for (let i = 0; i < 60; i++) expect((await draw(busy.verification_id)).status).toBe(200)
    expect((await draw(busy.verification_id)).status).toBe(429)
    expect((await draw(other.verification_id)).status).toBe(200)
  })
})

describe('the due work of sessions', () => {
  it('is done for each session, even if more sessions are due than may run at the same time', async () => {
    const setting = await setUp(WEBHOOK)
    const posts = receiver(() => new Response(null, { status: 204 }))
    for (let i = 0; i < 40; i++) await create(setting)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR })
    await runDurableObjectAlarm(object())
    await vi.waitFor(() => expect(posts).toHaveBeenCalledTimes(40), WAIT)
  })

  it('waits without a write while too few file descriptors are free, and then goes on by itself', async () => {
    const setting = await setUp(WEBHOOK)
    const posts = receiver(() => new Response(null, { status: 204 }))
    await create(setting)
    const now = Date.now() + 2 * HOUR
    vi.useFakeTimers({ toFake: ['Date'], now })
    reportCapacity({ open: 950, limit: 1_000 }, 0, now)
    const before = (await rows()).map(({ wake_at }) => wake_at)
    await runDurableObjectAlarm(object())
    await scheduler.wait(500)
    expect(posts).not.toHaveBeenCalled()
    expect((await rows()).map(({ wake_at }) => wake_at)).toEqual(before)
    reportCapacity({ open: 100, limit: 1_000 }, 0, now)
    await vi.waitFor(() => expect(posts).toHaveBeenCalledTimes(1), WAIT)
  })

  it('does not wait for slow webhook receivers, even if more sessions wait for them than may work at the same time', async () => {
    const slow = await setUp({ webhook: { url: 'http://127.0.0.1:9/slow' } })
    const quick = await setUp(WEBHOOK)
    const isSlow = (url: string) => url.endsWith('slow')
    const posts = receiver((url) => {
      const headers = { 'retry-after': isSlow(url) ? '60' : '600' }
      return new Response(null, { status: 503, headers })
    })
    // One more than `AT_ONCE` has its second attempt before the last session.
    for (const setting of [...Array.from({ length: 17 }, () => slow), quick]) {
      const { verification_id } = await create(setting)
      await shared(() => ask(setting, 'POST', verification_id, '/cancel'))
    }
    const isRefused = ({ text }: { text: string }) => text.includes('"status":503')
    await vi.waitFor(async () => expect((await rows()).filter(isRefused)).toHaveLength(18), WAIT)
    let release = () => {}
    const held = new Promise<Response>((resolve) => {
      release = () => resolve(new Response(null, { status: 204 }))
    })
    posts.mockReset()
    posts.mockImplementation(async (url) =>
      isSlow(String(url)) ? held : new Response(null, { status: 204 }),
    )
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR })
    await runDurableObjectAlarm(object())
    await vi.waitFor(
      () => expect(posts.mock.calls.map(([url]) => String(url))).toContain('http://127.0.0.1:9/hook'),
      WAIT,
    )
    const { verification_id } = await create(quick)
    expect((await shared(() => poll(quick, verification_id))).status).toBe('pending')
    release()
  })

  it('is done even if the row of another session is damaged; calls to that other session fail', async () => {
    const setting = await setUp(WEBHOOK)
    const posts = receiver(() => new Response(null, { status: 204 }))
    const [damaged, good] = [await create(setting), await create(setting)]
    const place = (await rowOf(damaged.verification_id))?.place ?? 0
    await change(
      'UPDATE slots SET data = zeroblob(length(data)), wake_at = ? WHERE place = ?',
      2 ** 31,
      place,
    )
    vi.spyOn(console, 'error').mockReturnValue()
    expect((await shared(() => ask(setting, 'GET', damaged.verification_id))).status).toBe(500)
    expect((await shared(() => poll(setting, good.verification_id))).status).toBe('pending')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR })
    await runDurableObjectAlarm(object())
    await vi.waitFor(() => expect(posts).toHaveBeenCalledOnce(), WAIT)
    const next = await runInDurableObject(object(), (_, { storage }) => storage.getAlarm())
    expect(next, 'the failed work is repeated later').toBeGreaterThan(Date.now())
  })

  it('gets a new alarm if the platform has lost the alarm', async () => {
    const { expires_at } = await create(await setUp())
    await runInDurableObject(object(), (_, { storage }) => storage.deleteAlarm())
    await evictDurableObject(object())
    await runInDurableObject(object(), async (_, { storage }) => {
      const alarm = await storage.getAlarm()
      expect(alarm).toBeGreaterThanOrEqual(Date.parse(expires_at))
      expect(alarm).toBeLessThan(Date.parse(expires_at) + 62_000)
    })
  })

  it('is done for a session whose webhook was disabled, once the webhook is enabled', async () => {
    const setting = await setUp(WEBHOOK)
    const posts = receiver(() => new Response(null, { status: 410 }))
    const [first, second] = [await create(setting), await create(setting)]
    const cancel = (id: string) => shared(() => ask(setting, 'POST', id, '/cancel'))
    await cancel(first.verification_id)
    const app = createApp()
    const settings = () => json(call(app, 'GET', '/v1/relying_party', { headers: setting.headers }))
    await vi.waitFor(async () => expect((await settings()).webhook.disabled).toBe(true), WAIT)
    await cancel(second.verification_id)
    const stub = relyingPartyStub(env, setting.relyingPartyId)
    const parked = () =>
      runInDurableObject(stub as DurableObjectStub<RelyingParty>, (_, { storage }) =>
        [...storage.kv.list({ prefix: 'parked/' })].map(([key]) => key.slice('parked/'.length)).sort(),
      )
    const ids = [first.verification_id, second.verification_id].sort()
    await vi.waitFor(async () => expect(await parked()).toEqual(ids), WAIT)
    posts.mockImplementation(async () => new Response(null, { status: 204 }))
    await call(app, 'POST', '/v1/webhook/enable', { headers: setting.headers })
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(stub as DurableObjectStub<RelyingParty>)
      expect(posts).toHaveBeenCalledTimes(3)
    }, WAIT)
  })
})

describe('a session in memory', () => {
  it('is dropped half a minute after its last call, and read again by the next call', async () => {
    const setting = await setUp()
    const [first, second] = [await create(setting), await create(setting)]
    // A jump of the clock counts as five seconds.
    for (let i = 0; i < 7; i++) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_000 })
      await shared(() => poll(setting, second.verification_id))
    }
    const row = await rowOf(first.verification_id)
    await runInDurableObject(object(), (_, { storage }) => {
      storage.sql.exec('UPDATE slots SET data = zeroblob(length(data)) WHERE place = ?', row?.place ?? 0)
    })
    vi.spyOn(console, 'error').mockReturnValue()
    // Memory would still have the session.
    expect((await shared(() => ask(setting, 'GET', first.verification_id))).status).toBe(500)
    expect((await shared(() => poll(setting, second.verification_id))).status).toBe('pending')
  })
})
