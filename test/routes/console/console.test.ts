// The console's sign-in and its calls of the API: what opens it, what its cookie opens, and when it ends.

import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import type { Env } from '../../../src/env.ts'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { createApp } from '../../../src/routes/app.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { statusAndCode } from '../edge/access-world.ts'
import { ADMIN, call, createRelyingParty } from '../edge/edge-app.ts'

const app = createApp()
const HOUR = 3_600_000
const ADMIN_TOKEN = ADMIN.Authorization.slice('Bearer '.length)
const OWN = { Origin: 'https://verifier.example' }
const LOOPBACK = { ...env, BASE_URL: 'http://localhost:8787' }
const LOCAL = { Origin: 'http://console.localhost:8787' }
const KEYS = '/v1/admin/relying_parties'

startAtNoon()

type Console = { readonly cookie: string; readonly changeToken: string }

function send(body: object, headers: Record<string, string> = OWN, world: Env = env): Promise<Response> {
  return call(app, 'POST', '/console/session', { headers, body, env: world })
}

async function signIn(
  token: string,
  world: Env = env,
  headers: Record<string, string> = OWN,
): Promise<Console> {
  return consoleOf(await send({ token }, headers, world))
}

async function consoleOf(response: Response): Promise<Console> {
  expect(response.status).toBe(201)
  const { change_token } = (await response.json()) as { change_token: string }
  const [cookie = ''] = (response.headers.get('Set-Cookie') ?? '').split(';')
  return { cookie, changeToken: change_token }
}

/** Calls the API as the page does. */
function api(
  { cookie, changeToken }: Console,
  method: string,
  path: string,
  options: { readonly headers?: Record<string, string>; readonly body?: object; readonly env?: Env } = {},
): Promise<Response> {
  const headers = { ...OWN, Cookie: cookie, 'Console-Token': changeToken, ...options.headers }
  return call(app, method, `/console/api${path}`, { ...options, headers })
}

const CREATION = { credential_types: ['age_attestation'], scope: ['age_over_18'] }

describe('POST /console/session', () => {
  it('opens the console for an API key with a cookie that no script and no other host can read or set', async () => {
    const { api_key, relying_party_id } = await createRelyingParty()
    const response = await send({ token: api_key })
    expect(response.status).toBe(201)
    expect(response.headers.get('Set-Cookie')).toMatch(
      /^__Host-wv_console=[\w-]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect(response.headers.get('Set-Cookie')).not.toContain(api_key)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const text = await response.text()
    expect(text).not.toContain(api_key)
    expect(JSON.parse(text)).toMatchObject({
      owner: 'relying_party',
      relying_party: { relying_party_id, livemode: false },
      scopes: expect.arrayContaining(['verify:read']),
      expires_at: '2046-06-16T00:00:00.000Z',
    })
  })

  it('opens the console of the operator', async () => {
    const response = await send({ token: ADMIN_TOKEN })
    const text = await response.text()
    expect(text).not.toContain(ADMIN_TOKEN)
    expect(JSON.parse(text)).toMatchObject({ owner: 'operator', relying_party: null, scopes: [] })
  })

  it('sets a cookie without a name prefix on http to loopback, because browsers accept the prefix only with https', async () => {
    const { api_key } = await createRelyingParty()
    const response = await send({ token: api_key }, LOCAL, LOOPBACK)
    expect(response.headers.get('Set-Cookie')).toMatch(
      /^wv_console=[\w-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/,
    )
  })

  it('keeps a person signed in no longer than the key is valid', async () => {
    const { relying_party_id } = await createRelyingParty()
    const body = { expires_at: new Date(NOON + HOUR).toISOString() }
    const made = await call(app, 'POST', `${KEYS}/${relying_party_id}/api_keys`, { headers: ADMIN, body })
    const { api_key } = (await made.json()) as { api_key: string }
    const response = await send({ token: api_key })
    expect(response.headers.get('Set-Cookie')).toContain('Max-Age=3600;')
    const open = await consoleOf(response)
    at(NOON + HOUR)
    expect((await api(open, 'GET', '/v1/verify')).status).toBe(401)
  })

  it.each([
    ['no origin', {}],
    ['the origin null', { Origin: 'null' }],
    ['another origin', { Origin: 'https://elsewhere.example' }],
    ['another port', { Origin: 'https://verifier.example:8443' }],
  ])('rejects a sign-in with %s', async (_, headers: Record<string, string>) => {
    const { api_key } = await createRelyingParty()
    const response = await send({ token: api_key }, headers)
    expect(await statusAndCode(response)).toBe('403 cross_site_request')
    expect(response.headers.get('Set-Cookie')).toBeNull()
  })

  it('rejects every token that is neither an API key nor the operator’s token', async () => {
    const { api_key } = await createRelyingParty()
    const headers = { Authorization: `Bearer ${api_key}` }
    const created = await call(app, 'POST', '/v1/verify', { headers, body: CREATION })
    const { client_token } = (await created.json()) as { client_token: string }
    for (const token of [client_token, `${api_key}x`, `${ADMIN_TOKEN}x`, 'x']) {
      const response = await send({ token })
      expect(await statusAndCode(response)).toBe('401 invalid_token')
      expect(response.headers.get('Set-Cookie')).toBeNull()
    }
    expect(await statusAndCode(await send({ token: api_key, code: 'x' }))).toBe('400 invalid_request')
  })

  it('refuses every sign-in from an IP address after ten failed sign-ins, and allows one more failure after 6 s', async () => {
    const world = { ...env, CLIENT_IP_HEADER: 'x-client-ip' }
    const { api_key } = await createRelyingParty()
    const from = (address: string, body: object) => send(body, { ...OWN, 'X-Client-Ip': address }, world)
    const enter = async (address: string) => (await from(address, { token: api_key })).status
    for (let i = 0; i < 20; i++) expect(await enter('192.0.2.1')).toBe(201)
    for (let i = 0; i < 10; i++)
      expect(await statusAndCode(await from('192.0.2.1', { token: 'x' }))).toBe('401 invalid_token')
    expect(await statusAndCode(await from('192.0.2.1', { token: 'x' }))).toBe('429 rate_limited')
    expect(await statusAndCode(await from('192.0.2.1', { code: 'x' }))).toBe('429 rate_limited')
    expect(await statusAndCode(await from('192.0.2.1', { token: api_key }))).toBe('429 rate_limited')
    expect(await statusAndCode(await from('192.0.2.2', { token: 'x' }))).toBe('401 invalid_token')
    expect(await enter('192.0.2.2')).toBe(201)
    at(NOON + 6_000)
    for (let i = 0; i < 20; i++) expect(await enter('192.0.2.1')).toBe(201)
    expect(await statusAndCode(await from('192.0.2.1', { token: 'x' }))).toBe('401 invalid_token')
    expect(await statusAndCode(await from('192.0.2.1', { token: api_key }))).toBe('429 rate_limited')
  })

  it('counts failed sign-ins from unknown IP addresses together, and never refuses a valid key because of this count', async () => {
    const { api_key } = await createRelyingParty()
    const failed = async () => statusAndCode(await send({ token: 'x' }))
    at(NOON + HOUR)
    for (let i = 0; i < 10; i++) expect(await failed()).toBe('401 invalid_token')
    for (let i = 0; i < 10; i++) expect(await failed()).toBe('429 rate_limited')
    expect((await send({ token: api_key })).status).toBe(201)
    expect(await failed()).toBe('429 rate_limited')
    at(NOON + 2 * HOUR)
    expect(await failed()).toBe('401 invalid_token')
  })
})

describe('the cookie of the console', () => {
  it('does not authenticate a direct call of the API', async () => {
    const { api_key, relying_party_id } = await createRelyingParty()
    const own = await signIn(api_key)
    const operator = await signIn(ADMIN_TOKEN)
    for (const [{ cookie }, path] of [
      [own, '/v1/verify'],
      [own, '/v1/relying_party'],
      [operator, KEYS],
      [operator, `${KEYS}/${relying_party_id}`],
      [operator, '/metrics'],
    ] as const) {
      const response = await call(app, 'GET', path, { headers: { ...OWN, Cookie: cookie } })
      expect(await statusAndCode(response)).toBe('401 missing_token')
    }
  })

  it('ends after 12 hours', async () => {
    const { api_key } = await createRelyingParty()
    let open = await signIn(api_key)
    for (let hours = 0.9; hours < 12; hours += 0.9) {
      at(NOON + hours * HOUR)
      const headers = { ...OWN, Cookie: open.cookie, 'Console-Token': open.changeToken }
      const renewed = await call(app, 'POST', '/console/session/activity', { headers })
      open = { ...open, cookie: (renewed.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '' }
    }
    at(NOON + 12 * HOUR - 1)
    expect((await api(open, 'GET', '/v1/verify')).status).toBe(200)
    at(NOON + 12 * HOUR)
    expect(await statusAndCode(await api(open, 'GET', '/v1/verify'))).toBe('401 missing_token')
  })

  it('ends within 60 s after its key was deleted in another isolate', async () => {
    const { api_key, api_keys, relying_party_id } = await createRelyingParty()
    const open = await signIn(api_key)
    await relyingPartyStub(env, relying_party_id)?.deleteApiKey(api_keys[0].key_id)
    at(NOON + 60_000)
    const response = await api(open, 'GET', '/v1/verify')
    expect(await statusAndCode(response)).toBe('401 invalid_token')
    expect(response.headers.get('Set-Cookie')).toContain('__Host-wv_console=; Max-Age=0;')
    expect(await statusAndCode(await readSession(open))).toBe('401 invalid_token')
  })

  it('stops working when its relying party is erased', async () => {
    const { api_key, relying_party_id } = await createRelyingParty()
    const open = await signIn(api_key)
    await call(app, 'DELETE', `${KEYS}/${relying_party_id}`, { headers: ADMIN })
    expect(await statusAndCode(await api(open, 'GET', '/v1/verify'))).toBe('401 invalid_token')
  })

  it('stops working when ADMIN_TOKEN changes', async () => {
    const open = await signIn(ADMIN_TOKEN)
    expect((await api(open, 'GET', KEYS)).status).toBe(200)
    const changed = { ...env, ADMIN_TOKEN: 'another-admin-token-of-more-than-32-characters' }
    const response = await api(open, 'GET', KEYS, { env: changed })
    expect(await statusAndCode(response)).toBe('401 invalid_token')
    expect(response.headers.get('Set-Cookie')).toContain('Max-Age=0;')
  })

  it('is rejected if it was altered or if SERVER_SECRET has changed', async () => {
    const open = await signIn((await createRelyingParty()).api_key)
    const [name = '', value = ''] = open.cookie.split('=')
    const altered = `${name}=${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`
    expect(await statusAndCode(await api({ ...open, cookie: altered }, 'GET', '/v1/verify'))).toBe(
      '401 missing_token',
    )
    const other = { ...env, SERVER_SECRET: 'BAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8' }
    const response = await api(open, 'GET', '/v1/verify', { env: other })
    expect(await statusAndCode(response)).toBe('401 missing_token')
  })

  it('is removed by DELETE /console/session only if our own page sends the page token of the same sign-in', async () => {
    const { api_key } = await createRelyingParty()
    const [open, other] = [await signIn(api_key), await signIn(api_key)]
    const token = { 'Console-Token': open.changeToken }
    const leave = (headers: Record<string, string>) =>
      call(app, 'DELETE', '/console/session', { headers: { Cookie: open.cookie, ...headers } })
    for (const headers of [
      { ...token, Origin: 'https://elsewhere.example' },
      OWN,
      { ...OWN, 'Console-Token': '' },
      { ...OWN, 'Console-Token': other.changeToken },
    ]) {
      const response = await leave(headers)
      expect(await statusAndCode(response)).toBe('403 cross_site_request')
      expect(response.headers.get('Set-Cookie')).toBeNull()
    }
    expect((await leave({ ...OWN, Cookie: 'x=y' })).status).toBe(204)
    expect((await api(open, 'GET', '/v1/verify')).status).toBe(200)
    const response = await leave({ ...OWN, ...token })
    expect(response.status).toBe(204)
    expect(response.headers.get('Set-Cookie')).toContain('__Host-wv_console=; Max-Age=0;')
  })

  it('lets our page read who is signed in, but neither the API key nor the page token', async () => {
    const { api_key, relying_party_id } = await createRelyingParty()
    const open = await signIn(api_key)
    const response = await readSession(open)
    const text = await response.text()
    expect(text).not.toContain(api_key)
    expect(text).not.toContain(open.changeToken)
    expect(text).not.toContain('change_token')
    expect(JSON.parse(text)).toMatchObject({
      owner: 'relying_party',
      base_url: 'https://verifier.example',
      relying_party: { relying_party_id },
    })
    expect(await statusAndCode(await readSession({ ...open, cookie: 'x=y' }))).toBe('401 missing_token')
  })

  it('shows nothing without the page token of the same sign-in, not even who is signed in', async () => {
    const [open, other] = [await signIn(ADMIN_TOKEN), await signIn(ADMIN_TOKEN)]
    for (const changeToken of ['', other.changeToken]) {
      const response = await readSession({ ...open, changeToken })
      const text = await response.clone().text()
      expect(text).not.toContain('change_token')
      expect(text).not.toContain('operator')
      expect(await statusAndCode(response)).toBe('403 cross_site_request')
    }
  })
})

function readSession({ cookie, changeToken }: Console): Promise<Response> {
  const headers = { Cookie: cookie, 'Console-Token': changeToken }
  return call(app, 'GET', '/console/session', { headers })
}

describe('/console/api', () => {
  it('allows exactly what the scopes of the key allow', async () => {
    const { api_key, relying_party_id } = await createRelyingParty()
    const made = await call(app, 'POST', `${KEYS}/${relying_party_id}/api_keys`, {
      headers: ADMIN,
      body: { scopes: ['verify:read'] },
    })
    const reading = await signIn(((await made.json()) as { api_key: string }).api_key)
    const all = await signIn(api_key)
    const created = await api(all, 'POST', '/v1/verify', { body: CREATION })
    expect(created.status).toBe(201)
    const { verification_id } = (await created.json()) as { verification_id: string }
    expect((await api(reading, 'GET', `/v1/verify/${verification_id}/timeline`)).status).toBe(200)
    expect((await api(reading, 'GET', '/v1/verify?limit=1')).status).toBe(200)
    for (const [method, path, body] of [
      ['POST', '/v1/verify', CREATION],
      ['POST', `/v1/verify/${verification_id}/cancel`],
      ['DELETE', `/v1/verify/${verification_id}`],
      ['GET', `/v1/verify/${verification_id}/deliveries`],
      ['PATCH', '/v1/relying_party', { name: 'Renamed' }],
      ['POST', '/v1/api_keys', {}],
    ] as const) {
      const response = await api(reading, method, path, body && { body })
      expect(await statusAndCode(response)).toBe('403 insufficient_scope')
    }
    expect((await api(all, 'DELETE', `/v1/verify/${verification_id}`)).status).toBe(204)
  })

  it('passes the query on to the API', async () => {
    const open = await signIn((await createRelyingParty()).api_key)
    expect(await statusAndCode(await api(open, 'GET', '/v1/verify?order=1'))).toBe('400 invalid_request')
  })

  it.each<[string, Record<string, string>]>([
    ['the origin of another site', { Origin: 'https://elsewhere.example' }],
    ['the origin null', { Origin: 'null' }],
    ['no token of the page', { 'Console-Token': '' }],
    ['the token of another sign-in', { 'Console-Token': 'A'.repeat(43) }],
  ])('refuses a change with %s', async (_, headers) => {
    const open = await signIn((await createRelyingParty()).api_key)
    const body = { name: 'Renamed' }
    const response = await api(open, 'PATCH', '/v1/relying_party', { headers, body })
    expect(await statusAndCode(response)).toBe('403 cross_site_request')
    const settings = await api(open, 'GET', '/v1/relying_party')
    expect(await settings.json()).toMatchObject({ name: 'Shop' })
  })

  it.each(['cross-site', 'same-site', 'none'])('refuses a read with Sec-Fetch-Site: %s', async (site) => {
    const open = await signIn((await createRelyingParty()).api_key)
    const read = (value: string) => api(open, 'GET', '/v1/verify', { headers: { 'Sec-Fetch-Site': value } })
    expect(await statusAndCode(await read(site))).toBe('403 cross_site_request')
    expect((await read('same-origin')).status).toBe(200)
  })

  it.each<[string, (other: Console) => string]>([
    ['no token of the page', () => ''],
    ['the token of another sign-in', ({ changeToken }) => changeToken],
  ])('refuses a read with %s', async (_, tokenOf) => {
    const { api_key } = await createRelyingParty()
    const [open, other] = [await signIn(api_key), await signIn((await createRelyingParty()).api_key)]
    const headers = { 'Console-Token': tokenOf(other) }
    for (const path of ['/v1/verify', '/v1/relying_party', '/readyz'])
      expect(await statusAndCode(await api(open, 'GET', path, { headers }))).toBe('403 cross_site_request')
    expect((await api(open, 'GET', '/v1/verify')).status).toBe(200)
  })

  it('logs a change by the operator under the name `console`, whatever name the caller sends', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    const operator = await signIn(ADMIN_TOKEN)
    const made = await api(operator, 'POST', KEYS, { body: { name: 'Made' }, headers: { Operator: 'x' } })
    const { relying_party_id: target } = (await made.json()) as { relying_party_id: string }
    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)))
    expect(lines.filter(({ event }) => event === 'operator_change')).toMatchObject([
      { action: 'POST /v1/admin/relying_parties', target, actor: 'console', token: 'ADMIN_TOKEN' },
    ])
  })

  it('reaches the operator’s routes only if the operator is signed in', async () => {
    const { api_key } = await createRelyingParty()
    const [own, operator] = [await signIn(api_key), await signIn(ADMIN_TOKEN)]
    for (const path of [KEYS, '/v1/admin/trust_lists', '/metrics']) {
      expect(await statusAndCode(await api(own, 'GET', path))).toBe('404 not_found')
      expect((await api(operator, 'GET', path)).status).toBe(200)
    }
    const body = { name: 'Made' }
    expect(await statusAndCode(await api(own, 'POST', KEYS, { body }))).toBe('404 not_found')
    expect((await api(operator, 'POST', KEYS, { body })).status).toBe(201)
    expect(await statusAndCode(await api(operator, 'GET', '/v1/verify'))).toBe('404 not_found')
    expect((await api(own, 'GET', '/readyz')).status).toBe((await api(operator, 'GET', '/readyz')).status)
  })

  it('passes on no token and no cookie of the caller', async () => {
    const open = await signIn((await createRelyingParty()).api_key)
    const response = await api(open, 'GET', '/v1/relying_party', { headers: { ...ADMIN, Operator: 'x' } })
    expect(response.status).toBe(200)
    const fetched = vi.spyOn(app, 'fetch')
    await api(open, 'GET', '/v1/verify', { headers: ADMIN })
    const inner = fetched.mock.calls
      .map(([request]) => request)
      .find(({ url }) => new URL(url).pathname === '/v1/verify')
    expect([...(inner?.headers.keys() ?? [])].sort()).toEqual(['authorization', 'operator'])
    expect(inner?.headers.get('Authorization')).not.toBe(ADMIN.Authorization)
  })

  it.each([
    '',
    '/',
    '/console/session',
    '/console/api/v1/verify',
    '/s/v_x',
    '/test/wallet',
    '/oauth/token',
    '/openapi.json',
    '//evil.example/v1/verify',
    '/https://evil.example/v1/verify',
    '/v1/%61dmin/relying_parties',
    '/v1/admin/relying_parties',
    '/v1/./admin/relying_parties',
    '/v1//admin/relying_parties',
    '/v1/verify/..%2fadmin%2frelying_parties',
    '/v1/verify%2f..%2f..%2fmetrics',
    '/v1/verify/%252e%252e/admin/relying_parties',
    '/v1/verify/../../../v1/admin/relying_parties',
    '/../../v1/admin/relying_parties',
    '/%2e%2e/v1/relying_party',
    '/v1\\admin\\relying_parties',
  ])('reaches only the API of the signed-in party: %s', async (path) => {
    const open = await signIn((await createRelyingParty()).api_key)
    const response = await api(open, 'GET', path)
    expect([401, 404]).toContain(response.status)
    // 401: the address is not below the console, where the cookie opens nothing.
    if (response.status === 401) expect(await statusAndCode(response)).toBe('401 missing_token')
  })

  it.each(['/v1/verify', '/v1/relying_party', '/v1/verify/v_x', '/readyz'])(
    'lets no browser store the response of %s',
    async (path) => {
      const open = await signIn((await createRelyingParty()).api_key)
      expect((await api(open, 'GET', path)).headers.get('Cache-Control')).toBe('no-store')
    },
  )
})

describe('the page of the console', () => {
  it('runs only scripts of the service, appears in no frame, and is not stored', async () => {
    const { status, headers } = await call(app, 'GET', '/console')
    expect(status).toBe(200)
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    )
  })

  it('redirects from /console/ to /console', async () => {
    const { status, headers } = await call(app, 'GET', '/console/')
    expect([status, headers.get('Location')]).toEqual([308, '/console'])
  })

  it.each(['console.html', 'none.js', '..%2fopenapi.json', '%2e%2e%2fopenapi.json', 'openapi.json'])(
    'does not have the file %s',
    async (name) => {
      expect(await statusAndCode(await call(app, 'GET', `/console/assets/${name}`))).toBe('404 not_found')
    },
  )
})

describe('without CONSOLE=1', () => {
  it.each([
    ['GET', '/console'],
    ['GET', '/console/'],
    ['GET', '/console/assets/console.css'],
    ['GET', '/console/session'],
    ['POST', '/console/session'],
    ['DELETE', '/console/session'],
    ['POST', '/console/codes'],
    ['GET', '/console/api/v1/verify'],
    ['POST', '/console/api/v1/verify'],
  ])('%s %s gets 404', async (method, path) => {
    const open = await signIn((await createRelyingParty()).api_key)
    const headers = { ...OWN, ...ADMIN, Cookie: open.cookie, 'Console-Token': open.changeToken }
    for (const CONSOLE of ['0', undefined]) {
      const response = await call(app, method, path, { headers, env: { ...env, CONSOLE } as Env })
      expect(await statusAndCode(response)).toBe('404 not_found')
    }
  })
})

describe('a sign-in code of the console', () => {
  async function newCode(api_key: string, world: Env = LOOPBACK): Promise<Response> {
    return call(app, 'POST', '/console/codes', { headers: ADMIN, body: { api_key }, env: world })
  }
  async function codeOf(api_key: string): Promise<string> {
    const response = await newCode(api_key)
    expect(response.status).toBe(201)
    return ((await response.json()) as { code: string }).code
  }
  const enter = (code: string, headers: Record<string, string> = LOCAL, world: Env = LOOPBACK) =>
    send({ code }, headers, world)

  it('opens the console of its key only once', async () => {
    const { api_key, relying_party_id } = await createRelyingParty()
    const code = await codeOf(api_key)
    expect(code).toMatch(/^[\w-]{22}$/)
    const response = await enter(code)
    expect(await response.json()).toMatchObject({ relying_party: { relying_party_id } })
    expect(await statusAndCode(await enter(code))).toBe('401 invalid_token')
  })

  it('opens the console for only one of three simultaneous calls', async () => {
    const code = await codeOf((await createRelyingParty()).api_key)
    const answers = await Promise.all([enter(code), enter(code), enter(code)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401])
  })

  it('expires after five minutes', async () => {
    const { api_key } = await createRelyingParty()
    const [used, late] = [await codeOf(api_key), await codeOf(api_key)]
    at(NOON + 299_999)
    expect((await enter(used)).status).toBe(201)
    at(NOON + 300_000)
    expect(await statusAndCode(await enter(late))).toBe('401 invalid_token')
  })

  it('is accepted only from a page of the console, and is refused if it was altered', async () => {
    const code = await codeOf((await createRelyingParty()).api_key)
    expect(await statusAndCode(await enter(code, { Origin: 'http://localhost:3000' }))).toBe(
      '403 cross_site_request',
    )
    expect(await statusAndCode(await enter(code, {}))).toBe('403 cross_site_request')
    const altered = `${code.startsWith('A') ? 'B' : 'A'}${code.slice(1)}`
    expect(await statusAndCode(await enter(altered))).toBe('401 invalid_token')
    expect((await enter(code)).status).toBe(201)
  })

  it('does not work as a cookie, and a cookie does not work as a code', async () => {
    const { api_key } = await createRelyingParty()
    const open = await signIn(api_key, LOOPBACK, LOCAL)
    expect(await statusAndCode(await enter(open.cookie.split('=')[1] ?? ''))).toBe('401 invalid_token')
    const cookie = `wv_console=${await codeOf(api_key)}`
    const response = await api({ ...open, cookie }, 'GET', '/v1/verify', { env: LOOPBACK })
    expect(await statusAndCode(response)).toBe('401 missing_token')
  })

  it('can be requested only by the operator, and only if the service is on loopback', async () => {
    const { api_key } = await createRelyingParty()
    expect(await statusAndCode(await newCode(api_key, env))).toBe('404 not_found')
    const own = { Authorization: `Bearer ${api_key}` }
    const init = { headers: own, body: { api_key }, env: LOOPBACK }
    expect(await statusAndCode(await call(app, 'POST', '/console/codes', init))).toBe('401 invalid_token')
  })
})
