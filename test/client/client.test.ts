// Requests, retries and errors of the client, with a simulated service. With the real service:
// test/conformance/service/client.test.ts.

import { type Client, createClient } from '@wallet-verifier/client'
import { describe, expect, it, vi } from 'vitest'

type Reply = Response | Error

/** Simulates a service with one response for each call, and records the calls. */
function serviceOf(...replies: readonly Reply[]) {
  const calls: { url: string; method: string; headers: Headers; body: string | null }[] = []
  const send: typeof fetch = async (input, init) => {
    const { method = 'GET', headers, body } = init ?? {}
    calls.push({ url: String(input), method, headers: new Headers(headers), body: body as string | null })
    const reply = replies[calls.length - 1]
    if (reply === undefined) throw new Error('one call too many')
    if (reply instanceof Error) throw reply
    return reply
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

describe('the client, when it creates a verification,', () => {
  it('sends the request with a new idempotency key', async () => {
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

  it('retries with the same key after a lost response', async () => {
    vi.useFakeTimers()
    const { client, calls } = serviceOf(new TypeError('connection reset'), created())
    const creating = client.create({}, { idempotencyKey: 'order-7' })
    await vi.runAllTimersAsync()
    expect(await creating).toMatchObject({ ok: true })
    expect(calls.map(({ headers }) => headers.get('Idempotency-Key'))).toEqual(['order-7', 'order-7'])
    vi.useRealTimers()
  })

  it('returns the problem, and does not retry if the problem is not retryable', async () => {
    const { client, calls } = serviceOf(problem(422, 'policy_unsatisfiable'))
    const made = await client.create({})
    expect(made).toMatchObject({
      ok: false,
      error: { code: 'policy_unsatisfiable', status: 422, request_id: 'req_1' },
    })
    expect(calls).toHaveLength(1)
  })

  it('waits for the time in Retry-After before each retry, and gives up after four tries', async () => {
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
})

it('the client returns unexpected_answer for a response without problem details', async () => {
  const { client } = serviceOf(new Response('{"oops":1}', { status: 404 }))
  expect(await client.get('v_1')).toMatchObject({
    ok: false,
    error: { code: 'unexpected_answer', status: 404 },
  })
})

describe('the client, when it waits for a verification,', () => {
  it('polls for newer versions of the verification until it has ended', async () => {
    const { client, calls } = serviceOf(session('pending', 1), session('pending', 2), session('verified', 3))
    expect(await client.wait('v_1')).toMatchObject({ ok: true, value: { status: 'verified' } })
    expect(calls.map(({ url }) => new URL(url).search)).toEqual([
      '',
      '?wait=25&after_version=1',
      '?wait=25&after_version=2',
    ])
  })

  it('returns the pending verification at the timeout', async () => {
    const { client, calls } = serviceOf(session('pending', 1))
    expect(await client.wait('v_1', { timeoutMs: 0 })).toMatchObject({
      ok: true,
      value: { status: 'pending' },
    })
    expect(calls).toHaveLength(1)
  })

  it('stops at once if the caller aborts', async () => {
    const { client } = serviceOf(new DOMException('aborted', 'AbortError'))
    const waited = await client.wait('v_1', { signal: AbortSignal.abort() })
    expect(waited).toMatchObject({ ok: false, error: { code: 'unreachable' } })
  })
})

it('the client returns a receipt as text, or the problem if the service refuses the receipt', async () => {
  const headers = { 'Content-Type': 'application/verification-receipt+jwt' }
  const { client, calls } = serviceOf(
    new Response('a.b.c', { headers }),
    problem(409, 'verification_pending', { retryable: true }),
    new Response('<p>Log in</p>', { headers: { 'Content-Type': 'text/html' } }),
  )
  expect(await client.receipt('v_1')).toEqual({ ok: true, value: 'a.b.c' })
  expect(calls[0]?.url).toBe('https://verifier.example/v1/verify/v_1/receipt')
  expect(calls[0]?.headers.get('Accept')).toMatch('application/verification-receipt+jwt')
  expect(await client.receipt('v_1')).toMatchObject({ ok: false, error: { code: 'verification_pending' } })
  expect(await client.receipt('v_1')).toMatchObject({ ok: false, error: { code: 'unexpected_answer' } })
})

const redirect_uris = ['https://client.example/callback']
const policies = [{ name: 'adult', credential_types: ['age_attestation'], scope: ['age_over_18'] }]
const registration = { name: 'Shop', redirect_uris, policies }

const range = { from: '2026-11-22T10:00:00Z', to: '2026-11-22T11:00:00Z' }

it.each<[string, (client: Client) => Promise<unknown>, string, string, object | null]>([
  ['settings', (client) => client.settings(), 'GET', '/v1/relying_party', null],
  [
    'changeSettings',
    (client) => client.changeSettings({ by_value: true }),
    'PATCH',
    '/v1/relying_party',
    { by_value: true },
  ],
  ['testWebhook', (client) => client.testWebhook(), 'POST', '/v1/webhook/test', null],
  ['enableWebhook', (client) => client.enableWebhook(), 'POST', '/v1/webhook/enable', null],
  ['deliveries', (client) => client.deliveries('v_1'), 'GET', '/v1/verify/v_1/deliveries', null],
  [
    'redeliver',
    (client) => client.redeliver('v_1', 'd_1'),
    'POST',
    '/v1/verify/v_1/deliveries/d_1/redeliver',
    null,
  ],
  ['redeliverRange', (client) => client.redeliverRange(range), 'POST', '/v1/webhook/redeliver', range],
  [
    'outcome',
    (client) => client.outcome('v_1', { reason: 'untrusted_issuer' }),
    'POST',
    '/v1/test/verify/v_1/outcome',
    { reason: 'untrusted_issuer' },
  ],
  [
    'dcApiRequest',
    (client) => client.dcApiRequest('v_1', { origin: 'https://shop.example' }),
    'POST',
    '/v1/verify/v_1/dc-api/request',
    { origin: 'https://shop.example' },
  ],
  [
    'dcApiResponse',
    (client) => client.dcApiResponse('v_1', { protocol: 'openid4vp-v1-signed', data: {} }),
    'POST',
    '/v1/verify/v_1/dc-api',
    { protocol: 'openid4vp-v1-signed', data: {} },
  ],
  ['oidcClients', (client) => client.oidcClients(), 'GET', '/v1/oidc_clients', null],
  [
    'createOidcClient',
    (client) => client.createOidcClient(registration),
    'POST',
    '/v1/oidc_clients',
    registration,
  ],
  ['oidcClient', (client) => client.oidcClient('oc_1'), 'GET', '/v1/oidc_clients/oc_1', null],
  [
    'changeOidcClient',
    (client) => client.changeOidcClient('oc_1', { name: 'Store' }),
    'PATCH',
    '/v1/oidc_clients/oc_1',
    { name: 'Store' },
  ],
  [
    'rotateOidcSecret',
    (client) => client.rotateOidcSecret('oc_1'),
    'POST',
    '/v1/oidc_clients/oc_1/rotate_secret',
    null,
  ],
  ['list', (client) => client.list(), 'GET', '/v1/verify?', null],
  [
    'list with filters',
    (client) =>
      client.list({
        status: ['rejected', 'expired'],
        created_after: '2027-01-31T12:00:00+01:00',
        webhook_state: 'dead',
        metadata: { 'order id': '47&11' },
        limit: 2,
        after: 'c',
      }),
    'GET',
    '/v1/verify?status=rejected&status=expired&metadata.order+id=47%2611&created_after=2027-01-31T12%3A00%3A00%2B01%3A00&webhook_state=dead&limit=2&after=c',
    null,
  ],
  ['timeline', (client) => client.timeline('v_1'), 'GET', '/v1/verify/v_1/timeline', null],
  [
    'insights',
    (client) => client.insights({ ...range, step: 'hour' }),
    'GET',
    '/v1/insights?from=2026-11-22T10%3A00%3A00Z&to=2026-11-22T11%3A00%3A00Z&step=hour',
    null,
  ],
  ['wallets', (client) => client.wallets(), 'GET', '/v1/wallets', null],
  ['events', (client) => client.events({ limit: 2 }), 'GET', '/v1/events?limit=2', null],
  ['events after', (client) => client.events({ after: 'c' }), 'GET', '/v1/events?after=c&limit=50', null],
])('the method %s calls its documented route', async (_, send, method, path, body) => {
  const { client, calls } = serviceOf(Response.json({}))
  expect(await send(client)).toEqual({ ok: true, value: {} })
  expect(calls).toMatchObject([{ method, url: `https://verifier.example${path}` }])
  expect(JSON.parse(calls[0]?.body ?? 'null')).toEqual(body)
})

it.each<[string, (client: Client) => Promise<unknown>]>([
  ['createOidcClient', (client) => client.createOidcClient(registration)],
  ['rotateOidcSecret', (client) => client.rotateOidcSecret('oc_1')],
])('the client does not repeat %s after a lost response: each call makes a new secret', async (_, send) => {
  const { client, calls } = serviceOf(new TypeError('connection reset'))
  expect(await send(client)).toMatchObject({ ok: false, error: { code: 'unreachable' } })
  expect(calls).toHaveLength(1)
})

it('an id is always escaped to one path segment', async () => {
  const { client, calls } = serviceOf(session('pending', 1))
  await client.get('../events?x=')
  expect(calls[0]?.url).toBe('https://verifier.example/v1/verify/..%2Fevents%3Fx%3D')
})
