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

type OAuthError = { readonly status: number; readonly error: string }

/**
 * Every error of the token endpoint. An expired, a revoked and an invented secret have the same error.
 * assets/oauth-errors.json has their descriptions.
 */
export const TOKEN_ERRORS: Readonly<Record<TokenRefusal, OAuthError>> = {
  request_timeout: row(408, 'invalid_request'),
  too_large: row(413, 'invalid_request'),
  unsupported_media_type: row(415, 'invalid_request'),
  malformed: row(400, 'invalid_request'),
  duplicate_parameter: row(400, 'invalid_request'),
  method_not_allowed: row(405, 'invalid_request'),
  grant_type_missing: row(400, 'invalid_request'),
  grant_type_unsupported: row(400, 'unsupported_grant_type'),
  two_authentications: row(400, 'invalid_request'),
  two_clients: row(400, 'invalid_request'),
  client_unknown: row(401, 'invalid_client'),
  scope_invalid: row(400, 'invalid_scope'),
  rate_limited: row(429, 'temporarily_unavailable'),
  unavailable: row(503, 'temporarily_unavailable'),
}

function row(status: number, error: string): OAuthError {
  return { status, error }
}
