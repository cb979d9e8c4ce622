// Access tokens for the client: fetched once, replaced before they expire.

import { createClient } from '@wallet-verifier/client'
import { accessTokens } from '@wallet-verifier/client/token'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => vi.useRealTimers())

const RP = { baseUrl: 'https://verifier.example', relyingPartyId: 'rp_1', apiKey: 'wv_live_a b' }

/** A token endpoint whose tokens count, and live as long as `expires_in` says. */
function endpoint(expires_in = 900, { failures = [] as Response[] } = {}) {
  const sent: { headers: Headers; body: string }[] = []
  const send: typeof fetch = async (_, init) => {
    sent.push({ headers: new Headers(init?.headers), body: String(init?.body) })
    return failures.shift() ?? Response.json({ access_token: `token ${sent.length}`, expires_in })
  }
  return { sent, send }
}

it('the client sends its credentials with HTTP Basic, and the scopes in the body', async () => {
  const { sent, send } = endpoint()
  const token = accessTokens({ ...RP, fetch: send, scope: ['verify:read', 'verify:create'] })
  expect(await token()).toEqual({ ok: true, value: 'token 1' })
  expect(sent[0]?.headers.get('Authorization')).toBe(`Basic ${btoa('rp_1:wv_live_a%20b')}`)
  expect(Object.fromEntries(new URLSearchParams(sent[0]?.body))).toEqual({
    grant_type: 'client_credentials',
    scope: 'verify:read verify:create',
  })
})

it('the client uses one token for all calls until two minutes before it expires', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  const { sent, send } = endpoint(900)
  const token = accessTokens({ ...RP, fetch: send })
  await Promise.all([token(), token(), token()])
  vi.setSystemTime(779_999)
  expect(await token()).toEqual({ ok: true, value: 'token 1' })
  vi.setSystemTime(780_000)
  expect(await Promise.all([token(), token()])).toEqual([
    { ok: true, value: 'token 2' },
    { ok: true, value: 'token 2' },
  ])
  expect(sent).toHaveLength(2)
})

it('the client uses a short-lived token for half of its lifetime', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  const { sent, send } = endpoint(60)
  const token = accessTokens({ ...RP, fetch: send })
  await token()
  vi.setSystemTime(29_999)
  await token()
  expect(sent).toHaveLength(1)
  vi.setSystemTime(30_000)
  await token()
  expect(sent).toHaveLength(2)
})

it('the client returns the token endpoint’s error, and requests a token again at the next call', async () => {
  const body = { error: 'invalid_client', error_description: 'The API key is unknown or has expired.' }
  const { send } = endpoint(900, { failures: [Response.json(body, { status: 401 })] })
  const calls: string[] = []
  const service: typeof fetch = async (_, init) => {
    calls.push(new Headers(init?.headers).get('Authorization') ?? '')
    return Response.json({})
  }
  const client = createClient({ ...RP, token: accessTokens({ ...RP, fetch: send }), fetch: service })
  expect(await client.get('v_1')).toMatchObject({
    ok: false,
    error: { code: 'invalid_client', status: 401, title: body.error_description, retryable: false },
  })
  expect(calls).toEqual([])
  expect(await client.get('v_1')).toEqual({ ok: true, value: {} })
  expect(calls).toEqual(['Bearer token 2'])
})

it('the client returns token_unavailable if the caller’s own token function throws', async () => {
  const token = () => {
    throw new Error('the vault is sealed')
  }
  const client = createClient({ baseUrl: RP.baseUrl, token })
  const error = { code: 'token_unavailable', title: 'the vault is sealed' }
  expect(await client.get('v_1')).toMatchObject({ ok: false, error })
})
