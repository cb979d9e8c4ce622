// One request to the time-stamping authority: what it sends, and the answers that it does not use. The checks
// of the token are in test/slow/evidence/time-stamp.test.ts.

import { describe, expect, it } from 'vitest'
import { requestTimeStamp } from '../../src/evidence/time-stamp/request-time-stamp.ts'
import { checkTimeStampReply } from '../../src/evidence/time-stamp/time-stamp.ts'
import { createPost } from '../../src/net/post-form.ts'
import { makeAuthority } from './authority.ts'

const AUTHORITY = makeAuthority({ key: 'ec' })
const DIGEST = new Uint8Array(32).fill(7)
const REPLY_TYPE = 'application/timestamp-reply'
const RULE = { allowLoopback: false, ownHost: 'verifier.example' }
const TARGET = { url: 'https://tsa.example.com/', authorities: AUTHORITY.root, authorization: 'Basic eA==' }

type Answer = (query: Uint8Array<ArrayBuffer>, signal: AbortSignal) => Response | Promise<Response>

type Check = Parameters<typeof requestTimeStamp>[2]['check']

const goodReply = (query: Uint8Array<ArrayBuffer>) =>
  new Response(AUTHORITY.reply(query), { headers: { 'content-type': `${REPLY_TYPE}; charset=binary` } })

async function resultOf(answer: Answer, target: object = {}, check: Check = checkTimeStampReply) {
  const sent: { url: string; init: RequestInit }[] = []
  const fetch = async (url: string, init: RequestInit) => {
    sent.push({ url, init })
    return answer(init.body as Uint8Array<ArrayBuffer>, init.signal as AbortSignal)
  }
  const post = createPost({ ...RULE, fetch, timeoutMs: 1_000 })
  const random = crypto.getRandomValues(new Uint8Array(8))
  const means = { post, random, clock: Date.now, check }
  const result = await requestTimeStamp(DIGEST, { ...TARGET, ...target }, means)
  return { result: result.ok ? 'accepted' : result.error, sent }
}

describe('a request for a time stamp', () => {
  it('posts 69 bytes, follows no redirect, and accepts a correct response', async () => {
    const { result, sent } = await resultOf(goodReply)
    expect(result).toBe('accepted')
    expect(sent).toMatchObject([{ url: TARGET.url, init: { method: 'POST', redirect: 'manual' } }])
    expect(sent[0]?.init.body).toHaveLength(69)
    expect(sent[0]?.init.headers).toMatchObject({
      'content-type': 'application/timestamp-query',
      authorization: 'Basic eA==',
    })
  })

  it('has the result unavailable if the reply could not be checked', async () => {
    expect((await resultOf(goodReply, {}, async () => undefined)).result).toBe('unavailable')
  })

  const of = (query: Uint8Array<ArrayBuffer>, more: ResponseInit) => {
    const { status = 200, headers = { 'content-type': REPLY_TYPE } } = more
    return new Response(AUTHORITY.reply(query), { status, headers })
  }
  it.each<readonly [string, Answer, string]>([
    ['the status 201', (query) => of(query, { status: 201 }), 'wrong_response'],
    ['a redirect', (query) => of(query, { status: 307 }), 'wrong_response'],
    [
      'the media type text/html',
      (query) => of(query, { headers: { 'content-type': 'text/html' } }),
      'wrong_response',
    ],
    ['no media type', (query) => of(query, { headers: {} }), 'wrong_response'],
    [
      'more than 64 KiB',
      (query) =>
        new Response(new Uint8Array([...AUTHORITY.reply(query), ...new Uint8Array(65_536)]), {
          headers: { 'content-type': REPLY_TYPE },
        }),
      'too_large',
    ],
    ['no connection', () => Promise.reject(new TypeError('refused')), 'unavailable'],
    [
      'the answer to another query',
      (query) => {
        const other = query.slice()
        other[40] = (other[40] ?? 0) ^ 1
        return goodReply(other)
      },
      'wrong_digest',
    ],
    [
      'the answer to another nonce',
      (query) => {
        const other = query.slice()
        other[65] = (other[65] ?? 0) ^ 1
        return goodReply(other)
      },
      'wrong_nonce',
    ],
  ])('fails because of %s', async (_, answer, expected) => {
    expect((await resultOf(answer)).result).toBe(expected)
  })

  it('sends nothing to a forbidden address', async () => {
    const { result, sent } = await resultOf(goodReply, { url: 'https://169.254.169.254/' })
    expect(result).toBe('forbidden')
    expect(sent).toEqual([])
  })

  it('fails after its time limit if the response does not end', async () => {
    const { result } = await resultOf((_, signal) => {
      const fail = (controller: ReadableStreamDefaultController) =>
        signal.addEventListener('abort', () => controller.error(signal.reason))
      return new Response(new ReadableStream({ start: fail }), { headers: { 'content-type': REPLY_TYPE } })
    })
    expect(result).toBe('unavailable')
  })
})
