// api/logins: each error of authorization requests and of the endpoints, by one change in a good request.

import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import errors from '../../../assets/oauth-errors.json'
import type { ProofError } from '../../../src/routes/oidc/dpop.ts'
import type { OidcError, RequestError } from '../../../src/routes/oidc/responses.ts'
import { type Setting, setUp } from '../../session/driver.ts'
import { call, json } from '../edge/edge-app.ts'
import {
  ADULT_POLICY,
  answer,
  app,
  authorize,
  begin,
  CALLBACK,
  finish,
  newClient,
  pathOf,
  postForm,
  REQUEST,
  redeem,
  redemptionOf,
  type TestClient,
  userInfoStatus,
} from './login-world.ts'

let setting: Setting
let live: Setting
let client: TestClient

beforeAll(async () => {
  setting = await setUp()
  live = await setUp({ livemode: true })
  client = await newClient(setting)
})

const OLDER_POLICY = { ...ADULT_POLICY, name: 'older', scope: ['age_over_21'] }
const POLICIES = [ADULT_POLICY, OLDER_POLICY]
const MARKED = POLICIES.map((policy) => ({ ...policy, front_channel: true }))

type Change = (query: URLSearchParams) => void

const set =
  (name: string, value: string): Change =>
  (query) =>
    query.set(name, value)
const leaveOut =
  (...names: readonly string[]): Change =>
  (query) => {
    for (const name of names) query.delete(name)
  }
const nothing: Change = () => undefined

const ACR = { id_token: { acr: { essential: true, value: 'urn:example:gold' } } }

/** One change in a good request, and members of the client. */
type Refused = readonly [change: Change, members?: object]

/**
 * Errors that are found before the page. `policy_unsatisfiable` has a test of its own.
 * `hint_of_transient_subject` is in id-token-hint.test.ts.
 */
const AT_THE_CLIENT: Record<
  Exclude<
    RequestError,
    'pushed_request_uri' | 'redirect_uri' | 'policy_unsatisfiable' | 'hint_of_transient_subject'
  >,
  Refused
> = {
  parameter_repeated: [(query) => query.append('state', 's')],
  parameter_too_long: [set('nonce', 'x'.repeat(2049))],
  request_too_long: [set('claims', JSON.stringify({ id_token: { ['x'.repeat(6000)]: null } }))],
  request_object: [set('request', 'e30.e30.')],
  foreign_request_uri: [set('request_uri', 'https://client.example/request')],
  request_uri_over: [set('request_uri', 'urn:ietf:params:oauth:request_uri:none')],
  registration: [set('registration', '{}')],
  response_type_missing: [leaveOut('response_type')],
  response_type: [set('response_type', 'token')],
  response_mode: [set('response_mode', 'fragment')],
  prompt_none: [set('prompt', 'login none')],
  id_token_hint: [set('id_token_hint', 'e30.e30.')],
  scope_openid: [set('scope', 'profile')],
  scope_several: [set('scope', 'openid adult older'), { policies: MARKED }],
  scope_unknown: [set('scope', 'openid unknown')],
  claims: [set('claims', 'given_name')],
  par_required: [nothing, { require_pushed_authorization_requests: true }],
  policy_by_front_channel: [nothing, { policies: POLICIES }],
  challenge_missing: [leaveOut('code_challenge')],
  challenge_method: [set('code_challenge_method', 'plain')],
  challenge: [set('code_challenge', 'short')],
  dpop_jkt: [set('dpop_jkt', 'short')],
  nonce_missing: [leaveOut('code_challenge', 'code_challenge_method'), { require_pkce: false }],
  acr: [set('claims', JSON.stringify(ACR))],
}

/** Returns the code of a login. */
async function codeOf(): Promise<string> {
  const browser = await answer(setting, await begin(client))
  return (await finish(client, browser)).get('code') ?? ''
}

/** Opens a request in the browser. Returns what the client gets. */
async function sentTo(registered: TestClient, change: Change = nothing) {
  const query = new URLSearchParams({ client_id: registered.client_id, ...REQUEST })
  change(query)
  const response = await call(app, 'GET', `${pathOf(registered.issuer)}/authorize?${query}`)
  const { origin, pathname, searchParams } = new URL(response.headers.get('Location') ?? 'none:')
  return [origin + pathname, Object.fromEntries(searchParams)]
}

/** Returns the redirect for an error. */
function expectedAt({ issuer }: TestClient, name: RequestError) {
  const { error, description } = errors.request[name]
  return [CALLBACK, { error, error_description: description, state: 's', iss: issuer }]
}

describe('a refused authorization request redirects to the client', () => {
  it.each(Object.entries(AT_THE_CLIENT))('with the error %s', async (name, [change, members]) => {
    const registered = await newClient(live, members)
    expect(await sentTo(registered, change)).toEqual(expectedAt(registered, name as RequestError))
  })

  it('if trust anchors were removed and its policy can no longer be satisfied', async () => {
    const rp = await setUp({ livemode: true })
    const registered = await newClient(rp)
    expect((await authorize(registered)).headers.get('Location')).toContain('/s/v_')
    const body = { trust_anchors: [] }
    const changed = await call(app, 'PATCH', '/v1/relying_party', { headers: rp.headers, body })
    expect(changed.status).toBe(200)
    expect(await sentTo(registered)).toEqual(expectedAt(registered, 'policy_unsatisfiable'))
  })
})

it('in test mode, an error before the login page gives a page with a link to the client, also with form_post', async () => {
  const parameters = { ...REQUEST, response_mode: 'form_post', scope: 'openid unknown' }
  const response = await authorize(client, parameters)
  const page = await response.text()
  expect([response.status, response.headers.get('Location')]).toEqual([400, null])
  expect(page).toContain(`href="${CALLBACK}?error=invalid_scope&amp;`)
  expect(page).not.toMatch(/<form|<script|<input/)
  expect(response.headers.get('Content-Security-Policy')).toContain("form-action 'none'")
})

describe('an authorization request is refused on a page, without a session', () => {
  /** Returns the status and the text of the page. */
  async function pageOf(send: () => Promise<Response>) {
    const before = (await listDurableObjectIds(env.VERIFICATION_SESSION)).length
    const response = await send()
    const { headers, status } = response
    expect([headers.get('Location'), headers.get('Set-Cookie')]).toEqual([null, null])
    expect(await listDurableObjectIds(env.VERIFICATION_SESSION)).toHaveLength(before)
    return { status, text: (await response.text()).replace(/[\u2066-\u2069]/g, '') }
  }
  const path = () => `${pathOf(client.issuer)}/authorize`
  const good = () => `${new URLSearchParams({ client_id: client.client_id, ...REQUEST })}`
  const post = (body: string, type: string) =>
    call(app, 'POST', path(), { headers: { 'Content-Type': type }, body })

  it.each<[string, () => Promise<Response>]>([
    ['a broken escape', () => call(app, 'GET', `${path()}?${good()}&nonce=%`)],
    ['too many parameters', () => call(app, 'GET', `${path()}?${good()}${'&a=b'.repeat(32)}`)],
    ['a query that is too long', () => call(app, 'GET', `${path()}?${good()}&nonce=${'x'.repeat(16_384)}`)],
    ['a form with a broken escape', () => post(`${good()}&nonce=%`, 'application/x-www-form-urlencoded')],
    ['a body that is no form', () => post(good(), 'text/plain')],
  ])('if it is malformed by %s', async (_, send) => {
    const { status, text } = await pageOf(send)
    expect(status).toBe(400)
    expect(text).toContain('invalid_request: the request is malformed')
  })

  it('if its IP address has sent too many requests, and the page has the language of ui_locales', async () => {
    const limit = vi.fn(async () => ({ success: false }))
    const limited = { ...env, CLIENT_IP_HEADER: 'x-client-ip', WALLET_RATE_LIMIT: { limit } }
    const headers = { 'x-client-ip': '192.0.2.1' }
    const address = `${path()}?${good()}&ui_locales=de`
    const { status, text } = await pageOf(() => call(app, 'GET', address, { headers, env: limited }))
    expect(status).toBe(429)
    expect(text).toContain('too many requests: wait a moment')
    expect(text).toContain('<html lang="de"')
    expect(limit.mock.calls).toEqual([[{ key: '192.0.2.1' }]])
  })
})

describe('a pushed request', () => {
  it('has a random address of 256 bits, and its expires_in is 60 s', async () => {
    const response = await postForm(client, 'par', REQUEST)
    expect(response.status).toBe(201)
    expect(await response.json()).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/),
      expires_in: 60,
    })
  })

  it.each<[RequestError, object]>([
    ['pushed_request_uri', { request_uri: 'urn:ietf:params:oauth:request_uri:none' }],
    ['redirect_uri', { redirect_uri: `${CALLBACK}/` }],
    ['redirect_uri', { redirect_uri: '' }],
    ['prompt_none', { prompt: 'none' }],
    ['scope_unknown', { scope: 'openid unknown' }],
  ])('is refused with the error %s', async (name, parameters) => {
    const { status, error, description } = errors.request[name]
    const response = await postForm(client, 'par', { ...REQUEST, ...parameters })
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ error, error_description: description })
  })

  it('may choose a policy without authentication only if each policy has front_channel: true', async () => {
    const statusWith = async (policies: readonly object[]) => {
      const members = { policies, token_endpoint_auth_method: 'none' }
      const { client_id, issuer } = await newClient(setting, members)
      const form = new URLSearchParams({ ...REQUEST, client_id, scope: 'openid older' })
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const response = await call(app, 'POST', `${pathOf(issuer)}/par`, { headers, body: `${form}` })
      const { error } = await json(response)
      return [response.status, error]
    }
    expect(await statusWith(POLICIES)).toEqual([400, 'invalid_request'])
    expect(await statusWith(MARKED)).toEqual([201, undefined])
  })
})

describe('the token endpoint', () => {
  const FORM = `${new URLSearchParams(redemptionOf('c'))}`

  it.each([
    ['no parameter', ''],
    ['no grant_type', FORM.replace(/grant_type=[^&]+&/, '')],
    ['no code', FORM.replace(/code=c&/, '')],
    ['no redirect_uri', FORM.replace(/&redirect_uri=[^&]+/, '')],
    ['an empty code', FORM.replace(/code=c/, 'code=')],
    ['grant_type twice', `${FORM}&grant_type=authorization_code`],
    ['code twice', `${FORM}&code=c`],
    ['code_verifier twice', `${FORM}&code_verifier=b`],
    ['an unknown parameter twice', `${FORM}&resource=a&resource=b`],
  ])('responds invalid_request to a form with %s', async (_, form) => {
    const response = await postForm(client, 'token', form)
    expect([response.status, (await json(response)).error]).toEqual([400, 'invalid_request'])
  })
})

describe('an endpoint of clients', () => {
  const redemption = redemptionOf('none')
  const token = (form: Readonly<Record<string, string>> | string) => postForm(client, 'token', form)
  const at = (path: string) => `${pathOf(client.issuer)}/${path}`
  const userInfo = (headers: Record<string, string>) => call(app, 'GET', at('userinfo'), { headers })

  const MISSING = 'Bearer, DPoP algs="ES256 PS256"'
  const BASIC = ['WWW-Authenticate', 'Basic realm="oidc", charset="UTF-8"'] as const
  let keys: CryptoKeyPair
  let keyed: TestClient

  beforeAll(async () => {
    keys = await generateKeyPair('ES256', { extractable: true })
    keyed = await keyedClient()
  })

  async function keyedClient(members: object = {}): Promise<TestClient> {
    const jwks = { keys: [await exportJWK(keys.publicKey)] }
    return newClient(setting, { token_endpoint_auth_method: 'private_key_jwt', jwks, ...members })
  }

  /** Sends an assertion with changed claims to the token endpoint, from an address if one is given. */
  async function sendAssertion(
    changes: object,
    { by = keyed, key = keys.privateKey, address = '' } = {},
  ): Promise<Response> {
    const claims = {
      iss: by.client_id,
      sub: by.client_id,
      aud: by.issuer,
      exp: Math.floor(Date.now() / 1000) + 60,
      jti: crypto.randomUUID(),
      ...changes,
    }
    const form = {
      ...redemption,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await new SignJWT(claims as JWTPayload)
        .setProtectedHeader({ alg: 'ES256' })
        .sign(key),
    }
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'x-client-ip': address }
    const body = `${new URLSearchParams(form)}`
    const bindings = address === '' ? env : { ...env, CLIENT_IP_HEADER: 'x-client-ip' }
    return call(app, 'POST', at('token'), { headers, body, env: bindings })
  }

  /**
   * Errors that are reached here: all other errors need a slow or an overloaded service, or many calls.
   * Errors of proofs are in dpop.test.ts.
   */
  type Reached = Exclude<
    OidcError,
    'request_timeout' | 'overloaded' | 'rate_limited' | 'unavailable' | ProofError
  >

  /** One change in a good call, and a header of the error. */
  const CALLS: Record<Reached, readonly [send: () => Promise<Response>, name?: string, value?: string]> = {
    too_large: [() => token({ ...redemption, extra: 'x'.repeat(16_384) })],
    unsupported_media_type: [() => call(app, 'POST', at('token'), { body: redemption })],
    malformed: [() => token('grant_type=%')],
    duplicate_parameter: [() => token(`${new URLSearchParams(redemption)}&code=none`)],
    method_not_allowed: [() => call(app, 'GET', at('token')), 'Allow', 'POST'],
    missing_parameter: [() => token({})],
    two_authentications: [() => token({ ...redemption, client_secret: client.client_secret })],
    grant_type_unsupported: [() => token({ ...redemption, grant_type: 'refresh_token' })],
    code_invalid: [() => token(redemption)],
    assertion_claims: [() => sendAssertion({ jti: undefined }), ...BASIC],
    assertion_issuer: [() => sendAssertion({ iss: client.client_id }), ...BASIC],
    assertion_audience: [() => sendAssertion({ aud: `${client.issuer}/token` }), ...BASIC],
    assertion_expiry: [() => sendAssertion({ exp: 1 }), ...BASIC],
    assertion_start: [() => sendAssertion({ iat: 4_000_000_000 }), ...BASIC],
    assertion_used: [() => sendAssertion({ jti: 'one' }).then(() => sendAssertion({ jti: 'one' })), ...BASIC],
    client_unknown: [() => postForm({ ...client, client_secret: 'none' }, 'token', redemption), ...BASIC],
    token_invalid: [
      () => userInfo({ Authorization: 'Bearer none' }),
      'WWW-Authenticate',
      'Bearer error="invalid_token"',
    ],
    token_missing: [() => userInfo({}), 'WWW-Authenticate', MISSING],
  }

  it.each(Object.entries(CALLS))('refuses a call with the error %s', async (name, [send, header, value]) => {
    const { status, error, description } = errors.oidc[name as OidcError]
    const response = await send()
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ error, error_description: description })
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    if (header !== undefined) expect(response.headers.get(header)).toBe(value)
  })

  it('does not reveal which claim is wrong in an assertion that another key signed', async () => {
    const other = await generateKeyPair('ES256')
    const response = await sendAssertion({ aud: 'https://other.example' }, { key: other.privateKey })
    expect((await json(response)).error_description).toBe(errors.oidc.client_unknown.description)
  })

  it('counts an assertion with a wrong claim as a failed authentication of its IP address', async () => {
    const address = '192.0.2.44'
    for (let i = 0; i < 10; i += 1) await sendAssertion({ exp: 1 }, { address })
    expect((await sendAssertion({ exp: 1 }, { address })).status).toBe(429)
    expect((await sendAssertion({}, { address })).status).toBe(400)
  })

  it.each<[string, readonly string[], boolean]>([
    ['accepts the token endpoint', ['/token'], true],
    ['accepts the issuer', [''], true],
    ['accepts the issuer and the token endpoint', ['', '/token'], true],
    ['refuses the token endpoint and another address', ['/token', '/par'], false],
    ['refuses an empty list', [], false],
  ])(
    '%s as the audience of an assertion if the client has token_endpoint_as_audience',
    async (_, paths, isAccepted) => {
      const by = await keyedClient({ token_endpoint_as_audience: true })
      expect(by).toMatchObject({ token_endpoint_as_audience: true })
      const aud = paths.map((path) => by.issuer + path)
      const { error_description } = await json(sendAssertion({ aud }, { by }))
      const { code_invalid, assertion_audience } = errors.oidc
      expect(error_description).toBe((isAccepted ? code_invalid : assertion_audience).description)
    },
  )

  it('accepts an access token only in the Authorization header', async () => {
    const { tokens } = await redeem(client, await codeOf())
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const body = `access_token=${tokens.access_token}`
    const inBody = await call(app, 'POST', at('userinfo'), { headers, body })
    const inQuery = await call(app, 'GET', `${at('userinfo')}?${body}`)
    for (const response of [inBody, inQuery])
      expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([401, MISSING])
    expect(await userInfoStatus(client, tokens.access_token)).toBe(200)
  })

  it('responds 404 if the metadata does not list this endpoint', async () => {
    const statusOf = async (path: string) => (await call(app, 'POST', at(path), { body: {} })).status
    for (const path of ['register', 'revoke', 'introspect', 'end_session', 'device_authorization', 'logout'])
      expect([path, await statusOf(path)]).toEqual([path, 404])
  })
})

it('each error_description has only the characters that RFC 6749 §5.2 allows', () => {
  const rows = [errors.token, errors.oidc, errors.request].flatMap((table) => Object.values(table))
  const descriptions = [...rows.map(({ description }) => description), ...Object.values(errors.wallet)]
  for (const description of descriptions) expect(description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
})

it('a service without OIDC keys refuses every request to an OIDC endpoint', async () => {
  const { OIDC_KEYS: _, OIDC_SUBJECT_KEY: __, ...without } = env
  const statusOf = async (method: string, path: string) => {
    const address = `${pathOf(client.issuer)}/${path}`
    return (await call(app, method, address, { env: without as typeof env })).status
  }
  for (const path of ['.well-known/openid-configuration', 'jwks', 'userinfo'])
    expect([path, await statusOf('GET', path)]).toEqual([path, 404])
  for (const path of ['par', 'token']) expect([path, await statusOf('POST', path)]).toEqual([path, 404])
  expect(await statusOf('GET', `authorize?client_id=${client.client_id}`)).toBe(400)
})
