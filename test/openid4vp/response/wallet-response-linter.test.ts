// The linter checks every response of the wallet routes in any test. These tests check the linter: it accepts
// good input, and names the rule of each planted fault.

import { describe, expect, it } from 'vitest'
import { lintExchange } from '../../support/linters/linted-exchange.ts'
import {
  isWalletPath,
  lintWalletResponse,
  type WalletResponse,
} from '../../support/linters/wallet-response-linter.ts'

const COMMON = { 'cache-control': 'no-store', 'access-control-allow-origin': '*' }
const JSON_TYPE = { 'content-type': 'application/json' }
const REDIRECT_URI = `https://verifier.example/v1/verify/v_1/return#response_code=${'c'.repeat(43)}`

const REQUEST: WalletResponse = {
  method: 'GET',
  path: '/r/abc',
  status: 200,
  headers: new Headers({ ...COMMON, 'content-type': 'application/oauth-authz-req+jwt' }),
  body: 'e30.e30.AA',
}
const PROCESSED: WalletResponse = {
  method: 'POST',
  path: '/v1/verify/v_1/callback',
  status: 200,
  headers: new Headers({ ...COMMON, ...JSON_TYPE }),
  body: JSON.stringify({ redirect_uri: REDIRECT_URI }),
}
const REFUSED: WalletResponse = {
  ...PROCESSED,
  status: 400,
  body: JSON.stringify({ error: 'invalid_request', error_description: 'The body is not a form.' }),
}
const HEAD: WalletResponse = {
  ...REQUEST,
  method: 'HEAD',
  status: 405,
  headers: new Headers({ ...COMMON, ...JSON_TYPE, allow: 'GET, POST' }),
  body: '',
}

const LIST = 'of an error is OAuth JSON: error and error_description, neither empty'
const NEXT = 'of 200 is the Request Object, or exactly {redirect_uri}'
const REDIRECT = 'is never a redirect, nor anything below 200'
const FAULT = 'is never a fault: of 5xx there is 503 alone'

type Planted = readonly [rule: string, name: string, answer: WalletResponse]

const PLANTED: readonly Planted[] = [
  [REDIRECT, 'a redirect', { ...REFUSED, status: 302 }],
  [`${REDIRECT}|${LIST}`, 'an empty response with status 204', { ...PROCESSED, status: 204, body: '' }],
  [FAULT, 'a 500', { ...REFUSED, status: 500 }],
  [FAULT, 'a 502', { ...REFUSED, status: 502 }],
  ['is not stored', 'no Cache-Control', without(REFUSED, 'cache-control')],
  ['is not stored', 'a max-age of one hour', withHeaders(REQUEST, { 'cache-control': 'max-age=3600' })],
  [
    'may be read by a page of any origin',
    'no CORS header',
    without(PROCESSED, 'access-control-allow-origin'),
  ],
  [
    'may be read by a page of any origin',
    'CORS for one origin',
    withHeaders(REFUSED, { 'access-control-allow-origin': 'https://a.example' }),
  ],
  ['says when to try again', 'a 503 without Retry-After', { ...REFUSED, status: 503 }],
  ['says when to try again', 'a 429 without Retry-After', { ...REFUSED, status: 429 }],
  ['names the methods there are', 'a 405 without Allow', { ...REFUSED, status: 405 }],
  ['has no body where HEAD asked', 'a body in a response to HEAD', { ...HEAD, body: '{}' }],
  [NEXT, 'an empty object', { ...PROCESSED, body: '{}' }],
  [NEXT, 'a redirect_uri of null', { ...PROCESSED, body: '{"redirect_uri":null}' }],
  [NEXT, 'a member beside redirect_uri', responseWith({ redirect_uri: REDIRECT_URI, status: 'verified' })],
  [NEXT, 'a relative redirect_uri', responseWith({ redirect_uri: '/return' })],
  [NEXT, 'a redirect_uri without its code', responseWith({ redirect_uri: REDIRECT_URI.split('#')[0] })],
  [
    NEXT,
    'a redirect_uri that opens the session',
    responseWith({ redirect_uri: REDIRECT_URI.replace('#', '?token=ct_1#') }),
  ],
  [NEXT, 'a redirect_uri as text', withHeaders(PROCESSED, { 'content-type': 'text/plain' })],
  [NEXT, 'an empty Request Object', { ...REQUEST, body: '' }],
  [NEXT, 'a Request Object as JSON', withHeaders(REQUEST, JSON_TYPE)],
  [NEXT, 'a redirect_uri for a request', { ...PROCESSED, path: '/r/abc' }],
  [LIST, 'an empty error', { ...REFUSED, body: '' }],
  [LIST, 'an error that is no JSON', { ...REFUSED, body: 'Bad Request' }],
  [LIST, 'an error of null', { ...REFUSED, body: 'null' }],
  [LIST, 'an error without its description', responseWith({ error: 'invalid_request' }, 400)],
  [LIST, 'an empty description', responseWith({ error: 'invalid_request', error_description: '' }, 400)],
  [LIST, 'a quote in a description', responseWith({ error: 'invalid_request', error_description: '"' }, 400)],
  [LIST, 'a reason beside the error', responseWith({ error: 'e', error_description: 'd', reason: 'x' }, 400)],
  [LIST, 'a problem', withHeaders(REFUSED, { 'content-type': 'application/problem+json' })],
]

describe('the linter of responses to wallets', () => {
  it.each([
    ['a Request Object', REQUEST],
    ['an encrypted Request Object', { ...REQUEST, body: 'e30..AA.AA.AA' }],
    ['a processed answer', PROCESSED],
    ['a refusal', REFUSED],
    ['HEAD', HEAD],
    ['a 503', withHeaders({ ...REFUSED, status: 503 }, { 'retry-after': '2' })],
  ])('finds nothing in %s', (_, answer) => {
    expect(lintWalletResponse(answer)).toEqual([])
  })

  it.each(PLANTED)('reports "%s" for %s', (rules, _, answer) => {
    expect(lintWalletResponse(answer)).toEqual(rules.split('|'))
  })

  it.each(['/r/abc', '/r', '/r/a/b', '/v1/verify/v_1/callback'])(
    'checks the responses from the path %s',
    (path) => {
      expect(isWalletPath(path)).toBe(true)
    },
  )

  it.each(['/v1/verify/v_1', '/rp/1/did.json', '/v1/verify/v_1/return'])(
    'does not check the responses from the path %s',
    (path) => {
      expect(isWalletPath(path)).toBe(false)
    },
  )
})

describe('the transport of the tests', () => {
  const exchange = (url: string, { status, body, headers }: WalletResponse) =>
    lintExchange({
      url,
      method: 'GET',
      body: undefined,
      answer: new Response(body, { status, headers }),
      fetch: () => Promise.reject(new Error('nothing is fetched')),
    })

  it('throws for a response that breaks a rule, and the error names the rule', async () => {
    const url = 'https://verifier.example/r/abc'
    await expect(exchange(url, { ...REFUSED, status: 500 })).rejects.toThrow(FAULT)
  })

  it('throws for a Request Object that breaks a rule', async () => {
    const url = 'https://verifier.example/r/abc'
    const body = `${encode({ alg: 'ES256' })}.${encode({ client_id: 'x' })}.AA`
    await expect(exchange(url, { ...REQUEST, body })).rejects.toThrow('R9: typ is oauth-authz-req+jwt')
  })

  it('throws for a request of the Digital Credentials API that breaks a rule', async () => {
    const url = 'https://verifier.example/v1/verify/v_1/dc-api/request'
    const requests = [{ protocol: 'openid4vp-v1-unsigned', data: { nonce: 'n', client_id: 'x' } }]
    const body = JSON.stringify({ digital: { requests } })
    await expect(exchange(url, { ...PROCESSED, body })).rejects.toThrow('R60: no parameter')
  })

  it('does not consume the bodies of valid exchanges', async () => {
    const answer = await exchange('https://verifier.example/v1/verify/v_1/callback', REFUSED)
    expect(await answer.text()).toBe(REFUSED.body)
  })
})

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function responseWith(body: object, status = 200): WalletResponse {
  return { ...PROCESSED, status, body: JSON.stringify(body) }
}

function withHeaders(answer: WalletResponse, changed: Readonly<Record<string, string>>): WalletResponse {
  return { ...answer, headers: new Headers({ ...Object.fromEntries(answer.headers), ...changed }) }
}

function without(answer: WalletResponse, name: string): WalletResponse {
  const headers = new Headers(answer.headers)
  headers.delete(name)
  return { ...answer, headers }
}
