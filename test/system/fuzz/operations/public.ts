// Good requests without a relying party: documents, pages, sandbox, demo shop, console and metrics.

import { openLoginBrowser } from '../../../support/service/login.ts'
import { BASE_URL } from '../../../support/service/service.ts'
import type { Recipe } from './operation.ts'
import { linkOf } from './world.ts'

const plain: Recipe = () => ({})
/** One of these texts stands in the path. */
const named =
  (parameter: string, names: readonly string[]): Recipe =>
  (_, random) => ({ path: { [parameter]: random.pick(names) } })
const OWN_PAGE = { origin: BASE_URL }

export const PUBLIC = {
  'GET /openapi.json': plain,
  'GET /docs': plain,
  'GET /inspect': plain,
  'GET /healthz': plain,
  'GET /readyz': plain,
  'GET /.well-known/jwks.json': plain,
  'GET /.well-known/did.json': plain,
  'GET /.well-known/oauth-authorization-server': plain,
  'GET /rp/:rp/did.json': ({ stable }) => ({ path: { rp: stable.relying_party_id.replace(/^rp_/, '') } }),
  'GET /': () => ({ headers: { accept: 'text/html' } }),
  'GET /problems': plain,
  'GET /problems/:code': named('code', ['invalid_request', 'rate_limited', 'not_found']),
  'GET /assets/api-reference.js': plain,
  'GET /assets/:name': named('name', [
    'session-page.js',
    'link.js',
    'dc-api.js',
    'embed.js',
    'return-page.js',
  ]),

  'GET /test/:page': async ({ session }) => ({
    path: { page: 'wallet' },
    query: [['uri', (await session()).wallet_request.uri]],
  }),
  'POST /test/:page': async ({ service, session }) => {
    // The wallet redirects a browser only after a link.
    const uri = await linkOf(openLoginBrowser(service), await session())
    return { path: { page: 'wallet' }, form: { uri } }
  },
  'GET /demo': plain,
  'GET /demo/:page': named('page', ['return', 'state', 'shop.js', 'shop.css']),
  'POST /demo/:page': (_, random) => ({
    path: { page: random.pick(['choose', 'leave', 'prove', 'cancel']) },
    headers: OWN_PAGE,
    form: { goods: random.pick(['plum', 'windfall', 'nothing']) },
  }),

  'GET /console': plain,
  'GET /console/assets/:name': named('name', ['console.js', 'console.css', 'texts-de.json']),
  'GET /console/people/:rp': ({ stable }) => ({ path: { rp: stable.relying_party_id } }),
  'POST /console/people': async ({ organisation }) => ({
    headers: OWN_PAGE,
    json: { relying_party_id: await organisation(), fresh: true },
  }),
  'POST /console/session/activity': async ({ console }) => {
    const { cookie, change_token } = await console()
    return { headers: { ...OWN_PAGE, cookie, 'console-token': change_token } }
  },
  'GET /console/session': async ({ console }) => {
    const { cookie, change_token } = await console()
    return { headers: { cookie, 'console-token': change_token } }
  },
  'POST /console/session': ({ stable, service }, random) => ({
    headers: OWN_PAGE,
    json: { token: random.pick([stable.api_key, service.server.adminToken]) },
  }),
  'DELETE /console/session': () => ({ headers: OWN_PAGE }),
  // These codes exist only where `BASE_URL` is on loopback.
  'POST /console/codes': ({ local, stable }) => ({
    isLocal: true,
    token: local.adminToken,
    json: { api_key: stable.api_key },
  }),
  'GET /metrics': ({ service }) => ({ token: service.server.adminToken }),
} as const satisfies Readonly<Record<string, Recipe>>
