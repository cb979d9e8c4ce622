import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readCounts } from '../../../src/metrics/record.ts'
import { createApp } from '../../../src/routes/app.ts'
import { ADMIN, call, createRelyingParty, json } from './edge-app.ts'

const app = createApp()

afterEach(() => {
  vi.restoreAllMocks()
})

/** Returns the response to a request, and the lines that were logged meanwhile. */
async function logged(method: string, path: string, options: Parameters<typeof call>[3] = {}) {
  const lines: unknown[] = []
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, level).mockImplementation((line) => lines.push(line))
  }
  const response = await call(app, method, path, options)
  return { lines, response }
}

it.each([
  ['POST', '/r/x', '/r/:capability', 'wallet'],
  ['POST', '/v1/verify/v_x/callback', '/v1/verify/:id/callback', 'wallet'],
  ['POST', '/v1/admin/trust_lists', '/v1/admin/trust_lists', 'operator'],
  ['GET', '/metrics', '/metrics', 'operator'],
  ['GET', '/v1/verify/v_x', '/v1/verify/:id', 'api'],
  ['GET', '/v1/verify/v_x?wait=1', '/v1/verify/:id', 'waiting'],
  ['POST', '/oauth/token', '/oauth/token', 'api'],
  ['GET', '/s/v_x', '/s/:id', 'public'],
  ['GET', '/s/v_x?wait=1', '/s/:id', 'public'],
  ['GET', '/nowhere', '/*', 'public'],
])('%s %s is counted under its route and its kind of caller', async (method, path, route, audience) => {
  const countOf = (status: number) => {
    const values = [audience, method, route, String(status)].join()
    return [...readCounts('requests').counters.values()].find((counter) => counter.values.join() === values)
      ?.count
  }
  const { response } = await logged(method, path)
  const once = countOf(response.status)
  await logged(method, path)
  expect(once).toBeGreaterThan(0)
  expect(countOf(response.status)).toBe(Number(once) + 1)
})

describe('a request', () => {
  it.each([
    ['GET', '/v1/verify/v_CANARY?token=CANARY', '/v1/verify/:id', 401],
    ['GET', '/v1/verify/v_CANARY/qr?token=vt_CANARY&size=CANARY', '/v1/verify/:id/qr', 401],
    ['GET', '/s/v_CANARY?token=CANARY', '/s/:id', 404],
    ['GET', '/r/CANARY', '/r/:capability', 404],
    ['POST', '/v1/verify/v_CANARY/callback', '/v1/verify/:id/callback', 404],
    ['DELETE', '/v1/admin/relying_parties/rp_CANARY', '/v1/admin/relying_parties/:rp', 404],
    ['GET', '/r/CANARY/CANARY', '/r/*', 404],
    ['GET', '/CANARY/../CANARY?CANARY', '/*', 404],
    ['HEAD', '/v1/verify/v_CANARY', '/v1/verify/:id', 405],
  ])(
    'has one line in the log with its route and no part of its address: %s %s',
    async (method, path, route, status) => {
      const headers = path.startsWith('/v1/admin') ? ADMIN : {}
      const { lines, response } = await logged(method, path, { headers })
      expect(response.status).toBe(status)
      expect(lines).toEqual([expect.any(String)])
      expect(lines[0]).not.toContain('CANARY')
      expect(JSON.parse(String(lines[0]))).toEqual({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: 'info',
        event: 'request',
        request_id: response.headers.get('X-Request-Id'),
        trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        method,
        route,
        status,
        ms: expect.any(Number),
      })
    },
  )

  it.each(['an API key', 'an access token'])(
    'a request with %s has log lines with the key id and the relying party, but without a secret',
    async (kind) => {
      const { api_key, api_keys, relying_party_id } = await createRelyingParty()
      const body = `grant_type=client_credentials&client_id=${relying_party_id}&client_secret=${api_key}`
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const { lines, response } = await logged('POST', '/oauth/token', { headers: form, body })
      const { access_token } = await json(response)
      const token = kind === 'an API key' ? api_key : access_token
      lines.push(
        ...(await logged('GET', '/v1/verify', { headers: { Authorization: `Bearer ${token}` } })).lines,
      )
      const requests = lines
        .map((line) => JSON.parse(String(line)))
        .filter(({ event }) => event === 'request')
      expect(requests).toHaveLength(2)
      const { key_id } = api_keys[0]
      for (const line of requests) expect(line).toMatchObject({ status: 200, relying_party_id, key_id })
      for (const secret of [api_key.split('.')[2], access_token]) expect(lines.join()).not.toContain(secret)
    },
  )

  it('a request whose token is not accepted has no key id in its log line', async () => {
    const { api_key, api_keys } = await createRelyingParty()
    const headers = { Authorization: `Bearer ${api_key.slice(0, -1)}${api_key.endsWith('A') ? 'E' : 'A'}` }
    const { lines, response } = await logged('GET', '/v1/verify', { headers })
    expect(response.status).toBe(401)
    expect(lines.join()).not.toContain(api_keys[0].key_id)
  })

  it('belongs to the trace of its caller, or to a new trace if any character of traceparent is invalid', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const traceIdFor = async (traceparent: string) => {
      const { lines } = await logged('GET', '/nowhere', { headers: { traceparent } })
      return JSON.parse(String(lines[0])).trace_id
    }
    expect(await traceIdFor(`00-${trace}-00f067aa0ba902b7-01`)).toBe(trace)
    const others = [await traceIdFor(`00-${trace}-00f067aa0ba902b7-01-CANARY`), await traceIdFor('')]
    expect(new Set([trace, ...others]).size).toBe(3)
  })

  it('has only visible ASCII characters in its lines, whatever its caller sends', async () => {
    const hostile = '\u009b31m \u009d0;x \u00a0'
    const escaped = '%C2%9B31m%E2%80%AE%0A%1B'
    const headers = { ...ADMIN, Operator: hostile, 'User-Agent': hostile, traceparent: hostile }
    const lines = [
      ...(await logged('GET', `/${escaped}/x?${escaped}=${escaped}`, { headers })).lines,
      ...(await logged('GET', `/v1/verify/${escaped}`, { headers: { Authorization: hostile } })).lines,
      ...(await logged('POST', '/v1/admin/relying_parties', { headers, body: { name: 'Shop' } })).lines,
    ].map(String)
    expect(lines.map((line) => JSON.parse(line).event)).toEqual([
      'request',
      'request',
      'operator_change',
      'request',
    ])
    for (const line of lines) expect(line).toMatch(/^[ -~]+$/)
  })

  it('a request that is a successful probe has no line in the log', async () => {
    expect((await logged('GET', '/healthz')).lines).toEqual([])
    expect((await logged('GET', '/readyz')).lines).toEqual([])
  })

  it('a request that is a successful poll has no line in the log', async () => {
    const { api_key } = await createRelyingParty()
    const headers = { Authorization: `Bearer ${api_key}` }
    const body = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
    const created = await logged('POST', '/v1/verify', { headers, body })
    expect(created.lines).toHaveLength(1)
    const { verification_id } = await json(created.response)
    const { lines, response } = await logged('GET', `/v1/verify/${verification_id}`, { headers })
    expect(response.status).toBe(200)
    expect(lines).toEqual([])
  })

  it('a request that is a failed probe has a line in the log', async () => {
    const { lines, response } = await logged('POST', '/healthz')
    expect(response.status).toBe(405)
    expect(lines).toHaveLength(1)
  })
})

describe('with LOG_REQUESTS=problems, a request', () => {
  const quiet: typeof env = { ...env, LOG_REQUESTS: 'problems' }

  it('with LOG_REQUESTS=problems, a request that succeeds has no line in the log, but is counted', async () => {
    const { api_key } = await createRelyingParty()
    const headers = { Authorization: `Bearer ${api_key}` }
    const countOf = () => {
      const counters = [...readCounts('requests').counters.values()]
      return counters.find(({ values }) => values.join() === 'api,GET,/v1/events,200')?.count ?? 0
    }
    const before = countOf()
    const { lines, response } = await logged('GET', '/v1/events', { headers, env: quiet })
    expect(response.status).toBe(200)
    expect(lines).toEqual([])
    expect(countOf()).toBe(before + 1)
  })

  it('with LOG_REQUESTS=problems, a request that fails has a line in the log', async () => {
    const { lines } = await logged('GET', '/v1/events', { env: quiet })
    expect(lines.map((line) => JSON.parse(String(line)))).toMatchObject([{ event: 'request', status: 401 }])
  })

  it('with LOG_REQUESTS=problems, a request that causes an internal error has the line of the error and its own line', async () => {
    const fetch = () => Promise.reject(new Error('CANARY'))
    const broken: typeof env = { ...quiet, ASSETS: { ...env.ASSETS, fetch } }
    const { lines } = await logged('GET', '/openapi.json', { env: broken })
    const events = lines.map((line) => JSON.parse(String(line)))
    expect(events).toMatchObject([{ event: 'fault' }, { event: 'request', status: 500 }])
  })

  it('with LOG_REQUESTS=problems, a request of the operator that changes something has the line operator_change', async () => {
    const { lines } = await logged('POST', '/v1/admin/relying_parties', {
      headers: ADMIN,
      body: { name: 'Shop' },
      env: quiet,
    })
    expect(lines.map((line) => JSON.parse(String(line)))).toMatchObject([{ event: 'operator_change' }])
  })
})
