// Errors for relying parties and operators: RFC 9457 problem details. One table has every code. The pages
// behind `type` are generated from the table (public/pages.ts).

import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Problem } from '../../api/responses/public.ts'
import { loadConfig } from '../../config.ts'
import type { AppContext } from './context.ts'

/** One kind of problem. `retryable`: the same request may succeed later, unchanged. */
export type ProblemKind = {
  readonly status: ContentfulStatusCode
  readonly title: string
  readonly retryable: boolean
}

/** Returns a function that makes the table rows of one status. */
const kind =
  (status: ContentfulStatusCode, retryable = false) =>
  (title: string): ProblemKind => ({ status, title, retryable })

const invalid = kind(400)
const unauthorized = kind(401)
const forbidden = kind(403)
const missing = kind(404)
const conflict = kind(409)
const limited = kind(429, true)

/**
 * Every problem code (api/errors). A code does not change within /v1. scripts/documents has the texts of the
 * pages about the codes.
 */
export const PROBLEMS = {
  invalid_json: invalid('The body is not acceptable JSON'),
  invalid_request: invalid('The request is not valid'),
  unsupported_credential_type: invalid('The credential type is unknown'),
  unsupported_scope: invalid('The scope is unknown'),
  invalid_qr_size: invalid('The QR size is out of range'),
  invalid_code: invalid('Invalid or expired code'),
  presentation_refused: invalid('The response was not accepted'),
  missing_token: unauthorized('No bearer token was sent'),
  invalid_token: unauthorized('The bearer token is not valid'),
  expired_token: unauthorized('The bearer token has expired'),
  insufficient_scope: forbidden('The bearer token does not allow this'),
  cross_site_request: forbidden('Only the page of this service may send this'),
  fresh_sign_in_required: forbidden('This change needs a sign-in of the last ten minutes'),
  sign_in_refused: forbidden('The sign-in was refused'),
  role_missing: forbidden('The account has no role for this relying party'),
  people_not_enabled: missing('The relying party has no sign-in for people'),
  not_found: missing('Not found'),
  verification_not_found: missing('The verification does not exist'),
  no_evidence: missing('No evidence was kept of this verification'),
  method_not_allowed: kind(405)('The method is not allowed here'),
  not_acceptable: kind(406)('None of the accepted media types can be produced'),
  request_timeout: kind(408, true)('The body did not arrive in time'),
  verification_already_terminal: conflict('The verification has already ended'),
  verification_pending: kind(409, true)('The verification has not ended yet'),
  idempotency_conflict: conflict('The Idempotency-Key was used with another body'),
  binding_excludes_qr: conflict('This verification offers no QR'),
  redirect_not_offered: conflict('This verification has no QR and no link'),
  dc_api_not_offered: conflict('This verification is not offered to the Digital Credentials API'),
  other_browser: conflict('The wallet returned to another browser'),
  webhook_not_configured: conflict('The relying party has no webhook'),
  index_disabled: conflict('The relying party has no list of its verifications'),
  redelivery_limit_reached: conflict('The event was redelivered too often'),
  verification_ended: kind(410)('The verification has ended'),
  evidence_erased: kind(410)('The evidence was erased'),
  payload_too_large: kind(413)('The body is too large'),
  unsupported_media_type: kind(415)('The content type is not supported'),
  unknown_host: kind(421)('This host name is not one of the service'),
  policy_unsatisfiable: kind(422)('No credential could satisfy this policy'),
  evidence_not_configured: kind(422)('The relying party has no keys for evidence'),
  time_stamp_not_configured: kind(422)('The service has no time-stamping authority'),
  intent_to_retain_required: kind(422)('Evidence needs a request that says that data is kept'),
  upgrade_required: kind(426)('This address is for WebSocket only'),
  rate_limited: limited('Too many requests'),
  render_limit_reached: limited('Too many QR renders of one verification'),
  internal_error: kind(500, true)('The service failed'),
  sign_in_provider_failed: kind(502, true)('The OpenID Provider did not respond as expected'),
  temporarily_unavailable: kind(503, true)('The service is temporarily unavailable'),
} as const satisfies Readonly<Record<string, ProblemKind>>

export type ProblemCode = keyof typeof PROBLEMS

/**
 * One error of a request. `pointer`: an RFC 6901 pointer into the body, or `/<name>` of a parameter. The
 * error never contains the sent value.
 */
export type FieldError = { readonly pointer: string; readonly code: string; readonly message: string }

/** A rejected request: the problem, and each error with its pointer. */
export type RequestError = { readonly code: ProblemCode; readonly errors: readonly FieldError[] }

type ProblemDetails = {
  /** Explanation of this occurrence. Never repeats what was sent. */
  readonly detail?: string
  readonly errors?: readonly FieldError[]
  /** Further members of this problem. */
  readonly members?: Pick<Problem, 'erased_at'>
  readonly headers?: Readonly<Record<string, string>>
  /** Seconds for `Retry-After` on 429 and 503; default 1. */
  readonly retryAfter?: number
}

/** Sends the RFC 9457 response for a code. */
export function problem(c: AppContext, code: ProblemCode, details: ProblemDetails = {}): Response {
  const { status, title, retryable } = PROBLEMS[code]
  const body: Problem = {
    type: problemType(c, code),
    title,
    status,
    detail: details.detail ?? title,
    code,
    request_id: c.get('requestId'),
    retryable,
    errors: details.errors ?? [],
    ...details.members,
  }
  const headers = new Headers(details.headers)
  headers.set('Content-Type', 'application/problem+json')
  headers.set('Cache-Control', 'no-store')
  if (status === 429 || status === 503) headers.set('Retry-After', String(details.retryAfter ?? 1))
  if (status === 401 || code === 'insufficient_scope') {
    if (!headers.has('WWW-Authenticate')) headers.set('WWW-Authenticate', challenge(code))
  }
  return new Response(JSON.stringify(body), { status, headers })
}

/** Sends the response to a request with one invalid member. */
export function memberProblem(c: AppContext, error: FieldError): Response {
  return problem(c, 'invalid_request', { errors: [error] })
}

/** Returns the error of a valid request for which no session is possible. */
export function unsatisfiable(error: FieldError): RequestError {
  return { code: 'policy_unsatisfiable', errors: [error] }
}

/** Returns the error of a member that this caller may not send. */
export function notAllowed(code: ProblemCode, pointer: string, message: string): RequestError {
  return { code, errors: [{ pointer, code: 'not_allowed', message }] }
}

/**
 * Returns the value of `WWW-Authenticate` (RFC 6750 §3). The value has no error code if no token was sent.
 * For an expired token, the error code is `invalid_token`.
 */
function challenge(code: ProblemCode): string {
  if (code === 'missing_token') return 'Bearer'
  return `Bearer error="${code === 'insufficient_scope' ? code : 'invalid_token'}"`
}

function problemType(c: AppContext, code: ProblemCode): string {
  try {
    return `${loadConfig(c.env).baseUrl}/problems/${code}`
  } catch {
    return 'about:blank' // RFC 9457 §4.2.1; without a valid configuration our address is unknown
  }
}
