// The client's own part: what it sends, when it tries again, what it makes of failures. Against the real
// service: test/conformance/service/client.test.ts.

import { createClient } from '@wallet-verifier/client'
import { describe, expect, it, vi } from 'vitest'

type Answer = Response | Error

/** A service that gives these answers, one a call, and remembers the calls. */
function serviceOf(...answers: readonly Answer[]) {
  const calls: { url: string; method: string; headers: Headers; body: string | null }[] = []
  const send: typeof fetch = async (input, init) => {
    const { method = 'GET', headers, body } = init ?? {}
    calls.push({ url: String(input), method, headers: new Headers(headers), body: body as string | null })
    const answer = answers[calls.length - 1]
    if (answer === undefined) throw new Error('one call too many')
    if (answer instanceof Error) throw answer
    return answer
  }
  return {
    calls,
    client: createClient({ baseUrl: 'https://verifier.example', token: 'wv_test_x', fetch: send }),
  }
}

const created = () => Response.json({ verification_id: 'v_1', status: 'pending' }, { status: 201 })
const session = (status: string, version: number) =>
  Response.json({ verification_id: 'v_1', status, version })

function problem(status: number, code: string, { retryable = false, headers = {} } = {}) {
  const body = { code, title: code, retryable, request_id: 'req_1', errors: [] }
  return Response.json(body, { status, headers })
}

describe('creating', () => {
  it('sends the request with an idempotency key of its own', async () => {
    const { client, calls } = serviceOf(created(), created())
    const request = { credential_types: ['pid'], scope: ['age_over_18'] }
    expect(await client.create(request)).toMatchObject({ ok: true, value: { verification_id: 'v_1' } })
    await client.create(request)
    const [first, second] = calls
    expect(first).toMatchObject({ url: 'https://verifier.example/v1/verify', method: 'POST' })
    expect(first?.headers.get('Authorization')).toBe('Bearer wv_test_x')
    expect(JSON.parse(first?.body ?? '')).toEqual(request)
    expect(first?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{36}$/)
    expect(second?.headers.get('Idempotency-Key')).not.toBe(first?.headers.get('Idempotency-Key'))
  })

  it('tries again under the same key after a lost answer', async () => {
    vi.useFakeTimers()
    const { client, calls } = serviceOf(new TypeError('connection reset'), created())
    const creating = client.create({}, { idempotencyKey: 'order-7' })
    await vi.runAllTimersAsync()
    expect(await creating).toMatchObject({ ok: true })
    expect(calls.map(({ headers }) => headers.get('Idempotency-Key'))).toEqual(['order-7', 'order-7'])
    vi.useRealTimers()
  })

  it('gives the problem as a value, and does not repeat what cannot succeed', async () => {
    const { client, calls } = serviceOf(problem(422, 'policy_unsatisfiable'))
    const made = await client.create({})
    expect(made).toMatchObject({
      ok: false,
      error: { code: 'policy_unsatisfiable', status: 422, request_id: 'req_1' },
    })
    expect(calls).toHaveLength(1)
  })

  it('waits as long as Retry-After says, then gives up after four tries', async () => {
    vi.useFakeTimers()
    const busy = () => problem(429, 'rate_limited', { retryable: true, headers: { 'Retry-After': '7' } })
    const { client, calls } = serviceOf(busy(), busy(), busy(), busy())
    const creating = client.create({})
    await vi.advanceTimersByTimeAsync(6_999)
    expect(calls).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(calls).toHaveLength(2)
    await vi.runAllTimersAsync()
    expect(await creating).toMatchObject({ ok: false, error: { code: 'rate_limited' } })
    expect(calls).toHaveLength(4)
    vi.useRealTimers()
  })

  it('tells what answered instead of the service', async () => {
    const { client } = serviceOf(new Response('{"oops":1}', { status: 404 }))
    expect(await client.get('v_1')).toMatchObject({
      ok: false,
      error: { code: 'unexpected_answer', status: 404 },
    })
  })
})

describe('waiting', () => {
  it('asks for versions above the one it knows until the verification is over', async () => {
    const { client, calls } = serviceOf(session('pending', 1), session('pending', 2), session('verified', 3))
    expect(await client.wait('v_1')).toMatchObject({ ok: true, value: { status: 'verified' } })
    expect(calls.map(({ url }) => new URL(url).search)).toEqual([
      '',
      '?wait=25&after_version=1',
      '?wait=25&after_version=2',
    ])
  })

  it('ends with the verification as it is when the time is up', async () => {
    const { client, calls } = serviceOf(session('pending', 1))
    expect(await client.wait('v_1', { timeoutMs: 0 })).toMatchObject({
      ok: true,
      value: { status: 'pending' },
    })
    expect(calls).toHaveLength(1)
  })

  it('ends at once when the caller gives up', async () => {
    const { client } = serviceOf(new DOMException('aborted', 'AbortError'))
    const waited = await client.wait('v_1', { signal: AbortSignal.abort() })
    expect(waited).toMatchObject({ ok: false, error: { code: 'unreachable' } })
  })
})

it('a receipt is the text that was answered, and a problem what it is elsewhere', async () => {
  const { client, calls } = serviceOf(new Response('a.b.c'), problem(409, 'verification_pending'))
  expect(await client.receipt('v_1')).toEqual({ ok: true, value: 'a.b.c' })
  expect(calls[0]?.url).toBe('https://verifier.example/v1/verify/v_1/receipt')
  expect(calls[0]?.headers.get('Accept')).toMatch('application/verification-receipt+jwt')
  expect(await client.receipt('v_1')).toMatchObject({ ok: false, error: { code: 'verification_pending' } })
})

it('an id is one path segment, whatever it holds', async () => {
  const { client, calls } = serviceOf(session('pending', 1))
  await client.get('../events?x=')
  expect(calls[0]?.url).toBe('https://verifier.example/v1/verify/..%2Fevents%3Fx%3D')
})
