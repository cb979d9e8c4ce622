// Responses of the provider: OAuth errors in JSON, and the way back to the client.

import { oauthDescriptions } from '../edge/cloudflare.ts'
import type { AppContext } from '../edge/context.ts'
import type { RequestError } from './request-errors.ts'

/** Adds the header for pages of any origin, which never send credentials. */
export function allowAnyOrigin(response: Response): Response {
  response.headers.set('Access-Control-Allow-Origin', '*')
  return response
}

/** Responds to the question of a browser if a page of another origin may call this endpoint. */
export function preflight(methods: string): Response {
  const headers = {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
  }
  return allowAnyOrigin(new Response(null, { status: 204, headers }))
}

/** RFC 6749 §5.1 requires both headers. */
export function sendOAuth(body: object, status = 200): Response {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Pragma: 'no-cache' }
  return new Response(JSON.stringify(body), { status, headers })
}

/** Every error of the endpoints that clients call. assets/oauth-errors.json has their descriptions. */
export const OIDC_ERRORS = {
  request_timeout: row(408, 'invalid_request'),
  too_large: row(413, 'invalid_request'),
  unsupported_media_type: row(415, 'invalid_request'),
  malformed: row(400, 'invalid_request'),
  duplicate_parameter: row(400, 'invalid_request'),
  method_not_allowed: row(405, 'invalid_request'),
  missing_parameter: row(400, 'invalid_request'),
  two_authentications: row(400, 'invalid_request'),
  grant_type_unsupported: row(400, 'unsupported_grant_type'),
  code_invalid: row(400, 'invalid_grant'),
  client_unknown: row(401, 'invalid_client'),
  token_invalid: row(401, 'invalid_token'),
  token_missing: row(401, 'invalid_token'),
  rate_limited: row(429, 'temporarily_unavailable'),
  overloaded: row(503, 'temporarily_unavailable'),
  unavailable: row(503, 'temporarily_unavailable'),
} as const

export type OidcError = keyof typeof OIDC_ERRORS

function row(status: number, error: string) {
  return { status, error }
}

/** Returns the description of an error of this provider. */
export async function describeError({ env }: AppContext, name: OidcError | RequestError): Promise<string> {
  return (await oauthDescriptions(env.ASSETS)).oidc[name]
}

/** Sends an error of the table. */
export async function refuse(c: AppContext, name: OidcError, allow = 'POST'): Promise<Response> {
  const { status, error } = OIDC_ERRORS[name]
  const response = sendOAuth({ error, error_description: await describeError(c, name) }, status)
  const { headers } = response
  if (name === 'client_unknown') headers.set('WWW-Authenticate', 'Basic realm="oidc", charset="UTF-8"')
  if (name === 'token_missing') headers.set('WWW-Authenticate', 'Bearer')
  if (name === 'token_invalid') headers.set('WWW-Authenticate', 'Bearer error="invalid_token"')
  if (status === 405) headers.set('Allow', allow)
  if (status === 429) headers.set('Retry-After', '60')
  if (status === 503) headers.set('Retry-After', '1')
  return response
}

/** Parameters of an authorization response. */
export type ResponseParameters = Readonly<Record<string, string | null>>

/** Returns the client's address with further parameters. It has no fragment. */
export function withParameters(redirectUri: string, parameters: ResponseParameters): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null)
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  return `${redirectUri}${separator}${new URLSearchParams(given)}`
}

/** Redirects a browser. The address that it came from is sent to no site. */
export function redirectTo(c: AppContext, address: string): Response {
  const headers = { Location: address, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }
  return c.body(null, 303, headers) // with the cookies that were set
}
