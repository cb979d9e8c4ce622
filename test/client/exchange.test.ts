// Responses that do not come from the service, lost responses and late responses, from a real HTTP server.
// Only the status decides about a retry.

import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Client, createClient } from '@wallet-verifier/client'
import { afterEach, describe, expect, it } from 'vitest'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

type Reply = (response: ServerResponse) => void

/** Starts a server with one reply for each request; the last one stays. Returns a client of it. */
async function serviceOf(replies: readonly Reply[], { timeoutMs = 10_000 } = {}) {
  const requests: string[] = []
  const listener: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    request.resume().on('end', () => replies[Math.min(requests.length, replies.length) - 1]?.(response))
  }
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { requests, client: createClient({ baseUrl, token: 'wv_test_x', timeoutMs }) }
}

/** `Retry-After: 0` keeps the tests short. */
const send =
  (status: number, body: string, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(status, { 'Retry-After': '0', ...headers }).end(body)

const HTML = '<!doctype html><title>Please log in</title>'
const html = (status: number) => send(status, HTML, { 'Content-Type': 'text/html' })
const found = send(200, '{"status":"pending"}', { 'Content-Type': 'application/json' })
const reset: Reply = (response) => response.socket?.resetAndDestroy()
/** Promises more bytes than it sends. */
const truncated: Reply = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' })
  response.write('{"status":', () => response.destroy())
}
const silent: Reply = () => undefined
const slowBody: Reply = (response) => response.writeHead(200).write('{"status":')

describe('a response that does not come from the service', () => {
  it.each<[string, Reply, number, number]>([
    ['HTML with 200, as from a captive portal', html(200), 200, 1],
    ['HTML with 403, as from a proxy', html(403), 403, 1],
    ['HTML at 404', html(404), 404, 1],
    ['HTML at 502', html(502), 502, 4],
    ['HTML at 504', html(504), 504, 4],
    ['HTML at 429', html(429), 429, 4],
    ['no body with 200', send(200, ''), 200, 1],
    ['no body with 503', send(503, ''), 503, 4],
    ['half of an object', send(200, '{"status":'), 200, 1],
    ['a list', send(200, '[]'), 200, 1],
    ['null', send(200, 'null'), 200, 1],
    ['a redirect', send(302, '', { Location: 'https://elsewhere.example/' }), 302, 1],
    ['JSON of a proxy with 400', send(400, '{"code":1,"message":"blocked"}'), 400, 1],
    ['JSON of a proxy with 503', send(503, '{"error":"no backend"}'), 503, 4],
  ])(
    'gives the error unexpected_answer with the HTTP status of the response: %s',
    async (_, reply, status, calls) => {
      const { client, requests } = await serviceOf([reply])
      const error = { code: 'unexpected_answer', status, detail: null, retryable: calls > 1 }
      expect(await client.get('v_1')).toMatchObject({ ok: false, error })
      expect(requests).toHaveLength(calls)
    },
  )

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['an erasure', (client) => client.erase('v_1')],
    ['a receipt', (client) => client.receipt('v_1')],
    ['a creation', (client) => client.create({})],
  ])('is not reported as success of %s', async (_, call) => {
    const { client } = await serviceOf([html(200)])
    expect(await call(client)).toMatchObject({ ok: false, error: { code: 'unexpected_answer', status: 200 } })
  })

  it('with status 502 causes a retry, and the client returns the response of the service', async () => {
    const { client, requests } = await serviceOf([html(502), found])
    expect(await client.get('v_1')).toMatchObject({ ok: true, value: { status: 'pending' } })
    expect(requests).toEqual(['GET /v1/verify/v_1', 'GET /v1/verify/v_1'])
  })
})

describe('a retry', () => {
  const problem = (status: number, retryable: boolean) =>
    send(status, JSON.stringify({ code: 'a_code', title: 'A title', detail: 'A detail', retryable }))

  it.each<[number, boolean, number]>([
    [409, true, 1],
    [422, true, 1],
    [429, false, 4],
    [500, false, 4],
    [501, true, 1],
    [503, false, 4],
  ])(
    'depends only on the HTTP status %i, and not on `retryable: %s` in the body',
    async (status, retryable, calls) => {
      const { client, requests } = await serviceOf([problem(status, retryable)])
      const error = { code: 'a_code', status, title: 'A title', detail: 'A detail', retryable }
      expect(await client.get('v_1')).toMatchObject({ ok: false, error })
      expect(requests).toHaveLength(calls)
    },
  )

  it.each<[string, Reply]>([
    ['a connection reset', reset],
    ['a body cut off', truncated],
  ])('is sent after %s', async (_, reply) => {
    const { client, requests } = await serviceOf([reply, found])
    expect(await client.get('v_1')).toMatchObject({ ok: true })
    expect(requests).toHaveLength(2)
  })

  it.each<[string, Reply]>([
    ['no response', silent],
    ['a response that stops halfway', slowBody],
  ])('is sent within the time limit after %s', async (_, reply) => {
    const { client, requests } = await serviceOf([reply, found], { timeoutMs: 1500 })
    expect(await client.get('v_1')).toMatchObject({ ok: true })
    expect(requests.length).toBeGreaterThan(1)
  })

  it.each<[string, Reply, number]>([
    ['no retry after a connection reset', reset, 1],
    ['no retry after a 502', html(502), 1],
    ['three retries after a 429', html(429), 4],
  ])(
    'a retry of a call with side effects is sent only if the service surely did not perform the call: %s',
    async (_, reply, calls) => {
      const { client, requests } = await serviceOf([reply])
      expect(await client.testWebhook()).toMatchObject({ ok: false, error: { retryable: true } })
      expect(requests).toHaveLength(calls)
    },
  )

  it('is not sent if the caller aborts during the pause before it', async () => {
    const { client, requests } = await serviceOf([send(503, '', { 'Retry-After': '30' })])
    const caller = new AbortController()
    const getting = client.get('v_1', { signal: caller.signal })
    await expect.poll(() => requests.length).toBe(1)
    caller.abort()
    expect(await getting).toMatchObject({ ok: false })
    expect(requests.length).toBeLessThanOrEqual(2)
  })
})

it.each([
  ['a relative address', { baseUrl: 'verifier.example' }],
  ['a time limit that is no number', { baseUrl: 'http://127.0.0.1:9', timeoutMs: Number.NaN }],
])('the client returns an error and throws nothing for %s', async (_, connection) => {
  const client = createClient({ ...connection, token: 'x' })
  expect(await client.testWebhook()).toMatchObject({ ok: false, error: { code: 'unreachable' } })
})

it('the client returns the retryable error unreachable if the connection is reset', async () => {
  const { client } = await serviceOf([reset])
  const tested = await client.testWebhook()
  expect(tested).toMatchObject({ ok: false, error: { code: 'unreachable', status: null, retryable: true } })
})
