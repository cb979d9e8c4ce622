// Access table (api/access): every mounted route, and the callers that the route accepts. The handler of a
// route authenticates exactly these callers. test/routes/edge/access.test.ts compares this table with the
// mounted routes and their behaviour.

import type { Scope } from '../../relying-party/document/settings.ts'

/** Credential that a caller must send. */
export type Access =
  | {
      readonly caller: /** Nothing. */
        | 'anyone'
        /** An unguessable address, or the `state` of a live request. */
        | 'wallet'
        /** The session's `client_token`, in the address that the person received. */
        | 'person'
        /** The session's `client_token`, sent by our own page. */
        | 'page'
        /**
         * A code that the wallet received for this browser, sent by our own page with the browser's cookie.
         */
        | 'browser'
        /** A `relying_party_id` and an API key as client credentials. */
        | 'client'
        /** The credential of an OpenID Connect client, by the method that the client registered. */
        | 'oidc_client'
        /** An access token of the OpenID Connect provider. */
        | 'oidc_token'
        /** The cookie of the browser that began the login. */
        | 'login'
        /** The cookie of the console, or a credential for its sign-in, sent by the console's own page. */
        | 'console'
        /** `ADMIN_TOKEN`. */
        | 'operator'
        /** `METRICS_TOKEN`, or `ADMIN_TOKEN`. */
        | 'metrics_reader'
    }
  /** The session's `client_token`, or a relying party's token with the scope. */
  | { readonly caller: 'session'; readonly scope: Scope }
  /** An API key or access token with the scope. */
  | { readonly caller: 'relying_party'; readonly scope: Scope }

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

const ANYONE = { caller: 'anyone' } as const
const WALLET = { caller: 'wallet' } as const
const OPERATOR = { caller: 'operator' } as const

/**
 * Access of every route, by method and path. openapi/operations describes the request and the responses of
 * each route. After a change there, run `npm run generate`.
 */
export const ACCESS = {
  'GET /openapi.json': ANYONE,
  'GET /docs': ANYONE,
  'GET /inspect': ANYONE,
  'GET /healthz': ANYONE,
  'GET /readyz': ANYONE,
  'GET /.well-known/jwks.json': ANYONE,
  'GET /.well-known/did.json': ANYONE,
  'GET /rp/:rp/did.json': ANYONE,
  'GET /.well-known/oauth-authorization-server': ANYONE,
  'GET /': ANYONE,
  'GET /problems': ANYONE,
  'GET /problems/:code': ANYONE,
  'GET /assets/api-reference.js': ANYONE,
  'GET /assets/:name': ANYONE,
  'GET /v1/verify/:id/return': ANYONE,
  'GET /test/:page': ANYONE,
  'POST /test/:page': ANYONE,
  'GET /demo': ANYONE,
  'GET /demo/:page': ANYONE,
  'POST /demo/:page': ANYONE,

  'GET /r/:capability': WALLET,
  'POST /r/:capability': WALLET,
  'POST /v1/verify/:id/callback': WALLET,

  'GET /s/:id': { caller: 'person' },
  'POST /s/:id': { caller: 'page' },
  'POST /s/:id/decline': { caller: 'page' },
  'POST /v1/verify/:id/link': { caller: 'page' },
  'POST /v1/verify/:id/response_code': { caller: 'browser' },
  'GET /v1/verify/:id/watch': { caller: 'session', scope: 'verify:read' },
  // A client token is accepted from our own page only.
  'POST /v1/verify/:id/dc-api/request': { caller: 'session', scope: 'verify:request' },
  'POST /v1/verify/:id/dc-api': { caller: 'session', scope: 'verify:request' },
  'GET /v1/verify/:id/qr': { caller: 'session', scope: 'verify:request' },
  'GET /v1/verify/:id': { caller: 'session', scope: 'verify:read' },

  'POST /v1/verify': relyingParty('verify:create'),
  'DELETE /v1/verify/:id': relyingParty('verify:create'),
  'POST /v1/verify/:id/cancel': relyingParty('verify:create'),
  'POST /v1/test/verify/:id/outcome': relyingParty('verify:create'),
  'GET /v1/verify/:id/openid4vp': relyingParty('verify:request'),
  'POST /v1/verify/:id/return': relyingParty('verify:read'),
  'GET /v1/verify/:id/receipt': relyingParty('verify:read'),
  'GET /v1/verify/:id/evidence': relyingParty('evidence:read'),
  'DELETE /v1/verify/:id/evidence': relyingParty('evidence:read'),
  'GET /v1/evidence/materials/:sha256': relyingParty('evidence:read'),
  'GET /v1/events': relyingParty('verify:read'),
  'GET /v1/verify': relyingParty('verify:read'),
  'GET /v1/insights': relyingParty('verify:read'),
  'GET /v1/wallets': relyingParty('verify:read'),
  'GET /v1/verify/:id/timeline': relyingParty('verify:read'),
  'GET /v1/verify/:id/deliveries': relyingParty('webhooks:manage'),
  'POST /v1/verify/:id/deliveries/:delivery/redeliver': relyingParty('webhooks:manage'),
  'POST /v1/webhook/redeliver': relyingParty('webhooks:manage'),

  'GET /v1/audit': relyingParty('settings:manage'),
  'GET /v1/relying_party': relyingParty('settings:manage'),
  'PATCH /v1/relying_party': relyingParty('settings:manage'),
  'GET /v1/api_keys': relyingParty('settings:manage'),
  'POST /v1/api_keys': relyingParty('settings:manage'),
  'DELETE /v1/api_keys/:key': relyingParty('settings:manage'),
  'POST /v1/webhook/rotate_secret': relyingParty('settings:manage'),
  'POST /v1/webhook/test': relyingParty('settings:manage'),
  'POST /v1/webhook/enable': relyingParty('settings:manage'),
  'GET /v1/oidc_clients': relyingParty('settings:manage'),
  'POST /v1/oidc_clients': relyingParty('settings:manage'),
  'GET /v1/oidc_clients/:client': relyingParty('settings:manage'),
  'PATCH /v1/oidc_clients/:client': relyingParty('settings:manage'),
  'DELETE /v1/oidc_clients/:client': relyingParty('settings:manage'),
  'POST /v1/oidc_clients/:client/rotate_secret': relyingParty('settings:manage'),
  'POST /oauth/token': { caller: 'client' },

  'GET /oidc/:rp/.well-known/openid-configuration': ANYONE,
  'GET /oidc/:rp/jwks': ANYONE,
  'GET /oidc/:rp/authorize': ANYONE,
  'POST /oidc/:rp/authorize': ANYONE,
  'GET /oidc/:rp/finish/:id': { caller: 'login' },
  'POST /oidc/:rp/par': { caller: 'oidc_client' },
  'POST /oidc/:rp/token': { caller: 'oidc_client' },
  'GET /oidc/:rp/userinfo': { caller: 'oidc_token' },
  'POST /oidc/:rp/userinfo': { caller: 'oidc_token' },

  'POST /v1/admin/relying_parties': OPERATOR,
  'GET /v1/admin/relying_parties': OPERATOR,
  'GET /v1/admin/relying_parties/:rp': OPERATOR,
  'PATCH /v1/admin/relying_parties/:rp': OPERATOR,
  'DELETE /v1/admin/relying_parties/:rp': OPERATOR,
  'POST /v1/admin/relying_parties/:rp/api_keys': OPERATOR,
  'DELETE /v1/admin/relying_parties/:rp/api_keys/:key': OPERATOR,
  'POST /v1/admin/relying_parties/:rp/webhook/rotate_secret': OPERATOR,
  'POST /v1/admin/relying_parties/:rp/webhook/test': OPERATOR,
  'POST /v1/admin/relying_parties/:rp/webhook/enable': OPERATOR,
  'GET /v1/admin/relying_parties/:rp/oidc_clients': OPERATOR,
  'POST /v1/admin/relying_parties/:rp/oidc_clients': OPERATOR,
  'GET /v1/admin/relying_parties/:rp/oidc_clients/:client': OPERATOR,
  'PATCH /v1/admin/relying_parties/:rp/oidc_clients/:client': OPERATOR,
  'DELETE /v1/admin/relying_parties/:rp/oidc_clients/:client': OPERATOR,
  'POST /v1/admin/relying_parties/:rp/oidc_clients/:client/rotate_secret': OPERATOR,
  'GET /v1/admin/verifications/:id': OPERATOR,
  'POST /v1/admin/trust_lists': OPERATOR,
  'GET /v1/admin/trust_lists': OPERATOR,
  'GET /v1/admin/trust_lists/:list': OPERATOR,
  'DELETE /v1/admin/trust_lists/:list': OPERATOR,
  'POST /v1/admin/trust_lists/:list/refresh': OPERATOR,
  'GET /metrics': { caller: 'metrics_reader' },

  // `/console/api/` has no rows: each call has the access of the API route that it calls.
  'GET /console': ANYONE,
  'GET /console/assets/:name': ANYONE,
  'GET /console/people/:rp': ANYONE,
  'POST /console/people': { caller: 'console' },
  'GET /console/session': { caller: 'console' },
  'POST /console/session': { caller: 'console' },
  'DELETE /console/session': { caller: 'console' },
  'POST /console/session/activity': { caller: 'console' },
  'POST /console/codes': OPERATOR,
} as const satisfies Readonly<Record<`${Method} /${string}`, Access>>

export type RouteName = keyof typeof ACCESS

function relyingParty(scope: Scope): Extract<Access, { caller: 'relying_party' }> {
  return { caller: 'relying_party', scope }
}
