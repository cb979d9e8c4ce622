// Parameters, headers and the ways of showing who calls, as the description has them.

import { QR_SIZE } from '../src/qr/symbol.ts'
import { SCOPES } from '../src/relying-party/settings/settings.ts'
import type { Access } from '../src/routes/edge/access.ts'
import type { Schema } from './components.ts'
import type { HeaderName, ParameterName } from './operation.ts'

/** The parts of paths, by the name after the colon. */
export const PATH_WORDS: Readonly<Record<string, string>> = {
  id: 'The `verification_id`.',
  delivery: 'The `delivery_id`.',
  key: 'The `key_id`.',
  rp: 'The `relying_party_id`.',
  code: 'The `code` of a problem.',
  name: 'The file.',
  page: 'The name of a page.',
  list: 'The `name` of a list.',
  capability: 'From the `request_uri`: unguessable.',
}

export const QUERY_WORDS: Readonly<Record<string, string>> = {
  wait: 'Seconds, 1 to 25: answer when there is news, or then.',
  after_version: 'News is a `version` above this. Default: the one that is found.',
  after: 'Where the last page ended. Default: the beginning.',
  limit: '1 to 100.',
}

export const PARAMETERS: Readonly<Record<ParameterName, Schema>> = {
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key and body again: the same session.',
    schema: { type: 'string', maxLength: 255 },
  },
  size: {
    name: 'size',
    in: 'query',
    description: 'Pixels.',
    schema: {
      type: 'integer',
      minimum: QR_SIZE.minimum,
      maximum: QR_SIZE.maximum,
      default: QR_SIZE.standard,
    },
  },
}

export const HEADERS: Readonly<Record<HeaderName, string>> = {
  Location: 'Where the verification is read.',
  'Idempotent-Replayed': '`true`: this is an earlier request’s session.',
  'X-QR-Expires-At': 'The earliest moment at which the picture can die unscanned.',
  'Retry-After': 'Seconds.',
  'WWW-Authenticate': 'The challenge (RFC 6750).',
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
  client_token: { type: 'http', scheme: 'bearer', description: 'The `client_token` of this session.' },
  client_token_query: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'The same, in the address.',
  },
  client_secret: { type: 'http', scheme: 'basic', description: '`relying_party_id` and API key.' },
  admin_token: { type: 'http', scheme: 'bearer', description: '`ADMIN_TOKEN`.' },
} as const

type Requirement = { readonly [scheme in keyof typeof SECURITY_SCHEMES]?: readonly string[] }

/** What a caller shows: one of these. Nothing: an empty list. */
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
      return [{ client_secret: [] }, {}] // or in the form
    case 'operator':
      return [{ admin_token: [] }]
    case 'anyone':
    case 'wallet':
    case 'browser':
      return []
  }
}
