import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import {
  type ClientAuthenticationCallback,
  clientAuthenticationClientSecretBasic,
  clientAuthenticationClientSecretPost,
  fetchAuthorizationServerMetadata,
  Oauth2Client,
  verifyResourceRequest,
} from '@openid4vc/oauth2'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { DEFAULT_SCOPES } from '../../../src/relying-party/document/settings.ts'
import { forgetSettings } from '../../../src/relying-party/settings/settings-cache.ts'
import { createApp } from '../../../src/routes/app.ts'
import { ADMIN, call, createRelyingParty, json } from '../edge/edge-app.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const BASE = 'https://verifier.example'
const app = createApp()

let id: string
let key: string
let otherId: string

beforeAll(async () => {
  ;({ relying_party_id: id, api_key: key } = await createRelyingParty())
  otherId = (await createRelyingParty()).relying_party_id
})
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

const GRANT = { grant_type: 'client_credentials' }

function post(parameters: Record<string, string> | string, headers: Record<string, string> = {}) {
  const body = typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString()
  return call(app, 'POST', '/oauth/token', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body,
  })
}

const basic = (text: string) => ({ Authorization: `Basic ${btoa(text)}` })
const ask = (parameters: Record<string, string> = {}) =>
  post({ ...GRANT, ...parameters }, basic(`${id}:${key}`))

async function keyWith(grant: object) {
  const path = `/v1/admin/relying_parties/${id}/api_keys`
  return json(call(app, 'POST', path, { headers: ADMIN, body: grant }))
}

const fromBase64url = (text: string) => atob(text.replaceAll('-', '+').replaceAll('_', '/'))
const payloadOf = (token: string) => JSON.parse(fromBase64url(token.split('.')[1] ?? ''))

describe('an access token', () => {
  it('is issued for an API key in the header, with every scope of the key, for 15 minutes', async () => {
    const response = await ask()
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Pragma')).toBe('no-cache')
    const body = await json(response)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^eyJ/),
      token_type: 'Bearer',
      expires_in: 900,
      scope: DEFAULT_SCOPES.join(' '),
    })
    expect(payloadOf(body.access_token)).toMatchObject({
      iss: BASE,
      aud: BASE,
      sub: id,
      client_id: id,
      key_id: key.split('.')[1],
      livemode: false,
      exp: NOW / 1000 + 900,
    })
  })

  it('is issued for an API key in the body', async () => {
    expect((await post({ ...GRANT, client_id: id, client_secret: key })).status).toBe(200)
  })

  it('is issued if the parts of the Authorization header are form-encoded, or if its scheme is in mixed case', async () => {
    const percent = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')
    expect((await post(GRANT, basic(`${percent(id)}:${percent(key)}`))).status).toBe(200)
    expect((await post(GRANT, { Authorization: `bAsIc   ${btoa(`${id}:${key}`)}` })).status).toBe(200)
  })

  it('is issued when the body repeats the client_id of the header', async () => {
    expect((await ask({ client_id: id })).status).toBe(200)
  })

  it('gives the same access as its API key', async () => {
    const { access_token } = await json(ask())
    const headers = { Authorization: `Bearer ${access_token}` }
    expect((await json(call(app, 'GET', '/v1/relying_party', { headers }))).relying_party_id).toBe(id)
  })

  it('is issued even with unknown and with empty parameters', async () => {
    const body = await json(
      ask({ audience: 'https://x.example', scope: '', client_secret: '', client_id: '' }),
    )
    expect(body.scope).toBe(DEFAULT_SCOPES.join(' '))
  })

  it('expires with its API key if the key expires earlier', async () => {
    const { api_key } = await keyWith({ expires_at: new Date(NOW + 30_000).toISOString() })
    expect(await json(post({ ...GRANT, client_id: id, client_secret: api_key }))).toMatchObject({
      expires_in: 30,
    })
  })
})

describe('the parameter scope', () => {
  it('limits the access, in any order and with repetitions', async () => {
    const body = await json(ask({ scope: 'verify:read verify:create verify:read' }))
    expect(body.scope).toBe('verify:create verify:read')
    expect(payloadOf(body.access_token).scope).toBe('verify:create verify:read')
  })

  it.each([
    'verify:all',
    'verify:read admin',
    ' verify:read',
    'verify:read  verify:create',
    'verify:read,x',
    ' ',
    'toString',
  ])('%j gets invalid_scope', async (scope) => {
    expect(await refusalOf(await ask({ scope }))).toEqual([400, 'invalid_scope'])
  })

  it('beyond the scopes of the key gets invalid_scope; without scope the token has all scopes of the key', async () => {
    const { api_key } = await keyWith({ scopes: ['verify:read'] })
    const asking = (scope: object) => post({ ...GRANT, client_id: id, client_secret: api_key, ...scope })
    expect(await refusalOf(await asking({ scope: 'verify:read verify:create' }))).toEqual([
      400,
      'invalid_scope',
    ])
    expect((await json(asking({}))).scope).toBe('verify:read')
  })
})

describe('a client at the token endpoint', () => {
  const UNKNOWN = [401, 'invalid_client']

  it.each<[string, () => Record<string, string>, () => Record<string, string>]>([
    ['without any credentials', () => ({}), () => ({})],
    ['without a secret', () => ({ client_id: id }), () => ({})],
    ['without an id', () => ({ client_secret: key }), () => ({})],
    ['with the id of another relying party', () => ({ client_id: otherId, client_secret: key }), () => ({})],
    ['with the id of another relying party in the header', () => ({}), () => basic(`${otherId}:${key}`)],
    ['without an id in the header', () => ({}), () => basic(`:${key}`)],
    ['without a secret in the header', () => ({}), () => basic(`${id}:`)],
    ['without a colon in the header', () => ({}), () => basic(id)],
    ['with a broken escape in the header', () => ({}), () => basic(`${id}:${key}%`)],
    ['with something that is not base64', () => ({}), () => ({ Authorization: `Basic ${id}:${key}` })],
    ['with nothing after Basic', () => ({}), () => ({ Authorization: 'Basic' })],
    ['with a header that is too long', () => ({}), () => basic(`${id}:${key}${'A'.repeat(4000)}`)],
    ['with its API key as Bearer', () => ({}), () => ({ Authorization: `Bearer ${key}` })],
    [
      'with a wrong secret',
      () => ({ client_id: id, client_secret: `${key.slice(0, -43)}${'A'.repeat(43)}` }),
      () => ({}),
    ],
    [
      'with an API key of the other mode',
      () => ({ client_id: id, client_secret: key.replace('test', 'live') }),
      () => ({}),
    ],
    ['with a malformed secret', () => ({ client_id: id, client_secret: 'secret' }), () => ({})],
    ['with a JWT assertion', () => ({ client_id: id, client_assertion: 'e30.e30.' }), () => ({})],
    [
      'with the operator’s token',
      () => ({ client_id: id, client_secret: ADMIN.Authorization.slice(7) }),
      () => ({}),
    ],
  ])('%s gets 401 invalid_client with a Basic challenge', async (_, parameters, headers) => {
    const response = await post({ ...GRANT, ...parameters() }, headers())
    expect(response.headers.get('WWW-Authenticate')).toMatch(/^Basic realm="/)
    expect(await refusalOf(response)).toEqual(UNKNOWN)
  })

  it('a client at the token endpoint with an access token as its secret gets 401, so a token cannot prolong itself', async () => {
    const { access_token } = await json(ask())
    expect(await refusalOf(await post({ ...GRANT, client_id: id, client_secret: access_token }))).toEqual(
      UNKNOWN,
    )
  })

  it('gets the same response with a revoked, an expired and an invented API key', async () => {
    const revoked = await keyWith({})
    await call(app, 'DELETE', `/v1/admin/relying_parties/${id}/api_keys/${revoked.key_id}`, {
      headers: ADMIN,
    })
    const expired = await keyWith({ expires_at: new Date(NOW + 1000).toISOString() })
    vi.setSystemTime(NOW + 1000)
    const invented = `${key.slice(0, -43)}${'A'.repeat(43)}`
    const answers: unknown[] = []
    for (const secret of [revoked.api_key, expired.api_key, invented]) {
      const response = await post({ ...GRANT, client_id: id, client_secret: secret })
      const { 'x-request-id': _, ...headers } = Object.fromEntries(response.headers)
      answers.push([response.status, headers, await response.text()])
    }
    expect(answers[0]).toEqual([401, expect.anything(), expect.stringContaining('invalid_client')])
    expect(answers).toEqual([answers[0], answers[0], answers[0]])
  })

  it('a client at the token endpoint that authenticates in the header and in the body gets invalid_request, even with equal credentials', async () => {
    const twice = [400, 'invalid_request']
    expect(await refusalOf(await ask({ client_id: id, client_secret: key }))).toEqual(twice)
    expect(await refusalOf(await ask({ client_secret: key }))).toEqual(twice)
    expect(await refusalOf(await ask({ client_assertion: 'e30.e30.' }))).toEqual(twice)
    expect(await refusalOf(await ask({ client_id: otherId }))).toEqual(twice)
  })

  it('a client at the token endpoint with its credentials in the URL is rejected', async () => {
    const query = new URLSearchParams({ ...GRANT, client_id: id, client_secret: key }).toString()
    const response = await call(app, 'POST', `/oauth/token?${query}`, {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    })
    expect(await refusalOf(response)).toEqual(UNKNOWN)
  })

  it('gets 503 with Retry-After if the settings of its relying party are unreachable', async () => {
    forgetSettings(id)
    const broken = { settings: () => Promise.reject(new Error('Network connection lost.')) }
    const RELYING_PARTY = {
      idFromString: (text: string) => env.RELYING_PARTY.idFromString(text),
      get: () => broken,
    } as unknown as typeof env.RELYING_PARTY
    const response = await call(app, 'POST', '/oauth/token', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...basic(`${id}:${key}`) },
      body: 'grant_type=client_credentials',
      env: { ...env, RELYING_PARTY },
    })
    expect(response.headers.get('Retry-After')).toBe('1')
    expect(await refusalOf(response)).toEqual([503, 'temporarily_unavailable'])
  })
})

describe('a request to the token endpoint', () => {
  it.each<[string, number, string, string]>([
    ['without grant_type', 400, 'invalid_request', 'scope=verify:read'],
    ['with an empty grant_type', 400, 'invalid_request', 'grant_type='],
    ['with another grant_type', 400, 'unsupported_grant_type', 'grant_type=authorization_code&code=x'],
    ['for a refresh token', 400, 'unsupported_grant_type', 'grant_type=refresh_token&refresh_token=x'],
    ['with a parameter twice', 400, 'invalid_request', 'grant_type=client_credentials&scope=a&scope=a'],
    ['with a broken escape', 400, 'invalid_request', 'grant_type=client_credentials&scope=%'],
    ['with bytes that are not UTF-8', 400, 'invalid_request', 'grant_type=client_credentials&scope=%ff'],
    [
      'with a body that is too large',
      413,
      'invalid_request',
      `grant_type=client_credentials&x=${'a'.repeat(8192)}`,
    ],
    ['without a body', 400, 'invalid_request', ''],
  ])('%s is refused with %i %s', async (_, status, error, body) => {
    expect(await refusalOf(await post(body, basic(`${id}:${key}`)))).toEqual([status, error])
  })

  it('a request to the token endpoint in JSON gets 415', async () => {
    const response = await call(app, 'POST', '/oauth/token', { body: GRANT, headers: basic(`${id}:${key}`) })
    expect(await refusalOf(response)).toEqual([415, 'invalid_request'])
  })

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'a request to the token endpoint by %s gets 405',
    async (method) => {
      const response = await call(app, method, '/oauth/token')
      expect(response.headers.get('Allow')).toBe('POST')
      expect(await refusalOf(response)).toEqual([405, 'invalid_request'])
    },
  )
})

/** Returns status and code of an error, after checking what every error must be (RFC 6749 §5.2). */
async function refusalOf(response: Response) {
  expect(response.headers.get('Content-Type')).toBe('application/json')
  expect(response.headers.get('Cache-Control')).toBe('no-store')
  expect(response.headers.has('X-Request-Id')).toBe(true)
  const body = await json(response)
  expect(Object.keys(body)).toEqual(['error', 'error_description'])
  expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  return [response.status, body.error]
}

describe('a foreign OAuth library', () => {
  const toApp: typeof fetch = (input, init) => {
    const request = new Request(input as RequestInfo, init)
    return Promise.resolve(app.fetch(request, env))
  }
  const hash = (data: Uint8Array) => new Uint8Array(createHash('sha256').update(data).digest())

  async function tokenBy(clientAuthentication: ClientAuthenticationCallback, scope: string) {
    const metadata = await fetchAuthorizationServerMetadata(BASE, toApp)
    if (metadata === null) throw new Error('no metadata')
    const callbacks = { fetch: toApp, clientAuthentication, hash, generateRandom: () => new Uint8Array(32) }
    const client = new Oauth2Client({ callbacks: { ...callbacks, signJwt: () => Promise.reject() } })
    const { accessTokenResponse } = await client.retrieveClientCredentialsAccessToken({
      authorizationServerMetadata: metadata,
      scope,
    })
    return { metadata, token: accessTokenResponse.access_token }
  }

  type Point = { readonly x?: string | undefined; readonly y?: string | undefined }

  async function verifies(compact: string, { x = '', y = '' }: Point): Promise<boolean> {
    const [header = '', payload = '', signature = ''] = compact.split('.')
    const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
    const publicKey = await crypto.subtle.importKey('jwk', { kty: 'EC', crv: 'P-256', x, y }, ecdsa, false, [
      'verify',
    ])
    const raw = Uint8Array.from(fromBase64url(signature), (character) => character.charCodeAt(0))
    return crypto.subtle.verify(ecdsa, publicKey, raw, new TextEncoder().encode(`${header}.${payload}`))
  }

  it.each([
    ['header', clientAuthenticationClientSecretBasic],
    ['body', clientAuthenticationClientSecretPost],
  ])('finds the token endpoint, authenticates by %s, and verifies the token', async (_, authentication) => {
    const clientAuthentication = authentication({ clientId: id, clientSecret: key })
    const { metadata, token } = await tokenBy(clientAuthentication, 'verify:read')
    const { tokenPayload } = await verifyResourceRequest({
      request: {
        headers: new Headers({ Authorization: `Bearer ${token}` }),
        method: 'GET',
        url: `${BASE}/v1`,
      },
      resourceServer: BASE,
      authorizationServers: [metadata],
      now: new Date(NOW),
      callbacks: {
        fetch: toApp,
        hash,
        clientAuthentication,
        verifyJwt: async (signer, { compact }) => {
          if (signer.method !== 'jwk' || !(await verifies(compact, signer.publicJwk)))
            return { verified: false }
          return { verified: true, signerJwk: signer.publicJwk }
        },
      },
    })
    expect(tokenPayload).toMatchObject({ client_id: id, sub: id, scope: 'verify:read' })
  })

  it('parses the error for a wrong secret', async () => {
    const clientAuthentication = clientAuthenticationClientSecretBasic({
      clientId: id,
      clientSecret: 'wrong',
    })
    await expect(tokenBy(clientAuthentication, 'verify:read')).rejects.toThrow(/invalid_client/)
  })
})
