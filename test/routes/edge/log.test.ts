import { afterEach, describe, expect, it, vi } from 'vitest'
import { countsOf } from '../../../src/metrics/record.ts'
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
  ['GET', '/nowhere', '/*', 'public'],
])('%s %s is counted under its route and its kind of caller', async (method, path, route, audience) => {
  const countOf = (status: number) => {
    const values = [audience, method, route, String(status)].join()
    return [...countsOf('requests').counters.values()].find((counter) => counter.values.join() === values)
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

  it('is in the trace of its caller, or in a new trace if traceparent is invalid in any character', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const traceIdFor = async (traceparent: string) => {
      const { lines } = await logged('GET', '/nowhere', { headers: { traceparent } })
      return JSON.parse(String(lines[0])).trace_id
    }
    expect(await traceIdFor(`00-${trace}-00f067aa0ba902b7-01`)).toBe(trace)
    const others = [await traceIdFor(`00-${trace}-00f067aa0ba902b7-01-CANARY`), await traceIdFor('')]
    expect(new Set([trace, ...others]).size).toBe(3)
  })

  it('that is a successful probe has no line in the log', async () => {
    expect((await logged('GET', '/healthz')).lines).toEqual([])
    expect((await logged('GET', '/readyz')).lines).toEqual([])
  })

  it('that is a successful poll has no line in the log', async () => {
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

  it('that is a failed probe has a line in the log', async () => {
    const { lines, response } = await logged('POST', '/healthz')
    expect(response.status).toBe(405)
    expect(lines).toHaveLength(1)
  })
})
