// Checks responses against the contract. A response is documented, or a text says why it is not.

import { PROBLEMS } from '../../../src/routes/edge/problems.ts'
import { isWalletPath, lintWalletResponse } from '../../support/linters/wallet-response-linter.ts'
import type { FuzzRequest } from './requests.ts'

export type FuzzResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
}

/** Returns why a response does not follow the contract, or `undefined` for a response that does. */
export function undocumented(request: FuzzRequest, answer: FuzzResponse): string | undefined {
  const path = request.path.split('?')[0] ?? ''
  if (answer.status >= 500 && answer.status !== 503) return faultOf(request.route)
  if (!/^req_[\w-]{22}$/.test(String(answer.headers['x-request-id']))) return 'no X-Request-Id'
  if ([429, 503].includes(answer.status) && answer.headers['retry-after'] === undefined)
    return 'no Retry-After'
  if (answer.status === 405 && answer.headers.allow === undefined) return 'no Allow'
  if (request.method === 'HEAD') return answer.body.length > 0 ? 'HEAD with a body' : undefined
  if (answer.status === 101) return path.endsWith('/watch') ? undefined : 'an unknown upgrade'
  if (isWalletPath(path)) return undocumentedForWallets(request, path, answer)
  if (path === '/oauth/token') return undocumentedForClients(answer)
  if (OIDC.test(path)) return undocumentedLogin(path, answer)
  if (PAGE.test(path) && isHtml(answer)) return undocumentedPage(answer)
  if (path.startsWith('/s/') && answer.status === 303) return withLocation(answer)
  if (SANDBOX.test(path) && (answer.status < 400 || typeOf(answer) === 'text/plain'))
    return undocumentedStep(answer)
  if (path === '/metrics' && answer.status === 200)
    return METRICS_TYPES.includes(typeOf(answer) ?? '') ? undefined : 'no metrics'
  return answer.status < 400 ? undocumentedSuccess(path, answer) : undocumentedProblem(answer)
}

/** Returns the error of a response with 500. */
export function faultOf(route: FuzzRequest['route']): string {
  return `a fault of ${route ?? 'no route'}`
}

const METRICS_TYPES = ['application/openmetrics-text', 'text/plain']
const OIDC = /^\/oidc\/[^/]+\/(authorize|finish|par|token|userinfo)(\/|$)/
const LOGIN_PAGE = /^\/oidc\/[^/]+\/(authorize|finish)(\/|$)/
const SANDBOX = /^\/(test|demo)(\/|$)/
const PAGE = new RegExp(
  `^/s/|^/v1/verify/[^/]+/return$|^/$|^/problems(/|$)|^/docs$|^/inspect$|^/console$|^/console/people/|${SANDBOX.source}`,
)

/** api/protocols. */
function undocumentedForWallets(
  { method }: FuzzRequest,
  path: string,
  { status, headers, body }: FuzzResponse,
): string | undefined {
  if (!WALLET_STATUSES.includes(status)) return 'an unknown status'
  const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string])
  return lintWalletResponse({ method, path, status, headers: new Headers(named), body: body.toString() })[0]
}

const WALLET_STATUSES = [200, 400, 404, 405, 409, 410, 413, 415, 429, 503]

/** RFC 6749 §5. */
function undocumentedForClients(answer: FuzzResponse): string | undefined {
  if (answer.headers['cache-control'] !== 'no-store') return 'may be stored'
  if (answer.status === 200) return typeof json(answer)?.access_token === 'string' ? undefined : 'no token'
  return oauthError(answer, [400, 401, 405, 413, 415, 429, 503])
}

function oauthError(answer: FuzzResponse, statuses: readonly number[]): string | undefined {
  const body = json(answer)
  if (!statuses.includes(answer.status)) return 'an unknown status'
  const isError = [body?.error, body?.error_description].every(
    (text) => typeof text === 'string' && text !== '',
  )
  return isError && typeOf(answer) === 'application/json' ? undefined : 'no OAuth error'
}

/** Responses of the OpenID Connect provider: to browsers, and to clients. */
function undocumentedLogin(path: string, answer: FuzzResponse): string | undefined {
  if (typeOf(answer) === 'application/problem+json') return undocumentedProblem(answer)
  if (LOGIN_PAGE.test(path) && answer.status === 303) return withLocation(answer)
  if (LOGIN_PAGE.test(path)) return undocumentedPage(answer, [200, 400, 404, 413, 415, 429, 503])
  if (answer.status >= 400) return oauthError(answer, [400, 401, 405, 413, 415, 429, 503])
  const isJwt = typeOf(answer) === 'application/jwt' && path.endsWith('/userinfo')
  if (!isJwt) return undocumentedSuccess(path, answer)
  return COMPACT.test(answer.body.toString()) ? undefined : 'no JWT'
}

/** A JWS or a JWE. */
const COMPACT = /^[\w-]+(\.[\w-]*){2}((\.[\w-]+){2})?$/

function withLocation({ headers }: FuzzResponse): string | undefined {
  return headers.location === undefined ? 'no Location' : undefined
}

function undocumentedPage(
  answer: FuzzResponse,
  statuses: readonly number[] = [200, 404, 422, 429, 503],
): string | undefined {
  if (!isHtml(answer)) return 'no page'
  if (!statuses.includes(answer.status)) return 'an unknown status of a page'
  const policy = String(answer.headers['content-security-policy'])
  return policy.includes("default-src 'none'") ? undefined : 'a page without a policy'
}

/** Responses of the sandbox and the demo shop that are neither pages nor problems. */
function undocumentedStep(answer: FuzzResponse): string | undefined {
  if (answer.status === 303) return withLocation(answer)
  if (answer.status >= 400) return [400, 403, 413].includes(answer.status) ? undefined : 'an unknown status'
  return answer.status === 204 || STEPS.includes(typeOf(answer)) ? undefined : 'no script'
}

const STEPS = ['text/javascript', 'text/css', 'application/json']
const SCRIPTS = ['text/javascript', 'text/css']

function undocumentedSuccess(path: string, answer: FuzzResponse): string | undefined {
  if (answer.status === 204) return answer.body.length > 0 ? '204 with a body' : undefined
  if (![200, 201, 202].includes(answer.status)) return 'an unknown status'
  const type = typeOf(answer)
  if (/^\/v1\/verify\/[^/]+\/qr$/.test(path))
    return /^image\/(png|svg\+xml)$/.test(type) ? undefined : 'no picture'
  if (path.startsWith('/console/assets/'))
    return SCRIPTS.includes(type) || type === 'application/json' ? undefined : 'no file of the console'
  if (path.startsWith('/assets/')) return type === 'text/javascript' ? undefined : 'no script'
  if (path.endsWith('/receipt') && type === 'application/verification-receipt+jwt')
    return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(answer.body.toString()) ? undefined : 'no JWS'
  if (path.startsWith('/v1/evidence/materials/'))
    return type === 'application/octet-stream' ? undefined : 'no material'
  const expected = path.endsWith('/did.json') ? 'application/did+json' : 'application/json'
  return type === expected && json(answer) !== undefined ? undefined : 'no JSON'
}

/** api/errors. */
function undocumentedProblem(answer: FuzzResponse): string | undefined {
  if (typeOf(answer) !== 'application/problem+json') return 'no problem'
  const body = json(answer)
  const kind = PROBLEMS[body?.code as keyof typeof PROBLEMS]
  if (kind === undefined || kind.status !== answer.status || body?.status !== answer.status)
    return 'an unknown code'
  if (body.request_id !== answer.headers['x-request-id']) return 'another request_id'
  if (!String(body.type).endsWith(`/problems/${body.code}`)) return 'a type without a page'
  if (body.title !== kind.title || typeof body.detail !== 'string' || body.retryable !== kind.retryable)
    return 'an incomplete problem'
  const challenge = answer.headers['www-authenticate']
  return answer.status === 401 && challenge === undefined ? 'no WWW-Authenticate' : undefined
}

function isHtml(answer: FuzzResponse): boolean {
  return typeOf(answer) === 'text/html'
}

function typeOf({ headers }: FuzzResponse): string {
  return String(headers['content-type'] ?? '').split(';')[0] ?? ''
}

function json({ body }: FuzzResponse): Record<string, unknown> | undefined {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>
  } catch {
    return undefined
  }
}
