// Fixtures for the tests of the access table: relying parties in both modes, good and bad credentials, and
// sessions. One well-formed request for every route.

import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { toVerificationId } from '../../../src/relying-party/document/session-stub.ts'
import { SCOPES, type Scope } from '../../../src/relying-party/document/settings.ts'
import { issueAccessToken } from '../../../src/relying-party/keys/access-token.ts'
import { createApp } from '../../../src/routes/app.ts'
import type { RouteName } from '../../../src/routes/edge/access.ts'
import { expectDescribed } from '../../support/reading/described.ts'
import { VERIFIER_CERTIFICATE_PEM } from '../../support/service/environment.ts'
import { ADMIN, call, createRelyingParty, json } from './edge-app.ts'

export const app = createApp()
const BASE = 'https://verifier.example'
const LIST = '/v1/admin/relying_parties'
const HOUR = 3_600_000

export type Kind = 'API key' | 'access token'
export const KINDS: readonly Kind[] = ['API key', 'access token']

export type Party = {
  readonly id: string
  readonly livemode: boolean
  readonly key: string
  readonly keyId: string
}

export async function newParty(livemode = false): Promise<Party> {
  const webhook = { url: 'https://hooks.shop.org/in' }
  const origins = ['https://shop.org']
  const trust_anchors = [
    {
      name: 'An issuer',
      credential_types: ['age_attestation'],
      assurance_level: 'low',
      did: 'did:web:issuer.example',
    },
  ]
  const settings = { livemode, webhook, origins, trust_anchors }
  const { relying_party_id, api_key, api_keys } = await createRelyingParty(settings)
  const first = { id: relying_party_id, livemode, key: api_key, keyId: api_keys[0].key_id }
  // The first key lacks `evidence:read`.
  const { api_key: key, key_id: keyId } = await newKey(first, { scopes: SCOPES })
  return { ...first, key, keyId }
}

type Grant = { readonly scopes?: readonly Scope[]; readonly expires_at?: string }
type Key = { readonly api_key: string; readonly key_id: string }

export async function newKey(party: Party, grant: Grant = {}): Promise<Key> {
  const response = await call(app, 'POST', `${LIST}/${party.id}/api_keys`, { headers: ADMIN, body: grant })
  if (response.status !== 201) throw new Error(await response.text())
  return json(response)
}

export async function revoke(party: Party, keyId: string): Promise<void> {
  await call(app, 'DELETE', `${LIST}/${party.id}/api_keys/${keyId}`, { headers: ADMIN })
}

type TokenOptions = { readonly scopes?: readonly Scope[]; readonly livemode?: boolean; readonly age?: number }

/**
 * A token for the key, issued `age` milliseconds ago. By default it has every scope, whatever the key has.
 */
export async function tokenOn(
  party: Party,
  keyId: string,
  { scopes = SCOPES, livemode = party.livemode, age = 0 }: TokenOptions = {},
): Promise<string> {
  const grant = { relyingPartyId: party.id, keyId, livemode, scopes, keyExpiresAt: null }
  return (await issueAccessToken(loadConfig(env), grant, Date.now() - age)).token
}

/** A credential of the party with exactly these scopes. */
export async function credential(
  party: Party,
  kind: Kind,
  scopes: readonly Scope[] = SCOPES,
): Promise<string> {
  if (kind === 'access token') return tokenOn(party, party.keyId, { scopes })
  return (await newKey(party, { scopes })).api_key
}

/** A credential with every scope that expired half an hour ago. */
export async function expired(party: Party, kind: Kind): Promise<string> {
  if (kind === 'access token') return tokenOn(party, party.keyId, { age: HOUR })
  return (await expiredKey(party)).api_key
}

export async function expiredKey(party: Party): Promise<Key> {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: now - HOUR })
  try {
    return await newKey(party, { expires_at: new Date(now - HOUR / 2).toISOString() })
  } finally {
    vi.useRealTimers()
  }
}

export async function revoked(party: Party, kind: Kind): Promise<string> {
  const { api_key, key_id } = await newKey(party)
  await revoke(party, key_id)
  return kind === 'API key' ? api_key : tokenOn(party, key_id)
}

/** The party's credential with every scope, with the prefix of the other mode. */
export async function ofOtherMode(party: Party, kind: Kind): Promise<string> {
  if (kind === 'access token') return tokenOn(party, party.keyId, { livemode: !party.livemode })
  return party.key.replace(/^wv_(test|live)/, party.livemode ? 'wv_test' : 'wv_live')
}

export type Session = { readonly id: string; readonly clientToken: string; readonly delivery: string }

/** A pending session; a canceled one, with a delivery that can be repeated, if the route needs it. */
export async function newSession(party: Party, name: RouteName): Promise<Session> {
  const headers = { Authorization: `Bearer ${party.key}` }
  const body = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
  const created = await json(call(app, 'POST', '/v1/verify', { headers, body }))
  const { verification_id: id, client_token: clientToken } = created
  if (!name.includes(':delivery')) return { id, clientToken, delivery: 'dlv_none' }
  await call(app, 'POST', `/v1/verify/${id}/cancel`, { headers })
  const { deliveries } = await json(call(app, 'GET', `/v1/verify/${id}/deliveries`, { headers }))
  return { id, clientToken, delivery: deliveries[0].delivery_id }
}

/** Ids without a session: never used, changed by a character, forged, of another kind, of no form. */
export function unknownIds(foreign: string, party: Party): readonly string[] {
  const altered = foreign.slice(0, 10) + (foreign[10] === 'A' ? 'B' : 'A') + foreign.slice(11)
  const unused = toVerificationId(env.VERIFICATION_SESSION.newUniqueId())
  return [unused, altered, `v_${'A'.repeat(43)}`, `v_${party.id.slice(3)}`, 'v_', 'x', `${foreign}A`]
}

export type Parameters = Readonly<Record<string, string>>

/** Sends a well-formed request to the route. */
export async function send(
  name: RouteName,
  { parameters = {}, token, query = QUERIES[name] ?? '', body = BODIES[name], headers = {} }: Sending,
): Promise<Response> {
  const [method = '', pattern = ''] = name.split(' ')
  const path = pattern.replace(/:(\w+)/g, (_, parameter) => parameters[parameter] ?? 'none')
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const init = { headers: { ...HEADERS[name], ...authorization, ...headers }, body }
  const response = await call(app, method, path + query, init)
  await expectDescribed(method, path, response, body)
  return response
}

export type Sending = {
  readonly parameters?: Parameters
  readonly token?: string | undefined
  readonly query?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

const QUERIES: { readonly [name in RouteName]?: string } = {
  'GET /v1/insights': '?from=2046-06-01T00:00:00Z&to=2046-06-02T00:00:00Z',
}

const HEADERS: { readonly [name in RouteName]?: Record<string, string> } = {
  'GET /v1/verify/:id/watch': { Upgrade: 'websocket' },
  'POST /v1/verify/:id/link': { Origin: BASE },
  'POST /v1/verify/:id/response_code': { Origin: BASE },
  'POST /v1/verify/:id/dc-api/request': { Origin: BASE },
  'POST /v1/verify/:id/dc-api': { Origin: BASE },
}

const BODIES: { readonly [name in RouteName]?: unknown } = {
  'POST /v1/verify': { credential_types: ['age_attestation'], scope: ['age_over_18'] },
  'POST /v1/verify/:id/return': { return_code: 'none' },
  'POST /v1/test/verify/:id/outcome': { reason: 'canceled_by_relying_party' },
  'POST /v1/verify/:id/response_code': { response_code: 'none' },
  'POST /v1/verify/:id/dc-api/request': {},
  'POST /v1/verify/:id/dc-api': { protocol: 'openid4vp-v1-signed', data: { error: 'invalid_request' } },
  'PATCH /v1/relying_party': { retention_seconds: 7200 },
  'POST /v1/webhook/redeliver': { from: '2046-06-01T12:30:00Z', to: '2046-06-01T13:30:00Z' },
  'POST /v1/api_keys': { scopes: ['settings:manage'] },
  'POST /v1/oidc_clients': newClientBody(),
  'PATCH /v1/oidc_clients/:client': { name: 'Renamed' },
  'POST /v1/admin/relying_parties/:rp/oidc_clients': newClientBody(),
  'PATCH /v1/admin/relying_parties/:rp/oidc_clients/:client': { name: 'Renamed' },
  'PATCH /v1/admin/relying_parties/:rp': { retention_seconds: 7200 },
  'POST /v1/admin/relying_parties': { name: 'Shop' },
  'POST /v1/admin/relying_parties/:rp/api_keys': {},
  'POST /v1/admin/trust_lists': bundleOf('shops'),
  'POST /console/codes': { api_key: 'none' },
}

/** Creates a trust list for a route that needs a trust list. */
export async function newList(name: RouteName): Promise<string> {
  const list = `list-${crypto.randomUUID()}`
  const init = { headers: ADMIN, body: bundleOf(list) }
  if (name.includes(':list')) await call(app, 'POST', '/v1/admin/trust_lists', init)
  return list
}

/** Creates an OpenID Connect client for a route that needs a client. */
export async function newOidcClient(party: Party, name: RouteName): Promise<string> {
  if (!name.includes(':client')) return 'none'
  const init = { headers: { Authorization: `Bearer ${party.key}` }, body: newClientBody() }
  return (await json(call(app, 'POST', '/v1/oidc_clients', init))).client_id
}

/** The smallest valid client. */
function newClientBody() {
  const policy = { name: 'adult', credential_types: ['age_attestation'], scope: ['age_over_18'] }
  return { name: 'Shop', redirect_uris: ['https://shop.example/in'], policies: [policy] }
}

/** The smallest valid list. */
function bundleOf(name: string) {
  const services = [{ credential_types: ['pid'], assurance_level: 'low' }]
  return { name, kind: 'pem_bundle', pem: VERIFIER_CERTIFICATE_PEM, services }
}

/** Status for the right caller of the request that `send` makes. */
export function opens(name: RouteName, { livemode }: Pick<Party, 'livemode'> = { livemode: false }): string {
  if (livemode && name.includes('/test/')) return '404 verification_not_found'
  return OPENS[name] ?? '200'
}

const OPENS: { readonly [name in RouteName]?: string } = {
  'POST /v1/verify': '201',
  'DELETE /v1/verify/:id': '204',
  'GET /v1/verify/:id/watch': '101',
  'POST /v1/verify/:id/return': '400 invalid_code',
  'GET /v1/verify/:id/receipt': '409 verification_pending',
  'GET /v1/verify/:id/evidence': '409 verification_pending',
  'DELETE /v1/verify/:id/evidence': '409 verification_pending',
  'GET /v1/evidence/materials/:sha256': '404 not_found',
  'POST /v1/verify/:id/dc-api': '400 presentation_refused',
  'POST /v1/verify/:id/deliveries/:delivery/redeliver': '202',

  'POST /v1/webhook/redeliver': '202',
  'POST /v1/api_keys': '201',
  'DELETE /v1/api_keys/:key': '204',
  'POST /v1/oidc_clients': '201',
  'DELETE /v1/oidc_clients/:client': '204',
  'POST /v1/admin/relying_parties/:rp/oidc_clients': '201',
  'DELETE /v1/admin/relying_parties/:rp/oidc_clients/:client': '204',
  'POST /v1/admin/relying_parties': '201',
  'DELETE /v1/admin/relying_parties/:rp': '204',
  'POST /v1/admin/relying_parties/:rp/api_keys': '201',
  'DELETE /v1/admin/relying_parties/:rp/api_keys/:key': '204',
  'POST /v1/admin/trust_lists': '201',
  'DELETE /v1/admin/trust_lists/:list': '204',
  'POST /console/codes': '404 not_found', // made on this machine only
}

/** Returns everything of a response that a caller can compare: all but the parts that are new each time. */
export async function seen(response: Response) {
  const { 'x-request-id': _, date: __, ...headers } = Object.fromEntries(response.headers)
  const text = (await response.text()).replace(/"request_id":"[^"]*"/, '')
  return { status: response.status, headers, text }
}

/** Status and problem code. A socket that was opened is closed. */
export async function statusAndCode(response: Response): Promise<string> {
  response.webSocket?.accept()
  response.webSocket?.close()
  const isProblem = response.headers.get('Content-Type') === 'application/problem+json'
  return isProblem ? `${response.status} ${(await json(response)).code}` : String(response.status)
}
