// Operations of OpenID Connect: clients of a relying party, and the endpoints of its issuer (api/logins).

import errors from '../../assets/oauth-errors.json' with { type: 'json' }
import type { RouteName } from '../../src/routes/edge/access.ts'
import type { RequestError } from '../../src/routes/oidc/responses.ts'
import type { Operation } from '../operation.ts'

const CLIENT = { description: 'The client, without its secret.', json: ['OidcClient'] } as const
const CHANGED = { 200: { description: 'The client, and warnings.', json: ['CreatedOidcClient'] } } as const
const CREATED = {
  201: {
    description: 'The client. Only this response contains its secret.',
    json: ['CreatedOidcClient'],
  },
} as const
const LIST = { 200: { description: 'In the order of creation.', json: ['OidcClientList'] } } as const
const DELETED = { 204: { description: 'Deleted. Caches expire within 60 seconds.' } } as const
const SECRET = {
  200: { description: 'The new secret. Only this response contains it.', json: ['OidcSecret'] },
} as const
const POLICY_PROBLEMS = [
  'not_found',
  'unsupported_credential_type',
  'unsupported_scope',
  'policy_unsatisfiable',
] as const

const CREATE = {
  summary: 'Register an OpenID Connect client',
  description:
    'Each policy is judged as a creation is, and has a name of its own. `jwks` has a key for each algorithm, and a client without a secret requires PKCE. Body: at most 128 KiB.',
  body: { json: 'CreateOidcClient' },
  responses: CREATED,
  problems: POLICY_PROBLEMS,
} as const
const CHANGE = {
  summary: 'Change an OpenID Connect client',
  description: 'Each member that you send replaces the stored one as a whole.',
  body: { json: 'ChangeOidcClient' },
  responses: CHANGED,
  problems: POLICY_PROBLEMS,
} as const
const ROTATE = {
  summary: 'Create a new secret of a client',
  description: 'The old secret works for 24 hours.',
  responses: SECRET,
  problems: ['not_found', 'invalid_request'],
} as const
const LISTED = { summary: 'List OpenID Connect clients', responses: LIST, problems: ['not_found'] } as const
const READ = {
  summary: 'Read an OpenID Connect client',
  responses: { 200: CLIENT },
  problems: ['not_found'],
} as const
const DELETE = {
  summary: 'Delete an OpenID Connect client',
  responses: DELETED,
  problems: ['not_found'],
} as const

export const OIDC_CLIENTS = {
  'GET /v1/oidc_clients': { id: 'listOidcClients', ...LISTED },
  'POST /v1/oidc_clients': { id: 'createOidcClient', ...CREATE },
  'GET /v1/oidc_clients/:client': { id: 'readOidcClient', ...READ },
  'PATCH /v1/oidc_clients/:client': { id: 'changeOidcClient', ...CHANGE },
  'DELETE /v1/oidc_clients/:client': { id: 'deleteOidcClient', ...DELETE },
  'POST /v1/oidc_clients/:client/rotate_secret': { id: 'rotateOidcSecret', ...ROTATE },
} as const satisfies { readonly [name in RouteName]?: Operation }

export const OPERATOR_OIDC_CLIENTS = {
  'GET /v1/admin/relying_parties/:rp/oidc_clients': { id: 'adminListOidcClients', ...LISTED },
  'POST /v1/admin/relying_parties/:rp/oidc_clients': { id: 'adminCreateOidcClient', ...CREATE },
  'GET /v1/admin/relying_parties/:rp/oidc_clients/:client': { id: 'adminReadOidcClient', ...READ },
  'PATCH /v1/admin/relying_parties/:rp/oidc_clients/:client': { id: 'adminChangeOidcClient', ...CHANGE },
  'DELETE /v1/admin/relying_parties/:rp/oidc_clients/:client': { id: 'adminDeleteOidcClient', ...DELETE },
  'POST /v1/admin/relying_parties/:rp/oidc_clients/:client/rotate_secret': {
    id: 'adminRotateOidcSecret',
    ...ROTATE,
  },
} as const satisfies { readonly [name in RouteName]?: Operation }

const PAGE = { 'text/html': '<!doctype html><html lang="en">…</html>' } as const

const PAGES = {
  200: { description: 'A form that the browser sends to the client (`form_post`).', other: PAGE },
  303: { description: 'Redirects to the page of the verification, or to the client.', headers: ['Location'] },
  503: { description: 'A page that asks the person to try again.', other: PAGE, headers: ['Retry-After'] },
} as const

const AUTHORIZE = {
  summary: 'Begin a login',
  description:
    'OpenID Connect Core 1.0 §3.1.2: creates a verification and opens its page. A bad client or address never redirects.',
  responses: {
    ...PAGES,
    400: { description: 'A page that reports a bad request.', other: PAGE },
    429: { description: 'A page that reports too many requests.', other: PAGE },
  },
  problems: ['internal_error'],
} as const

const FORM_ERRORS = [
  'request_timeout',
  'too_large',
  'unsupported_media_type',
  'malformed',
  'duplicate_parameter',
  'overloaded',
] as const
const AUTHENTICATION_ERRORS = [
  'two_authentications',
  'client_unknown',
  'assertion_claims',
  'assertion_issuer',
  'assertion_audience',
  'assertion_expiry',
  'assertion_start',
  'assertion_used',
  'rate_limited',
  'unavailable',
] as const
/** Errors of a DPoP proof at each endpoint. */
const PROOF_ERRORS = ['proof_malformed', 'proof_target', 'proof_time', 'proof_used'] as const
/** Errors of a request that is pushed: all but those that only a browser can bring. */
const REQUEST_REFUSALS = (Object.keys(errors.request) as RequestError[]).filter(
  (name) =>
    !['parameter_repeated', 'request_uri_over', 'par_required', 'policy_unsatisfiable'].includes(name),
)
const ISSUER_PROBLEMS = ['not_found', 'internal_error', 'temporarily_unavailable'] as const

const USER_INFO = {
  summary: 'Read the claims of a login',
  description:
    'JSON, or a JWT as the client is registered. An access token that is bound to a key needs a proof (RFC 9449).',
  parameters: ['proof'],
  responses: {
    200: {
      description: 'The claims.',
      json: ['UserInfo'],
      other: { 'application/jwt': 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln' },
    },
  },
  problems: ISSUER_PROBLEMS,
} as const

export const OIDC = {
  'GET /oidc/:rp/.well-known/openid-configuration': {
    id: 'readOidcMetadata',
    summary: 'Read the metadata of an issuer',
    responses: { 200: { description: 'OpenID Connect Discovery 1.0.', json: ['OidcMetadata'] } },
    problems: ISSUER_PROBLEMS,
  },
  'GET /oidc/:rp/jwks': {
    id: 'readOidcKeys',
    summary: 'Read the keys that verify tokens of OpenID Connect',
    responses: { 200: { description: 'A JWK Set.', json: ['OidcKeySet'] } },
    problems: ISSUER_PROBLEMS,
  },
  'GET /oidc/:rp/authorize': { id: 'authorize', ...AUTHORIZE },
  'POST /oidc/:rp/authorize': { id: 'authorizeByForm', ...AUTHORIZE },
  'GET /oidc/:rp/finish/:id': {
    id: 'finishLogin',
    summary: 'Return to the client after a login',
    description: 'The page of the verification opens it, in the browser that began.',
    responses: {
      ...PAGES,
      404: {
        description: 'A page that reports a login of another browser, or one that is over.',
        other: PAGE,
      },
    },
    problems: ['internal_error'],
  },
  'POST /oidc/:rp/par': {
    id: 'pushAuthorizationRequest',
    summary: 'Push an authorization request',
    description:
      'RFC 9126. The `request_uri` has 60 seconds, and one login. The browser of the login may open it again until the login has ended.',
    parameters: ['proof'],
    body: { form: 'PushedRequestForm' },
    responses: {
      201: { description: 'The address of the request.', json: ['PushedRequest'] },
    },
    oidcErrors: [...FORM_ERRORS, ...AUTHENTICATION_ERRORS, ...PROOF_ERRORS, 'proof_key', ...REQUEST_REFUSALS],
    problems: ISSUER_PROBLEMS,
  },
  'POST /oidc/:rp/token': {
    id: 'redeemCode',
    summary: 'Redeem an authorization code',
    description:
      'OpenID Connect Core 1.0 §3.1.3. With a proof in the header `DPoP` (RFC 9449), the access token is bound to its key.',
    parameters: ['proof'],
    body: { form: 'CodeForm' },
    responses: { 200: { description: 'The tokens.', json: ['OidcTokens'] } },
    oidcErrors: [
      ...FORM_ERRORS,
      ...AUTHENTICATION_ERRORS,
      ...PROOF_ERRORS,
      'proof_missing',
      'missing_parameter',
      'grant_type_unsupported',
      'code_invalid',
    ],
    problems: ISSUER_PROBLEMS,
  },
  'GET /oidc/:rp/userinfo': {
    id: 'readUserInfo',
    ...USER_INFO,
    oidcErrors: ['token_missing', 'token_invalid', 'unavailable'],
    proofErrors: [...PROOF_ERRORS, 'proof_missing', 'proof_token'],
  },
  'POST /oidc/:rp/userinfo': {
    id: 'readUserInfoByForm',
    ...USER_INFO,
    oidcErrors: ['token_missing', 'token_invalid', 'unavailable'],
    proofErrors: [...PROOF_ERRORS, 'proof_missing', 'proof_token'],
  },
} as const satisfies { readonly [name in RouteName]?: Operation }
