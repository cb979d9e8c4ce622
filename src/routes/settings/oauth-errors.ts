// Errors of the token endpoint (RFC 6749 §5.2). Where HTTP has a status of its own for an error, that status
// is used.

import type { FormError } from '../edge/form.ts'

/** Every reason why there is no token. */
export type TokenRefusal =
  | FormError
  | 'method_not_allowed'
  | 'grant_type_missing'
  | 'grant_type_unsupported'
  | 'two_authentications'
  | 'two_clients'
  | 'client_unknown'
  | 'scope_invalid'
  | 'rate_limited'
  | 'unavailable'

type OAuthError = { readonly status: number; readonly error: string; readonly description: string }

/** Every error of the token endpoint. An expired, a revoked and an invented secret have the same error. */
export const TOKEN_ERRORS: Readonly<Record<TokenRefusal, OAuthError>> = {
  too_large: invalidRequest(413, 'The body is too large.'),
  unsupported_media_type: invalidRequest(415, 'Send application/x-www-form-urlencoded.'),
  malformed: invalidRequest(400, 'The body must be a form in UTF-8.'),
  duplicate_parameter: invalidRequest(400, 'The body must not repeat a parameter.'),
  method_not_allowed: invalidRequest(405, 'Only POST is allowed here.'),
  grant_type_missing: invalidRequest(400, 'grant_type is missing.'),
  grant_type_unsupported: {
    status: 400,
    error: 'unsupported_grant_type',
    description: 'Only client_credentials is supported.',
  },
  two_authentications: invalidRequest(400, 'Authenticate by header or by body, not by both.'),
  two_clients: invalidRequest(400, 'The header and the body must name the same client.'),
  client_unknown: {
    status: 401,
    error: 'invalid_client',
    description: 'Send the relying_party_id as client_id and one of its API keys as client_secret.',
  },
  scope_invalid: {
    status: 400,
    error: 'invalid_scope',
    description: 'The scope must be a list of scopes of the API key.',
  },
  rate_limited: {
    status: 429,
    error: 'temporarily_unavailable',
    description: 'Too many calls: keep a token until it expires, and try again shortly.',
  },
  unavailable: {
    status: 503,
    error: 'temporarily_unavailable',
    description: 'This cannot be checked now: try again.',
  },
}

function invalidRequest(status: number, description: string): OAuthError {
  return { status, error: 'invalid_request', description }
}
