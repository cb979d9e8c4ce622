import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFetchResource, type FetchResource } from '../../src/net/guarded-fetch.ts'
import {
  endlessResponse,
  type Receiver,
  type ScriptedResponse,
  startReceiver,
} from '../support/service/receiver.ts'

const LOCAL = { allowLoopback: true, ownHost: '127.0.0.1:1', timeoutMs: 5000 }

let server: Receiver
beforeEach(async () => {
  server = await startReceiver()
})
afterEach(() => server.close())

const guarded = (timeoutMs = LOCAL.timeoutMs): FetchResource =>
  createFetchResource({ ...LOCAL, fetch, timeoutMs })

function get(answer: ScriptedResponse, limit = 1000, timeoutMs?: number) {
  server.answer(answer)
  return guarded(timeoutMs)({ url: server.url, accept: 'application/json', limit })
}

describe('a guarded GET', () => {
  it('returns the body and its content type, and sends `Accept`', async () => {
    const got = await get({ headers: { 'content-type': 'application/json; charset=utf-8' }, body: '{"a":1}' })
    expect(got.ok && Buffer.from(got.value.body).toString()).toBe('{"a":1}')
    expect(got.ok && got.value.contentType).toBe('application/json; charset=utf-8')
    expect(server.requests[0]).toMatchObject({ method: 'GET', headers: { accept: 'application/json' } })
  })

  it('returns an empty content type and an empty body if the response has none', async () => {
    expect(await get({})).toEqual({ ok: true, value: { body: new Uint8Array(), contentType: '' } })
  })

  it('returns a body that is exactly as long as the limit, and rejects a body that is one byte longer', async () => {
    const body = Buffer.alloc(20_000, 'x')
    const whole = await get({ body }, 20_000)
    expect(whole.ok && Buffer.from(whole.value.body).equals(body)).toBe(true)
    expect(await get({ body }, 19_999)).toEqual({ ok: false, error: 'too_large' })
  })

  it('stops reading an endless body at the limit', async () => {
    const { response, read } = endlessResponse()
    const fetchResource = createFetchResource({ ...LOCAL, fetch: async () => response })
    const request = { url: server.url, accept: '*/*', limit: 10 * 1024 }
    expect(await fetchResource(request)).toEqual({ ok: false, error: 'too_large' })
    expect(read()).toEqual({ bytes: 10 * 1024 + 256, canceled: true })
  })

  it('applies the limit to the decompressed bytes of a body', async () => {
    const body = gzipSync(new Uint8Array(50_000_000))
    expect(await get({ headers: { 'content-encoding': 'gzip' }, body }, 100_000)).toEqual({
      ok: false,
      error: 'too_large',
    })
  })

  it.each([201, 204, 206, 301, 302, 304, 307, 400, 404, 500, 503])(
    'treats the HTTP status %i as unavailable',
    async (status) => {
      const answer = { status, headers: { location: `${server.url}/elsewhere` } }
      expect(await get(answer)).toEqual({ ok: false, error: 'unavailable' })
      expect(server.requests).toHaveLength(1)
    },
  )

  it.each([
    ['a server that never answers', { act: 'hang' }],
    ['a body that never ends', { act: 'stall' }],
    ['a connection reset', { act: 'reset' }],
    ['a body that cannot be unpacked', { headers: { 'content-encoding': 'gzip' }, body: 'not gzip' }],
  ] as const)('treats %s as unavailable', async (_, answer) => {
    expect(await get(answer, 1000, 100)).toEqual({ ok: false, error: 'unavailable' })
  })

  it('treats a refused connection as unavailable', async () => {
    await server.close()
    expect(await get({})).toEqual({ ok: false, error: 'unavailable' })
  })
})

describe('the guarded fetch', () => {
  it('fetches an http address only for a request with allowHttp, and never follows a redirect', async () => {
    const sent: (readonly [string, RequestInit['redirect']])[] = []
    const fetch = async (to: string, { redirect }: RequestInit) => {
      sent.push([to, redirect])
      return new Response('', { status: 302, headers: { location: 'http://127.0.0.1/' } })
    }
    const fetchResource = createFetchResource({ ...LOCAL, fetch })
    const request = { url: 'http://crl.acme.com/1.crl', accept: '*/*', limit: 10 }
    expect(await fetchResource({ ...request, allowHttp: true })).toEqual({ ok: false, error: 'unavailable' })
    expect(await fetchResource(request)).toEqual({ ok: false, error: 'forbidden' })
    expect(sent).toEqual([[request.url, 'manual']])
  })

  it.each([
    'http://acme.com/',
    'https://169.254.169.254/latest/meta-data/',
    'https://issuer.internal/.well-known/jwt-vc-issuer',
    'https://user@acme.com/',
    'http://localhost:1/',
    'not a URL',
  ])('rejects %s without sending anything', async (url) => {
    const sent: string[] = []
    const fetch = async (to: string) => {
      sent.push(to)
      return new Response('')
    }
    const fetchResource = createFetchResource({ ...LOCAL, fetch })
    expect(await fetchResource({ url, accept: '*/*', limit: 10 })).toEqual({ ok: false, error: 'forbidden' })
    expect(sent).toEqual([])
  })
})
