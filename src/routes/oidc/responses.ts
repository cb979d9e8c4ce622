// Responses of the provider: OAuth errors in JSON, and redirects to the client.

import { type OAuthErrors, oauthErrors } from '../edge/cloudflare.ts'
import type { AppContext } from '../edge/context.ts'

/**
 * Adds the header `Access-Control-Allow-Origin: *`, so that pages of any origin can read the response. With
 * `*`, browsers let no page read a response to a request with cookies.
 */
export function allowAnyOrigin(response: Response): Response {
  response.headers.set('Access-Control-Allow-Origin', '*')
  return response
}

/** Responds to the preflight by which a browser asks if a page of another origin may call this endpoint. */
export function preflight(methods: string): Response {
  const headers = {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, DPoP',
  }
  return allowAnyOrigin(new Response(null, { status: 204, headers }))
}

/** Sends JSON that must not be cached. RFC 6749 §5.1 requires both cache headers. */
export function sendOAuth(body: object, status = 200): Response {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Pragma: 'no-cache' }
  return new Response(JSON.stringify(body), { status, headers })
}

/** A row of assets/oauth-errors.json. `status`: HTTP status of the error. */
type OAuthError = { readonly status: number; readonly error: string; readonly description: string }

/**
 * Values of headers that some errors need. `challenge`: `WWW-Authenticate` of a 401. `allow`: methods of a
 * 405. `retryAfter`: seconds.
 */
type ErrorHeaders = {
  readonly challenge?: string
  readonly allow?: string | undefined
  readonly retryAfter?: number
}

/** Sends an error (RFC 6749 §5.2). */
export function sendOAuthError(
  { status, error, description }: OAuthError,
  { challenge = '', allow = 'POST', retryAfter = 1 }: ErrorHeaders = {},
): Response {
  const response = sendOAuth({ error, error_description: description }, status)
  const { headers } = response
  if (status === 401) headers.set('WWW-Authenticate', challenge)
  if (status === 405) headers.set('Allow', allow)
  if (status === 429 || status === 503) headers.set('Retry-After', String(retryAfter))
  return response
}

/** Errors of the endpoints that clients call. `RequestError`: errors of authorization requests. */
export type OidcError = keyof OAuthErrors['oidc']
export type RequestError = keyof OAuthErrors['request']

/** Returns an error of an authorization request (RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6). */
export async function requestError({ env }: AppContext, name: RequestError): Promise<OAuthError> {
  return (await oauthErrors(env.ASSETS)).request[name]
}

/** Sends an error of an endpoint that clients call. */
export async function refuse(c: AppContext, name: OidcError, allow?: string): Promise<Response> {
  const { oidc } = await oauthErrors(c.env.ASSETS)
  const challenge = 'Basic realm="oidc", charset="UTF-8"'
  return sendOAuthError(oidc[name], { challenge, allow, retryAfter: name === 'rate_limited' ? 60 : 1 })
}

const DPOP_ALGORITHMS = 'algs="ES256 PS256"'

/**
 * Sends an error of UserInfo (RFC 6750 §3, RFC 9449 §7.1). `scheme`: the scheme by which the access token was
 * sent. An error of a proof is a 401 here.
 */
export async function refuseToken(
  c: AppContext,
  name: OidcError,
  scheme: 'Bearer' | 'DPoP',
): Promise<Response> {
  const row = (await oauthErrors(c.env.ASSETS)).oidc[name]
  const status = row.error === 'invalid_dpop_proof' ? 401 : row.status
  const errorChallenge = `${scheme} error="${row.error}"${scheme === 'DPoP' ? `, ${DPOP_ALGORITHMS}` : ''}`
  const challenge = name === 'token_missing' ? `Bearer, DPoP ${DPOP_ALGORITHMS}` : errorChallenge
  return sendOAuthError({ ...row, status }, { challenge })
}

/** Parameters of an authorization response. */
export type ResponseParameters = Readonly<Record<string, string | null>>

/**
 * Returns the client's address with further parameters. The address has no fragment. Parameters that are null
 * are left out.
 */
export function withParameters(redirectUri: string, parameters: ResponseParameters): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null)
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  return `${redirectUri}${separator}${new URLSearchParams(given)}`
}

/** Redirects the browser. The browser does not send the previous address to the next site. */
export function redirectTo(c: AppContext, address: string): Response {
  const headers = { Location: address, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }
  return c.body(null, 303, headers) // `c.body` also sends the cookies that were set
}
