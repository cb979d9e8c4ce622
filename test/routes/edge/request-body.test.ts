import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toVerificationId } from '../../../src/relying-party/document/session-stub.ts'
import { createApp } from '../../../src/routes/app.ts'
import { createReservations, readBody } from '../../../src/routes/edge/request-body.ts'
import { createRelyingParty, json } from './edge-app.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const MIB = 1_048_576
const app = createApp()
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const CALLBACK = `/v1/verify/${toVerificationId(env.VERIFICATION_SESSION.newUniqueId())}/callback`

/** Senders whose connections a test may break, and how often the service has read from them. */
let hanging: ReadableStreamDefaultController<Uint8Array>[]
let pulls: number

beforeEach(() => {
  hanging = []
  pulls = 0
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: NOW })
})
afterEach(async () => {
  await vi.advanceTimersByTimeAsync(60_000)
  vi.useRealTimers()
})

/** Body that has a first byte and no end. */
function endless() {
  let isFirst = true
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => void hanging.push(controller),
      pull(controller) {
        pulls++
        if (!isFirst) return new Promise(() => undefined)
        isFirst = false
        controller.enqueue(Uint8Array.of(0x61))
      },
    },
    { highWaterMark: 0 },
  )
}

function post(path: string, headers: Record<string, string>, body: BodyInit = endless()) {
  return app.request(path, { method: 'POST', headers, body }, env)
}

const request = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request('https://verifier.example', { method: 'POST', headers, body })

describe('a body that does not end within 10 s', () => {
  const afterTenSeconds = async (response: Promise<Response> | Response) => {
    let isDone = false
    while (pulls === 0) await scheduler.wait(1) // by the real clock: the time of a read begins then
    void Promise.resolve(response).then(() => {
      isDone = true
    })
    await vi.advanceTimersByTimeAsync(9_900)
    expect(isDone).toBe(false)
    await vi.advanceTimersByTimeAsync(200)
    return response
  }

  it('gets 408 request_timeout if a relying party sent it', async () => {
    const { api_key: apiKey } = await createRelyingParty()
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
    const response = await afterTenSeconds(post('/v1/verify', headers))
    expect([response.status, await json(response)]).toMatchObject([
      408,
      { code: 'request_timeout', retryable: true },
    ])
  })

  it('gets 408 with an OAuth error if a wallet sent it', async () => {
    const response = await afterTenSeconds(post(CALLBACK, FORM))
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect([response.status, (await json(response)).error]).toEqual([408, 'invalid_request'])
  })

  it('gets 408 with an OAuth error at the token endpoint', async () => {
    const response = await afterTenSeconds(post('/oauth/token', FORM))
    expect([response.status, (await json(response)).error]).toEqual([408, 'invalid_request'])
  })

  it('gets 408 for a page of the sandbox, and the sandbox is not called', async () => {
    const fetch = vi.fn(async () => new Response('page'))
    const world = { ...env, SANDBOX: { ...env.SANDBOX, fetch } } as unknown as typeof env
    const init = { method: 'POST', headers: FORM, body: endless() }
    const response = await afterTenSeconds(app.request('/test/wallet', init, world))
    expect([response.status, fetch.mock.calls]).toEqual([408, []])
    const good = app.request('/test/wallet', { method: 'POST', headers: FORM, body: 'a=b' }, world)
    expect(await (await good).text()).toBe('page')
    const [passed] = fetch.mock.calls[0] as unknown as [Request]
    expect([passed.method, await passed.text()]).toEqual(['POST', 'a=b'])
  })

  it('is cancelled', async () => {
    const cancel = vi.fn()
    const body = new ReadableStream({ pull: () => new Promise(() => undefined), cancel })
    const read = readBody(request(body), 100, 'anyone')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await read).toEqual({ ok: false, error: 'request_timeout' })
    expect(cancel).toHaveBeenCalledTimes(1)
  })
})

describe('the bodies that are being read', () => {
  const fill = (count: number, limit: number, sender: 'anyone' | 'authenticated' = 'anyone') =>
    Array.from({ length: count }, () => readBody(request(endless()), limit, sender))

  it('are at most 200: one more body is refused before its first byte is read, and accepted after one of the 200 ended', async () => {
    const reads = fill(200, 1)
    const before = pulls
    expect(await readBody(request(endless()), 1, 'anyone')).toEqual({ ok: false, error: 'overloaded' })
    expect(pulls).toBe(before)
    hanging[0]?.error(new Error('the sender has gone'))
    expect(await reads[0]).toEqual({ ok: false, error: 'unreadable' })
    expect(await readBody(request('x'), 1, 'anyone')).toMatchObject({ ok: true })
  })

  it('have a limit of 64 MiB in total, and a body without Content-Length counts as the limit of its route', async () => {
    fill(63, MIB)
    const declared = (bytes: number) => request(endless(), { 'Content-Length': String(bytes) })
    expect(await readBody(declared(MIB + 1), 2 * MIB, 'anyone')).toEqual({ ok: false, error: 'overloaded' })
    void readBody(declared(MIB), 2 * MIB, 'anyone')
    expect(await readBody(request('x'), 1, 'anyone')).toEqual({ ok: false, error: 'overloaded' })
  })

  it('bodies of unauthenticated callers do not block bodies of authenticated callers', async () => {
    fill(200, 1)
    expect(await readBody(request('x'), 1, 'anyone')).toEqual({ ok: false, error: 'overloaded' })
    expect(await readBody(request('x'), 1, 'authenticated')).toMatchObject({ ok: true })
  })

  it('cause 503 with Retry-After for wallets, clients and relying parties if no more bodies may be read', async () => {
    const { api_key: apiKey } = await createRelyingParty()
    fill(200, 1)
    fill(200, 1, 'authenticated')
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
    const answers = [
      await post(CALLBACK, FORM),
      await post('/oauth/token', FORM),
      await post('/v1/verify', headers),
    ]
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(answers.map((answer) => answer.headers.get('Retry-After'))).toEqual(['2', '1', '1'])
    const bodies = await Promise.all(answers.map(json))
    expect(bodies.map(({ error, code }) => error ?? code)).toEqual(
      Array.from({ length: 3 }, () => 'temporarily_unavailable'),
    )
  })
})

describe('the place that is reserved for a body', () => {
  it('is free again after the time limit of a read, even if the platform stopped the handler', () => {
    const reservations = createReservations({ bodies: 1, bytes: 10 })
    const release = reservations.take(10, NOW)
    expect(reservations.take(0, NOW + 10_900)).toBeUndefined()
    expect(reservations.take(10, NOW + 11_000)).toBeDefined()
    release?.() // late: the space belongs to another body now
    expect(reservations.take(0, NOW + 11_000)).toBeUndefined()
  })

  it('is free again if the caller closes the connection', async () => {
    const leaving = new AbortController()
    const init = { method: 'POST', body: endless(), signal: leaving.signal }
    for (let i = 0; i < 200; i++) {
      const each = { ...init, body: endless() }
      void readBody(new Request('https://verifier.example', each), 1, 'anyone')
    }
    expect(await readBody(request('x'), 1, 'anyone')).toEqual({ ok: false, error: 'overloaded' })
    leaving.abort()
    expect(await readBody(request('x'), 1, 'anyone')).toMatchObject({ ok: true })
  })
})
