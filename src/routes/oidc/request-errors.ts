// Errors of authorization requests (OpenID Connect Core 1.0 §3.1.2.6, RFC 6749 §4.1.2.1, RFC 9126 §2.3): at
// the redirect, on the page for people, and from the endpoint of pushed requests.

/** Every error. assets/oauth-errors.json has their descriptions. */
export const REQUEST_ERRORS = {
  parameter_repeated: row('invalid_request'),
  parameter_too_long: row('invalid_request'),
  request_object: row('request_not_supported'),
  foreign_request_uri: row('request_uri_not_supported'),
  pushed_request_uri: row('invalid_request'),
  request_uri_over: row('invalid_request_uri'),
  registration: row('registration_not_supported'),
  redirect_uri: row('invalid_request'),
  response_type_missing: row('invalid_request'),
  response_type: row('unsupported_response_type'),
  response_mode: row('invalid_request'),
  prompt_none: row('login_required'),
  scope_openid: row('invalid_scope'),
  scope_several: row('invalid_scope'),
  scope_unknown: row('invalid_scope'),
  claims: row('invalid_request'),
  par_required: row('invalid_request'),
  policy_by_front_channel: row('invalid_request'),
  challenge_missing: row('invalid_request'),
  challenge_method: row('invalid_request'),
  challenge: row('invalid_request'),
  nonce_missing: row('invalid_request'),
  acr: row('unmet_authentication_requirements'),
  policy_unsatisfiable: row('server_error'),
} as const

export type RequestError = keyof typeof REQUEST_ERRORS

function row(error: string) {
  return { status: 400, error }
}
