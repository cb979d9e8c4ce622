import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deliver, disablesEndpoint, hasSucceeded } from '../../src/webhook/delivery.ts'
import { signatureHeaders } from '../../src/webhook/signature.ts'
import {
  checkSignature,
  endlessResponse,
  type Receiver,
  type ScriptedResponse,
  startReceiver,
} from '../support/service/receiver.ts'

const BODY = '{"event_id":"evt_1","note":"Grüße"}'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

/** A clock that moves 40 ms each time it is read. */
function steppingClock(start = 1_000_000): () => number {
  let now = start
  return () => {
    now += 40
    return now
  }
}

function attempt(answer: ScriptedResponse, timeoutMs?: number) {
  receiver.answer(answer)
  const timeout = timeoutMs === undefined ? {} : { timeoutMs }
  return deliver({
    url: receiver.url,
    body: BODY,
    headers: { 'x-a': '1' },
    fetch,
    clock: steppingClock(),
    ...timeout,
  })
}

describe('an attempt to deliver an event', () => {
  it('posts exactly the given bytes as JSON, with the given headers', async () => {
    await attempt({})
    const [request] = receiver.requests
    expect(request).toMatchObject({ method: 'POST', path: '/webhook' })
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'x-a': '1' })
    expect(request?.body.toString('utf8')).toBe(BODY)
  })

  it('arrives with a signature that the libraries of receivers accept', async () => {
    const headers = await signatureHeaders({
      body: BODY,
      secrets: [SECRET],
      eventId: 'evt_1',
      now: Date.now(),
    })
    await deliver({ url: receiver.url, body: BODY, headers, fetch, clock: Date.now })
    const accepted = { accepted: JSON.parse(BODY) }
    expect(checkSignature(receiver.requests[0]!, SECRET)).toEqual({
      standardwebhooks: accepted,
      svix: accepted,
    })
  })

  it.each([200, 201, 202, 204, 299])('succeeds with the HTTP status %i', async (status) => {
    const outcome = await attempt({ status })
    expect(outcome).toMatchObject({ status, error: null, retryAfter: null })
    expect(hasSucceeded(outcome)).toBe(true)
  })

  it.each([400, 401, 404, 410, 429, 500, 503])('fails with the HTTP status %i', async (status) => {
    const outcome = await attempt({ status })
    expect(outcome).toMatchObject({ status, error: null })
    expect(hasSucceeded(outcome)).toBe(false)
    expect(disablesEndpoint(outcome)).toBe(status === 410)
  })

  it.each([301, 302, 303, 307, 308])(
    'fails with the HTTP status %i, and does not follow the redirect',
    async (status) => {
      const outcome = await attempt({ status, headers: { location: `${receiver.url}/elsewhere` } })
      expect(outcome).toMatchObject({ status, error: 'redirect' })
      expect(hasSucceeded(outcome)).toBe(false)
      expect(receiver.requests).toHaveLength(1)
    },
  )

  it.each([
    ['30', 30_000],
    ['tomorrow', null],
  ])('returns the wait from the header Retry-After, or null if it is malformed: %s', async (field, wait) => {
    expect((await attempt({ status: 503, headers: { 'retry-after': field } })).retryAfter).toBe(wait)
  })

  it('computes the delay for a date in Retry-After from the time of the response', async () => {
    receiver.answer({ status: 503, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:20:00 GMT' } })
    const post = { url: receiver.url, body: BODY, headers: {}, fetch, clock: () => 1_000_000 }
    expect((await deliver(post)).retryAfter).toBe(200_000)
  })

  it('returns at most the first 1,024 bytes of the body, also after a failure', async () => {
    expect((await attempt({ status: 500, body: 'not today' })).excerpt).toBe('not today')
    expect((await attempt({ body: 'a'.repeat(1024) })).excerpt).toBe('a'.repeat(1024))
    expect((await attempt({ body: `${'a'.repeat(1024)}b` })).excerpt).toBe('a'.repeat(1024))
    expect(await attempt({ act: 'reset' })).not.toHaveProperty('excerpt')
  })

  it('measures its duration with the clock that the caller passes', async () => {
    expect((await attempt({})).durationMs).toBe(80)
  })

  it('has no negative duration if the clock is set back during the attempt', async () => {
    const times = [2_000_000, 1_000_000]
    const clock = () => times.shift() ?? 1_000_000
    const post = { url: receiver.url, body: BODY, headers: {}, fetch, clock }
    expect((await deliver(post)).durationMs).toBe(0)
  })
})

describe('the outcome of an attempt', () => {
  it.each([
    [200, null, true],
    [299, null, true],
    [199, null, false],
    [300, null, false],
    [null, null, false],
    [200, 'forbidden_url', false],
  ] as const)('hasSucceeded for the status %s and the error %s returns %s', (status, error, success) => {
    expect(hasSucceeded({ status, error })).toBe(success)
  })
})

describe('an attempt at a faulty receiver', () => {
  it('fails with a time-out if there is no response', async () => {
    const outcome = await attempt({ act: 'hang' }, 50)
    expect(outcome).toMatchObject({ status: null, error: 'timeout', retryAfter: null })
    expect(hasSucceeded(outcome)).toBe(false)
  })

  it('succeeds if the status arrives in time, even if the body never ends', async () => {
    expect(await attempt({ act: 'stall' }, 1000)).toMatchObject({ status: 200, error: null })
  })

  it('fails with the error “connection” if the connection is reset', async () => {
    expect(await attempt({ act: 'reset' })).toMatchObject({ status: null, error: 'connection' })
  })

  it('fails with the error “connection” if the connection is refused', async () => {
    await receiver.close()
    expect(await attempt({})).toMatchObject({ status: null, error: 'connection' })
  })

  it('reads 4 KiB of an endless body, and cancels the rest', async () => {
    const { response, read } = endlessResponse()
    const fetch = async () => response
    const post = { url: receiver.url, body: BODY, headers: {}, clock: () => 0, fetch }
    const outcome = await deliver(post)
    expect(outcome).toMatchObject({ status: 200, error: null })
    expect(read()).toEqual({ bytes: 4096, canceled: true })
    expect(outcome.excerpt).toBe('\0'.repeat(1024))
  })

  it('succeeds even if the body is large', async () => {
    expect(await attempt({ body: new Uint8Array(20_000_000) })).toMatchObject({ status: 200, error: null })
  })

  it('has the status 200 even if the small body of the response decompresses to 50 MB', async () => {
    const body = gzipSync(new Uint8Array(50_000_000))
    expect(await attempt({ headers: { 'content-encoding': 'gzip' }, body })).toMatchObject({ status: 200 })
  })

  it('has the status of the response, and no error, if the body cannot be decompressed', async () => {
    const answer = { status: 500, headers: { 'content-encoding': 'gzip' }, body: 'not gzip' }
    expect(await attempt(answer)).toMatchObject({ status: 500, error: null })
  })
})

describe('the fetch function that the caller passes', () => {
  const post = { body: BODY, headers: {}, clock: () => 0 }

  it('is called as a plain function without `this`, as platforms require', async () => {
    const callers: unknown[] = []
    const fetch = async function (this: unknown) {
      callers.push(this)
      return new Response(null, { status: 204 })
    }
    await deliver({ ...post, url: receiver.url, fetch })
    expect(callers).toEqual([undefined])
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('internal error; reference=abc'))],
    [
      'throws',
      () => {
        throw new TypeError('bad URL')
      },
    ],
  ])('may throw, and the attempt then has the error connection: the function %s', async (_, fetch) => {
    expect(await deliver({ ...post, url: receiver.url, fetch })).toMatchObject({
      status: null,
      error: 'connection',
    })
  })

  it('may respond with an endless body: 4 KiB of it are read, and the rest is canceled', async () => {
    let read = 0
    let isCanceled = false
    const source = {
      pull: (controller: ReadableStreamDefaultController) => {
        read += 1024
        controller.enqueue(new Uint8Array(1024))
      },
      cancel: () => {
        isCanceled = true
      },
    }
    const fetch = async () => new Response(new ReadableStream(source, { highWaterMark: 0 }))
    expect(await deliver({ ...post, url: receiver.url, fetch })).toMatchObject({ status: 200, error: null })
    expect([read, isCanceled]).toEqual([4096, true])
  })

  it('receives an abort signal, and the instruction not to follow redirects', async () => {
    const inits: RequestInit[] = []
    const fetch = async (_: string, init: RequestInit) => {
      inits.push(init)
      return new Response('ok')
    }
    await deliver({ ...post, url: receiver.url, fetch })
    expect(inits[0]).toMatchObject({ redirect: 'manual', signal: expect.any(AbortSignal) })
  })
})
