// Errors of the token endpoint (RFC 6749 §5.2). Where HTTP has a status of its own for an error, that status
// is used.

import type { FormError } from '../edge/form.ts'

/** Every reason why there is no token. */
export type TokenRefusal =
  | Exclude<FormError, 'overloaded'>
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
  request_timeout: row(408, 'invalid_request', 'The body took longer than 10 s: send it again.'),
  too_large: row(413, 'invalid_request', 'The body is too large.'),
  unsupported_media_type: row(415, 'invalid_request', 'Send application/x-www-form-urlencoded.'),
  malformed: row(400, 'invalid_request', 'The body must be a form in UTF-8.'),
  duplicate_parameter: row(400, 'invalid_request', 'The body must not repeat a parameter.'),
  method_not_allowed: row(405, 'invalid_request', 'Only POST is allowed here.'),
  grant_type_missing: row(400, 'invalid_request', 'grant_type is missing.'),
  grant_type_unsupported: row(400, 'unsupported_grant_type', 'Only client_credentials is supported.'),
  two_authentications: row(400, 'invalid_request', 'Authenticate by header or by body, not by both.'),
  two_clients: row(400, 'invalid_request', 'The header and the body must name the same client.'),
  client_unknown: row(
    401,
    'invalid_client',
    'Send the relying_party_id as client_id and one of its API keys as client_secret.',
  ),
  scope_invalid: row(400, 'invalid_scope', 'The scope must be a list of scopes of the API key.'),
  rate_limited: row(
    429,
    'temporarily_unavailable',
    'Too many calls: keep a token until it expires, and try again shortly.',
  ),
  unavailable: row(503, 'temporarily_unavailable', 'This cannot be checked now: try again.'),
}

function row(status: number, error: string, description: string): OAuthError {
  return { status, error, description }
}
