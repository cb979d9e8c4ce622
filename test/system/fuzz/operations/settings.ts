// Good requests about settings, keys, webhooks and clients: by a relying party for itself, and by the
// operator.

import { ADULT, CALLBACK, registerClient } from '../../../support/service/login.ts'
import { expectStatus } from '../../../support/service/service.ts'
import { drawGoodQuery } from '../parameters.ts'
import type { Good, Recipe } from './operation.ts'
import { createTrustList, trustListSettings } from './world.ts'

const read: Recipe = () => ({})
const changeSettings: Recipe = (_, random) => ({ json: random.pick(CHANGES) })
const createKey: Recipe = (_, random) => ({
  json: random.pick([{}, { scopes: ['verify:read'] }, { name: 'Till 3', expires_at: null }]),
})
const key: Recipe = async ({ changing }) => {
  const made = await expectStatus(await changing.call('POST', '/v1/api_keys', { body: {} }), 201)
  return { path: { key: (made as { key_id: string }).key_id } }
}
const createClient: Recipe = (_, random) => ({
  json: { name: 'Wine shop', redirect_uris: [CALLBACK], policies: [ADULT], ...random.pick(CLIENTS) },
})
const client: Recipe = async ({ changing }) => {
  // A changed request of this group may have turned it on, and then no client without a registration is made.
  const settings = { enforce_registration: false }
  await expectStatus(await changing.call('PATCH', '/v1/relying_party', { body: settings }), 200)
  return { path: { client: (await registerClient(changing)).client_id } }
}
const changeClient: Recipe = async (world, random) => ({
  ...(await client(world, random)),
  json: random.pick(CLIENT_CHANGES),
})

const CHANGES: readonly object[] = [
  { by_value: false },
  { formats: ['dc+sd-jwt', 'mso_mdoc'], retention_seconds: 3600 },
  { branding: { color: '#1d4ed8' }, return_urls: ['https://shop.example/back'] },
  { index: true, status_unavailable: 'accept' },
  { webhook: { url: 'http://127.0.0.1:1/', events: ['verification.created'] } },
]

const CLIENTS: readonly object[] = [
  {},
  { token_endpoint_auth_method: 'none', application_type: 'native' },
  { require_pkce: false, userinfo_signed_response_alg: 'RS256' },
  { policies: [ADULT, { ...ADULT, name: 'older', scope: ['age_over_21'] }], default_policy: 'older' },
]

const CLIENT_CHANGES: readonly object[] = [
  { name: 'Another shop' },
  { redirect_uris: [CALLBACK, 'https://client.example/other'] },
  { policies: [{ ...ADULT, name: 'elder' }], default_policy: 'elder' },
  { id_token_signed_response_alg: 'ES256' },
]

const readLog: Recipe = async ({ changing }, random) => {
  const query = drawGoodQuery(random, 'GET /v1/audit')
  const search = new URLSearchParams(
    [...query.filter(([name]) => name !== 'limit'), ['limit', '1']].map(([...pair]) => pair),
  )
  const page = await expectStatus(await changing.call('GET', `/v1/audit?${search}`), 200)
  const { next } = page as { next: string | null }
  return { query: next === null || random.below(3) > 0 ? query : [...query, ['after', next]] }
}

export const SETTINGS = {
  'GET /v1/audit': own(readLog),
  'GET /v1/relying_party': own(read),
  'PATCH /v1/relying_party': own(changeSettings),
  'GET /v1/api_keys': own(read),
  'POST /v1/api_keys': own(createKey),
  'DELETE /v1/api_keys/:key': own(key),
  'POST /v1/webhook/rotate_secret': own(read),
  'POST /v1/webhook/test': own(read),
  'POST /v1/webhook/enable': own(read),
  'GET /v1/oidc_clients': own(read),
  'POST /v1/oidc_clients': own(createClient),
  'GET /v1/oidc_clients/:client': own(client),
  'PATCH /v1/oidc_clients/:client': own(changeClient),
  'DELETE /v1/oidc_clients/:client': own(client),
  'POST /v1/oidc_clients/:client/rotate_secret': own(client),
  'POST /oauth/token': ({ stable }, random) => {
    const { relying_party_id: client_id, api_key: client_secret } = stable
    const form = { grant_type: 'client_credentials', ...random.pick([{}, { scope: 'verify:read' }]) }
    const basic = { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` }
    return random.below(2) === 0 ? { form: { ...form, client_id, client_secret } } : { form, headers: basic }
  },

  'POST /v1/admin/relying_parties': operator((_, random) => ({
    json: { name: 'Shop', livemode: random.below(4) === 0, ...random.pick(CHANGES) },
  })),
  'GET /v1/admin/relying_parties': operator(async ({ service }, random) => {
    const page = await expectStatus(await service.admin('GET', '?limit=1'), 200)
    const { next_cursor } = page as { next_cursor: number | null }
    const after = next_cursor === null || random.below(2) === 0 ? [] : [['after', `${next_cursor}`] as const]
    return { query: [['limit', random.pick(['1', '50', '100'])], ...after] }
  }),
  'GET /v1/admin/relying_parties/:rp': operator(read),
  'PATCH /v1/admin/relying_parties/:rp': operator(changeSettings),
  'DELETE /v1/admin/relying_parties/:rp': operator(async ({ relyingParty }) => ({
    path: { rp: (await relyingParty()).relying_party_id },
  })),
  'POST /v1/admin/relying_parties/:rp/api_keys': operator(createKey),
  'DELETE /v1/admin/relying_parties/:rp/api_keys/:key': operator(key),
  'POST /v1/admin/relying_parties/:rp/webhook/rotate_secret': operator(read),
  'POST /v1/admin/relying_parties/:rp/webhook/test': operator(read),
  'POST /v1/admin/relying_parties/:rp/webhook/enable': operator(read),
  'GET /v1/admin/relying_parties/:rp/oidc_clients': operator(read),
  'POST /v1/admin/relying_parties/:rp/oidc_clients': operator(createClient),
  'GET /v1/admin/relying_parties/:rp/oidc_clients/:client': operator(client),
  'PATCH /v1/admin/relying_parties/:rp/oidc_clients/:client': operator(changeClient),
  'DELETE /v1/admin/relying_parties/:rp/oidc_clients/:client': operator(client),
  'POST /v1/admin/relying_parties/:rp/oidc_clients/:client/rotate_secret': operator(client),
  'GET /v1/admin/verifications/:id': operator(async ({ sessions }, random) => ({
    path: { id: random.pick(await sessions()).verification_id },
  })),
  'POST /v1/admin/trust_lists': operator(() => ({ json: trustListSettings() })),
  'GET /v1/admin/trust_lists': operator(read),
  'GET /v1/admin/trust_lists/:list': operator(async ({ trustList }) => ({
    path: { list: await trustList() },
  })),
  'POST /v1/admin/trust_lists/:list/refresh': operator(async ({ trustList }) => ({
    path: { list: await trustList() },
  })),
  'DELETE /v1/admin/trust_lists/:list': operator(async (world) => ({
    path: { list: await createTrustList(world) },
  })),
} as const satisfies Readonly<Record<string, Recipe>>

/** The relying party itself sends the request. */
function own(recipe: Recipe): Recipe {
  return async (world, random) => ({ token: world.changing.api_key, ...(await recipe(world, random)) })
}

/** The operator sends the request, about the relying party if the path has one. */
function operator(recipe: Recipe): Recipe {
  return async (world, random): Promise<Good> => {
    const good = await recipe(world, random)
    const { service, changing } = world
    return {
      token: service.server.adminToken,
      headers: { operator: 'fuzz' },
      ...good,
      path: { rp: changing.relying_party_id, ...good.path },
    }
  }
}
