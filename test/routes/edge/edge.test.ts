import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { PROBLEMS, type ProblemCode, problem } from '../../../src/routes/edge/problems.ts'
import { ADMIN, call, edgeApp, json } from './edge-app.ts'

const effects: string[] = []

const service = createApp()
const app = edgeApp((routes) => {
  routes.get('/test/effect', (c) => {
    effects.push(c.req.method)
    return c.text('done')
  })
  routes.get('/test/page', (c) => c.html('', 200, { 'Content-Security-Policy': "script-src 'self'" }))
  routes.put('/test/effect', (c) => c.text('put'))
  routes.get('/test/problem/:code', (c) => problem(c, c.req.param('code') as ProblemCode))
  routes.get('/test/socket', () => {
    const { 0: client, 1: server } = new WebSocketPair()
    server.accept()
    return new Response(null, { status: 101, webSocket: client })
  })
  routes.get('/test/throw/:kind', (c) => {
    throw faults[c.req.param('kind') as keyof typeof faults]
  })
})

const faults = {
  programmer: new TypeError('secret CANARY\n    at CANARY (CANARY.js:1:1)'),
  retryable: Object.assign(new Error('Network connection lost.'), { retryable: true, remote: true }),
  overloaded: Object.assign(new Error('Durable Object is overloaded.'), { overloaded: true }),
  reset: Object.assign(new Error('Durable Object reset because its code was updated.'), {
    durableObjectReset: true,
  }),
  platform: new Error('internal error; reference = abc123'),
  remote: Object.assign(new Error('our own code inside an object'), { remote: true }),
}

beforeEach(() => {
  effects.length = 0
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('every response', () => {
  it('has a new request id instead of the id that the caller sent, and a problem contains this new id', async () => {
    const ids = new Set<string>()
    for (const path of ['/healthz', '/nowhere', '/test/throw/programmer', '/v1/admin/relying_parties']) {
      vi.spyOn(console, 'error').mockImplementation(() => undefined)
      const response = await call(app, 'GET', path, { headers: { 'X-Request-Id': 'mine' } })
      const id = response.headers.get('X-Request-Id') ?? ''
      expect(id).toMatch(/^req_[A-Za-z0-9_-]{22}$/)
      ids.add(id)
      if (response.status >= 400) expect((await json(response)).request_id).toBe(id)
    }
    expect(ids.size).toBe(4)
  })

  it('has X-Content-Type-Options, and Strict-Transport-Security only if the service uses https', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const http = { ...env, BASE_URL: 'http://localhost:8787' }
    const broken = { ...env, BASE_URL: undefined } as unknown as typeof env
    for (const path of ['/healthz', '/nowhere', '/test/throw/programmer', '/test/effect']) {
      const rulesOf = async (world: typeof env) => {
        const { headers } = await call(app, 'GET', path, { env: world })
        return [headers.get('X-Content-Type-Options'), headers.get('Strict-Transport-Security')]
      }
      expect(await rulesOf(env), path).toEqual(['nosniff', 'max-age=31536000'])
      expect(await rulesOf(http), path).toEqual(['nosniff', null])
      expect(await rulesOf(broken), path).toEqual(['nosniff', null])
    }
  })

  it('has a CSP that allows no content and no frames, unless the response has its own CSP', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const policyOf = async (path: string) =>
      (await call(app, 'GET', path)).headers.get('Content-Security-Policy')
    for (const path of ['/healthz', '/nowhere', '/test/throw/programmer', '/test/effect']) {
      expect(await policyOf(path), path).toBe("default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
    }
    expect(await policyOf('/test/page')).toBe("script-src 'self'")
  })

  it('every response that opens a WebSocket has a request id and keeps its WebSocket', async () => {
    const response = await call(app, 'GET', '/test/socket')
    expect(response.status).toBe(101)
    expect(response.webSocket).not.toBeNull()
    expect(response.headers.get('X-Request-Id')).toMatch(/^req_/)
  })
})

describe('a problem', () => {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]

  it.each(codes)('%s has the members of RFC 9457, and its type is the address of a page', async (code) => {
    const response = await call(app, 'GET', `/test/problem/${code}`)
    expect(response.status).toBe(PROBLEMS[code].status)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const body = await json(response)
    expect(body).toEqual({
      type: `https://verifier.example/problems/${code}`,
      title: PROBLEMS[code].title,
      status: PROBLEMS[code].status,
      detail: PROBLEMS[code].title,
      code,
      request_id: expect.stringMatching(/^req_/),
      retryable: PROBLEMS[code].retryable,
      errors: [],
    })
    const page = await call(service, 'GET', new URL(body.type).pathname)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain(code)
  })

  it.each(codes)('%s has Retry-After and WWW-Authenticate if they are required', async (code) => {
    const { status, headers } = await call(app, 'GET', `/test/problem/${code}`)
    expect(headers.has('Retry-After')).toBe(status === 429 || status === 503)
    expect(headers.has('WWW-Authenticate')).toBe(status === 401 || code === 'insufficient_scope')
  })
})

describe('a HEAD request', () => {
  it('gets 405 and does not run the handler if GET has an effect', async () => {
    const response = await call(app, 'HEAD', '/test/effect')
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe('GET, PUT')
    expect(effects).toEqual([])
  })

  it('works if GET has no effect', async () => {
    const response = await call(app, 'HEAD', '/healthz')
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
  })

  it('gets 404 for an unknown path', async () => {
    expect((await call(app, 'HEAD', '/nowhere')).status).toBe(404)
  })
})

describe('a request to an address', () => {
  it('a request to an address that does not exist gets 404', async () => {
    for (const path of ['/', '/nowhere', '/v1', '/healthz/', '/test/effect/more']) {
      const response = await call(app, 'GET', path)
      expect([response.status, (await json(response)).code]).toEqual([404, 'not_found'])
    }
  })

  it('a request to an address with a wrong method gets 405, and Allow lists the methods of the address', async () => {
    const response = await call(app, 'DELETE', '/test/effect')
    expect(response.headers.get('Allow')).toBe('GET, PUT')
    expect([response.status, (await json(response)).code]).toEqual([405, 'method_not_allowed'])
    const admin = await call(app, 'PUT', `/v1/admin/relying_parties/rp_x`, { headers: ADMIN })
    expect(admin.headers.get('Allow')).toBe('GET, PATCH, DELETE')
  })
})

describe('an error that a handler throws', () => {
  it.each([
    ['programmer', 500, 'internal_error'],
    ['remote', 500, 'internal_error'],
    ['retryable', 503, 'temporarily_unavailable'],
    ['overloaded', 503, 'temporarily_unavailable'],
    ['reset', 503, 'temporarily_unavailable'],
    ['platform', 503, 'temporarily_unavailable'],
  ])('an error of the kind %s that a handler throws gets %i %s', async (kind, status, code) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const response = await call(app, 'GET', `/test/throw/${kind}`)
    expect([response.status, (await json(response)).code]).toEqual([status, code])
  })

  it('is logged once with its request id, without its message, because the message may contain parts of the request', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const response = await call(app, 'GET', '/test/throw/programmer')
    expect(log).toHaveBeenCalledTimes(1)
    const line = String(log.mock.calls[0]?.[0])
    expect(JSON.parse(line)).toMatchObject({
      error: 'TypeError',
      request_id: response.headers.get('X-Request-Id'),
    })
    expect(line).not.toContain('CANARY')
    expect(await response.text()).not.toContain('CANARY')
  })

  it('is logged with its message if the platform raised it, because this message helps to find the cause', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    await call(app, 'GET', '/test/throw/platform')
    expect(JSON.parse(String(log.mock.calls[0]?.[0]))).toMatchObject({
      event: 'fault',
      error: 'Error',
      message: 'internal error; reference = abc123',
      unreachable: true,
    })
  })

  it('an error in the configuration gives a 500 problem on the routes that need the configuration', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const broken = { ...env, SERVER_SECRET: 'short' }
    const response = await call(app, 'GET', '/readyz', { env: broken })
    expect([response.status, (await json(response)).type]).toEqual([500, 'about:blank'])
    expect((await call(app, 'GET', '/healthz', { env: broken })).status).toBe(200)
  })
})
