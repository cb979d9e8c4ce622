// Parameters, headers and security schemes of the description.

import { QR_SIZE } from '../src/qr/symbol.ts'
import { SCOPES } from '../src/relying-party/document/settings.ts'
import type { Access } from '../src/routes/edge/access.ts'
import type { Schema } from './components.ts'
import type { HeaderName, ParameterName } from './operation.ts'

/** Path parameters, by their names. */
export const PATH_TEXTS: Readonly<Record<string, string>> = {
  id: 'The `verification_id`.',
  delivery: 'The `delivery_id`.',
  sha256: 'SHA-256 in hexadecimal, from `materials` of the evidence.',
  key: 'The `key_id`.',
  rp: 'The `relying_party_id`.',
  code: 'The `code` of a problem or a reason.',
  name: 'The name of the file.',
  page: 'The name of the page.',
  list: 'The `name` of the list.',
  client: 'The `client_id`.',
  capability: 'The unguessable part of the `request_uri`.',
}

export const QUERY_TEXTS: Readonly<Record<string, string>> = {
  wait: 'Long poll: the longest wait for a change, in seconds.',
  after_version: 'Needs `wait`. A change is a `version` above this one. Default: the current version.',
  after: 'The `next` of the previous page. Default: the beginning.',
  limit: 'Entries of a page.',
  wallet: 'Id of a wallet profile: the request is made for this wallet. `any`: for any wallet.',
}

export const PARAMETERS: Readonly<Record<ParameterName, Schema>> = {
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes a retry safe: the same key and body return the same verification.',
    // Spaces around the value of a header are not a part of it.
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
  },
  operatorName: {
    name: 'Operator',
    in: 'header',
    description:
      'Your name, for the log of changes: up to 64 of A-Z, a-z, 0-9, `_.@+-`. Other texts are ignored.',
    schema: { type: 'string' },
  },
  proof: {
    name: 'DPoP',
    in: 'header',
    description: 'A proof of possession of a key for this request (RFC 9449).',
    schema: { type: 'string' },
  },
  size: {
    name: 'size',
    in: 'query',
    description: 'Width and height in pixels.',
    schema: {
      type: 'integer',
      minimum: QR_SIZE.minimum,
      maximum: QR_SIZE.maximum,
      default: QR_SIZE.standard,
    },
  },
}

export const HEADERS: Readonly<Record<HeaderName, string>> = {
  Location: 'The address of the verification.',
  'Idempotent-Replayed': '`true` when an earlier request with this key created the verification.',
  'X-QR-Expires-At': 'The earliest time at which this QR code can expire without a scan.',
  'Retry-After': 'Seconds to wait before the next call.',
  'WWW-Authenticate': 'The challenge of RFC 6750.',
}

export const SECURITY_SCHEMES = {
  api_key: { type: 'http', scheme: 'bearer', description: 'An API key, `wv_test_…` or `wv_live_…`.' },
  access_token: {
    type: 'oauth2',
    flows: {
      clientCredentials: {
        tokenUrl: '/oauth/token',
        scopes: Object.fromEntries(SCOPES.map((scope) => [scope, ''])),
      },
    },
  },
  client_token: { type: 'http', scheme: 'bearer', description: 'The `client_token` of this verification.' },
  client_token_query: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'The `client_token` in the query string.',
  },
  client_secret: {
    type: 'http',
    scheme: 'basic',
    description: 'The `relying_party_id` as user name, an API key as password.',
  },
  oidc_client: {
    type: 'http',
    scheme: 'basic',
    description: 'The `client_id` and secret of an OpenID Connect client.',
  },
  oidc_token: { type: 'http', scheme: 'bearer', description: 'An access token of an OpenID Connect client.' },
  admin_token: { type: 'http', scheme: 'bearer', description: 'The value of `ADMIN_TOKEN`.' },
  metrics_token: { type: 'http', scheme: 'bearer', description: 'The value of `METRICS_TOKEN`.' },
} as const

type Requirement = { readonly [scheme in keyof typeof SECURITY_SCHEMES]?: readonly string[] }

/** Returns the accepted credentials of a caller: one of these. An empty list: none are needed. */
export function securityOf(access: Access): readonly Requirement[] {
  switch (access.caller) {
    case 'relying_party':
      return [{ api_key: [access.scope] }, { access_token: [access.scope] }]
    case 'session':
      return [
        { api_key: [access.scope] },
        { access_token: [access.scope] },
        { client_token: [] },
        { client_token_query: [] },
      ]
    case 'page':
      return [{ client_token: [] }]
    case 'person':
      return [{ client_token_query: [] }]
    case 'client':
      return [{ client_secret: [] }, {}] // credentials may also be members of the form
    case 'oidc_client':
      return [{ oidc_client: [] }, {}] // credentials may also be members of the form
    case 'oidc_token':
      return [{ oidc_token: [] }]
    case 'operator':
      return [{ admin_token: [] }]
    case 'metrics_reader':
      return [{ metrics_token: [] }, { admin_token: [] }]
    case 'anyone':
    case 'wallet':
    case 'browser':
    case 'login':
    case 'console':
      return []
  }
}
