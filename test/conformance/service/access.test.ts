// api/access: access rights of callers, and the errors that all other callers get.

import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { ACCESS, type Access } from '../../../src/routes/edge/access.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { begin, eventOf, finish, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()

// One origin, so that a request for the Digital Credentials API need not name it.
beforeAll(async () => {
  const body = { origins: ['https://shop.example'] }
  await expectStatus(await stage.rp.call('PATCH', '/v1/relying_party', { body }), 200)
})

const STATUSES: Readonly<Record<string, number>> = {
  'POST /v1/verify': 201,
  'DELETE /v1/verify/:id': 204,
  'POST /v1/verify/:id/cancel': 409,
  'GET /v1/verify/:id/openid4vp': 410,
  'GET /v1/verify/:id/qr': 410,
  'GET /v1/verify/:id/watch': 426,
  'POST /v1/verify/:id/return': 400,
  'POST /v1/test/verify/:id/outcome': 409,
  'POST /v1/verify/:id/dc-api/request': 410,
  'POST /v1/verify/:id/dc-api': 409,
  'POST /v1/verify/:id/deliveries/:delivery/redeliver': 202,
  'POST /v1/webhook/redeliver': 202,
  'POST /v1/api_keys': 201,
  'DELETE /v1/api_keys/:key': 404,
  'GET /v1/verify/:id/evidence': 404,
  'DELETE /v1/verify/:id/evidence': 404,
  'GET /v1/evidence/materials/:sha256': 404,
  'POST /v1/oidc_clients': 201,
  'GET /v1/oidc_clients/:client': 404,
  'PATCH /v1/oidc_clients/:client': 404,
  'DELETE /v1/oidc_clients/:client': 404,
  'POST /v1/oidc_clients/:client/rotate_secret': 404,
}

const BODIES: Readonly<Record<string, object>> = {
  'POST /v1/verify': OVER_18,
  'POST /v1/verify/:id/return': { return_code: 'none' },
  'POST /v1/test/verify/:id/outcome': { reason: 'verified' },
  'POST /v1/verify/:id/dc-api/request': {},
  'POST /v1/verify/:id/dc-api': { protocol: 'openid4vp-v1-signed', data: { error: 'invalid_request' } },
  'PATCH /v1/relying_party': { by_value: false },
  'POST /v1/webhook/redeliver': { from: hoursFromNow(-1), to: hoursFromNow(1) },
  'POST /v1/api_keys': { scopes: ['settings:manage'] },
  'POST /v1/oidc_clients': {
    name: 'Wine shop',
    redirect_uris: ['https://shop.example/callback'],
    policies: [{ name: 'adult', ...OVER_18 }],
  },
  'PATCH /v1/oidc_clients/:client': { name: 'Wine shop' },
}

const QUERIES: Readonly<Record<string, string>> = {
  'GET /v1/insights': `?from=${hoursFromNow(-1)}&to=${hoursFromNow(1)}`,
}

function hoursFromNow(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString()
}

type Route = {
  readonly method: string
  readonly path: string
  readonly scope: string
  readonly opensToClientToken: boolean
  /** Status for the right scope in an ended session. */
  readonly status: number
  readonly body: object | undefined
}

/** Every route that requires a scope. Another test shows that the service's own table is complete. */
const ROUTES: readonly Route[] = Object.entries<Access>(ACCESS).flatMap(([name, access]) => {
  const [method = '', path = ''] = name.split(' ')
  if (!('scope' in access)) return []
  const { scope, caller } = access
  const opensToClientToken = caller === 'session'
  return { method, path, scope, opensToClientToken, status: STATUSES[name] ?? 200, body: BODIES[name] }
})

const SCOPES = [
  'verify:create',
  'verify:read',
  'verify:request',
  'webhooks:manage',
  'settings:manage',
  'claims:encrypt',
  'evidence:read',
]

/** Creates a key, and deletes it after the test: a relying party has 50 at most. */
async function keyWith(rp: RelyingParty, grant: object): Promise<string> {
  const keys = `/${rp.relying_party_id}/api_keys`
  const created = (await expectStatus(await stage.service.admin('POST', keys, grant), 201)) as {
    readonly api_key: string
    readonly key_id: string
  }
  onTestFinished(async () => void (await stage.service.admin('DELETE', `${keys}/${created.key_id}`)))
  return created.api_key
}

function call(
  rp: RelyingParty,
  { method, path, body }: Route,
  token: string | null,
  ids: { id: string; delivery?: string },
) {
  const url = path
    .replace(':id', ids.id)
    .replace(':delivery', ids.delivery ?? 'dlv_none')
    .replace(':key', 'none')
    .replace(':client', 'none')
  return rp.call(method, url + (QUERIES[`${method} ${path}`] ?? ''), {
    token,
    ...(body !== undefined && { body }),
  })
}

/** Returns everything that a client can compare: all but the request's own id. */
async function seen(response: Response) {
  const headers = [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')
  const text = (await response.text()).replace(/"request_id":"[^"]*"/, '')
  return { status: response.status, headers: Object.fromEntries(headers), text }
}

it.each(ROUTES)('api/access: $method $path needs the scope $scope and no other scope', async (route) => {
  const { session } = await finish(stage)
  const id = session.verification_id
  await eventOf(stage, id)
  const log = await expectStatus(await stage.rp.call('GET', `/v1/verify/${id}/deliveries`), 200)
  const delivery = (log as { deliveries: { delivery_id: string }[] }).deliveries[0]!.delivery_id
  const others = await keyWith(stage.rp, { scopes: SCOPES.filter((scope) => scope !== route.scope) })
  const refused = await call(stage.rp, route, others, { id, delivery })
  expect(await expectStatus(refused, 403)).toMatchObject({ code: 'insufficient_scope' })
  const own = await keyWith(stage.rp, { scopes: [route.scope] })
  expect((await call(stage.rp, route, own, { id, delivery })).status).toBe(route.status)
})

it.each(ROUTES)(
  'api/access: $method $path without a token gets 401 with a Bearer challenge',
  async (route) => {
    const response = await call(stage.rp, route, null, { id: (await stage.rp.create()).verification_id })
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
    expect(await expectStatus(response, 401)).toMatchObject({ code: 'missing_token' })
  },
)

it('api/errors: a request with an unknown, altered, or malformed token gets 401 invalid_token', async () => {
  const { api_key } = stage.rp
  const altered = api_key.slice(0, -1) + (api_key.endsWith('A') ? 'E' : 'A')
  const live = api_key.replace('wv_test_', 'wv_live_')
  for (const token of [altered, live, 'wv_test_x', 'eyJhbGciOiJub25lIn0.e30.', 'admin']) {
    const response = await stage.rp.call('POST', '/v1/verify', { body: OVER_18, token })
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    expect(await expectStatus(response, 401)).toMatchObject({ code: 'invalid_token' })
  }
})

it('api/settings: the service refuses a revoked API key', async () => {
  const response = await stage.service.admin('POST', `/${stage.rp.relying_party_id}/api_keys`, {})
  const { api_key, key_id } = (await expectStatus(response, 201)) as { api_key: string; key_id: string }
  const use = () => stage.rp.call('POST', '/v1/verify', { body: OVER_18, token: api_key })
  expect((await use()).status).toBe(201)
  await stage.service.admin('DELETE', `/${stage.rp.relying_party_id}/api_keys/${key_id}`)
  expect((await use()).status).toBe(401)
})

// `/watch` without an upgrade looks up no id, and this client cannot upgrade.
// test/routes/browser/session-watch.test.ts covers it.
const SESSION_ROUTES = ROUTES.filter(({ path }) => path.includes(':id') && !path.endsWith('/watch'))

it.each(SESSION_ROUTES)(
  'api/access: $method $path returns the same 404, byte for byte, for a foreign, forged, altered, malformed or erased id',
  async (route) => {
    const token = await keyWith(stage.rp, { scopes: SCOPES })
    const rp = await relyingPartyOf(stage)
    const foreign = (await rp.create()).verification_id
    const erased = (await stage.rp.create()).verification_id
    await stage.rp.call('DELETE', `/v1/verify/${erased}`)
    const altered = `${foreign.slice(0, 10)}${foreign[10] === 'A' ? 'B' : 'A'}${foreign.slice(11)}`
    const forged = `v_${Buffer.alloc(32, 7).toString('base64url')}`
    const answers = []
    for (const id of [foreign, erased, altered, forged, 'v_x', 'x', `${foreign}A`]) {
      answers.push(await seen(await call(stage.rp, route, token, { id })))
    }
    expect(answers[0]).toMatchObject({ status: 404 })
    expect(answers[0]?.text).toContain('"verification_not_found"')
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect((await rp.poll(foreign)).status).toBe('pending')
  },
)

it('api/access: the service returns the same 404 to a wallet for every unknown request and callback', async () => {
  const { session } = await begin(stage)
  const { request_uri } = session.wallet_request
  const last = request_uri.at(-1) === 'A' ? 'B' : 'A'
  const uris = ['https://verifier.example/r/x', `${request_uri.slice(0, -1)}${last}`, `${request_uri}A`]
  const requests = await Promise.all(uris.map(async (uri) => seen(await stage.service.fetch(uri))))
  for (const answer of requests) expect(answer).toEqual({ ...requests[0], status: 404 })
  const forged = Buffer.alloc(32, 7).toString('base64url')
  const init = { method: 'POST', body: new URLSearchParams({ vp_token: '{}', state: 'x' }) }
  const callbacks = await Promise.all(
    ['v_x', `v_${forged}`].map(async (id) =>
      seen(await stage.service.fetch(`https://verifier.example/v1/verify/${id}/callback`, init)),
    ),
  )
  for (const answer of callbacks) expect(answer).toEqual({ ...requests[0], status: 404 })
})

it('api/access: client_token gives access to the QR code and the status of its session, as Bearer token and as ?token=', async () => {
  const { verification_id: id, client_token: token } = await stage.rp.create()
  for (const path of [`/v1/verify/${id}`, `/v1/verify/${id}/qr`]) {
    expect((await stage.rp.call('GET', path, { token })).status).toBe(200)
    expect((await stage.rp.call('GET', `${path}?token=${token}`, { token: null })).status).toBe(200)
  }
})

it('api/access: a client_token shows the state of a session, and nothing about its person or request', async () => {
  const { session } = await finish(stage)
  const path = `/v1/verify/${session.verification_id}`
  const response = await stage.rp.call('GET', path, { token: session.client_token })
  expect(await expectStatus(response, 200)).toEqual({
    object: 'verification_state',
    verification_id: session.verification_id,
    version: expect.any(Number),
    status: 'verified',
    stage: 'done',
    expires_at: session.expires_at,
    wallet_activity: null,
    family: null,
  })
})

it('api/access: a client_token gets 403 on every route that is not open to it, and for a different session', async () => {
  const { verification_id: id, client_token: token } = await stage.rp.create()
  const other = (await stage.rp.create()).verification_id
  const open = ['/v1/verify/:id', '/v1/verify/:id/qr']
  const others = ROUTES.filter(({ opensToClientToken }) => !opensToClientToken)
  for (const route of others) expect((await call(stage.rp, route, token, { id })).status).toBe(403)
  for (const path of open) {
    const response = await stage.rp.call('GET', path.replace(':id', other), { token })
    expect(await expectStatus(response, 403)).toMatchObject({ code: 'insufficient_scope' })
  }
})

it('api/access: client_token is no longer accepted after its session was erased', async () => {
  const { verification_id: id, client_token: token } = await stage.rp.create()
  await stage.rp.call('DELETE', `/v1/verify/${id}`)
  for (const path of ['', '/qr']) {
    expect((await stage.rp.call('GET', `/v1/verify/${id}${path}`, { token })).status).toBe(404)
  }
})

it('api/access: session_url opens the session page only with its client_token, never with the id alone', async () => {
  const { session_url } = await stage.rp.create()
  const other = (await stage.rp.create()).client_token
  const page = await stage.service.fetch(session_url)
  const headers = ['content-type', 'cache-control', 'referrer-policy'].map((name) => page.headers.get(name))
  expect([page.status, ...headers]).toEqual([
    200,
    expect.stringMatching(/^text\/html/),
    'no-store',
    'same-origin',
  ])
  const [address = ''] = session_url.split('?')
  for (const query of ['', '?token=', '?token=ct_x', `?token=${other}`, `?token=${stage.rp.api_key}`]) {
    expect((await stage.service.fetch(address + query)).status).toBe(404)
  }
})

it("api/access: the operator's routes accept only ADMIN_TOKEN", async () => {
  const statuses = [stage.service.server.adminToken, stage.rp.api_key, 'x'.repeat(43), null].map(
    async (token) => (await stage.rp.call('GET', '/v1/admin/relying_parties', { token })).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 401, 401, 401])
  expect(
    (await stage.rp.call('GET', '/v1/verify/x', { token: stage.service.server.adminToken })).status,
  ).toBe(401)
})

it.each(['/healthz', '/readyz', '/.well-known/jwks.json', '/problems/invalid_request'])(
  'api/access: anyone may read %s',
  async (path) => {
    expect((await stage.service.fetch(path)).status).toBe(200)
  },
)
