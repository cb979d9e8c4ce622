// Errors for relying parties and operators: RFC 9457 problem details. One table has every code; the pages
// behind `type` are generated from it (public/pages.ts).

import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Problem } from '../../../openapi/responses/public.ts'
import { configOf } from '../../config.ts'
import type { AppContext } from './context.ts'

/** One kind of problem. `retryable`: the same request may succeed later, unchanged. */
export type ProblemKind = {
  readonly status: ContentfulStatusCode
  readonly title: string
  readonly retryable: boolean
  /** Text of its page: when it happens, what to do. */
  readonly meaning: string
}

/** Returns the rows of one status. */
const kind =
  (status: ContentfulStatusCode, retryable = false) =>
  (title: string, meaning: string): ProblemKind => ({ status, title, retryable, meaning })

const invalid = kind(400)
const unauthorized = kind(401)
const forbidden = kind(403)
const missing = kind(404)
const conflict = kind(409)
const limited = kind(429, true)

/** Every code (CONTRACT 9). Stable within /v1. */
export const PROBLEMS = {
  invalid_json: invalid(
    'The body is not acceptable JSON',
    'The body is not UTF-8, not JSON, nested too deeply, or repeats a member. Send one JSON object with distinct member names.',
  ),
  invalid_request: invalid(
    'The request is not valid',
    'A member, parameter or header is missing, unknown, or outside its limits. Each entry of errors points at one of them.',
  ),
  unsupported_credential_type: invalid(
    'The credential type is unknown',
    'A name in credential_types, or a type identifier in a dcql_query, is unknown. Use a built-in type, or add the type to the settings.',
  ),
  unsupported_scope: invalid(
    'The scope is unknown',
    'A name in scope belongs to no credential type that the relying party may request. Use a scope of a built-in type, or of one in the settings.',
  ),
  invalid_qr_size: invalid(
    'The QR size is out of range',
    'size must be a whole number of pixels from 160 to 1024. A long request that is passed by value may need up to 185.',
  ),
  invalid_code: invalid(
    'Invalid or expired code',
    'The response_code or return_code is wrong, older than 5 minutes, or of a discarded response. A wrong code changes nothing. Start again to get a new code.',
  ),
  presentation_refused: invalid(
    'The response was not accepted',
    "The wallet's response failed validation. The verification is still pending, and the wallet can respond again. The attempts of the verification name the reason.",
  ),
  missing_token: unauthorized(
    'No bearer token was sent',
    'Send an API key or an access token as "Authorization: Bearer …".',
  ),
  invalid_token: unauthorized(
    'The bearer token is not valid',
    'The token is malformed, unknown, revoked, or of the other mode (test or live).',
  ),
  expired_token: unauthorized(
    'The bearer token has expired',
    'Request a new access token, or create a new API key.',
  ),
  insufficient_scope: forbidden(
    'The bearer token does not allow this',
    'The token is valid, but lacks the scope of this route. A client_token is for the QR and the status of its own session only.',
  ),
  cross_site_request: forbidden(
    'Only the page of this service may send this',
    "Only the hosted page in a person's browser calls this address. A request with another origin, or without one, is rejected.",
  ),
  not_found: missing(
    'Not found',
    'The address is not one of this service, or its resource does not exist (any more).',
  ),
  verification_not_found: missing(
    'The verification does not exist',
    'The verification_id is unknown, erased, or belongs to another relying party. The response is the same for each.',
  ),
  method_not_allowed: kind(405)(
    'The method is not allowed here',
    'The Allow header lists the methods of this address.',
  ),
  not_acceptable: kind(406)(
    'None of the accepted media types can be produced',
    'The QR is image/png or image/svg+xml; everything else is JSON.',
  ),
  request_timeout: kind(408, true)(
    'The body did not arrive in time',
    'A body must arrive within 10 seconds. Nothing was changed. Send the request again.',
  ),
  verification_already_terminal: conflict(
    'The verification has already ended',
    'The session has reached another terminal status. That outcome is final.',
  ),
  verification_pending: kind(409, true)(
    'The verification has not ended yet',
    'A receipt documents how a verification ended. This one is still pending: try again when it has ended.',
  ),
  idempotency_conflict: conflict(
    'The Idempotency-Key was used with another body',
    'Repeat the first request unchanged, or use a new key for a new request.',
  ),
  binding_excludes_qr: conflict(
    'This verification offers no QR',
    'required_session_binding requires the wallet on the device of the browser. A QR could be passed on to another person. Use the session page instead.',
  ),
  redirect_not_offered: conflict(
    'This verification has no QR and no link',
    'The protocol of the session is for the Digital Credentials API only. Use the session page or POST …/dc-api/request, or create the session with openid4vp-1.0.',
  ),
  dc_api_not_offered: conflict(
    'This verification is not offered to the Digital Credentials API',
    'The protocol of the session has no request for it. Create the session with openid4vp-1.0, haip-1.0 or iso-18013-7-c.',
  ),
  other_browser: conflict(
    'The wallet returned to another browser',
    'The wallet returned to another browser than the one that requested its link. The presentation was discarded. The verification is pending again: start again in the first browser.',
  ),
  webhook_not_configured: conflict(
    'The relying party has no webhook',
    'Set webhook.url in the settings first.',
  ),
  redelivery_limit_reached: conflict(
    'The event was redelivered too often',
    'One event can be redelivered 50 times. The delivery log and the session can still be read.',
  ),
  verification_ended: kind(410)(
    'The verification has ended',
    'A session that has ended has no QR and no authorization request. Its outcome can still be read.',
  ),
  payload_too_large: kind(413)('The body is too large', 'The limit of each route is in the API description.'),
  unsupported_media_type: kind(415)(
    'The content type is not supported',
    'Send "Content-Type: application/json".',
  ),
  policy_unsatisfiable: kind(422)(
    'No credential could satisfy this policy',
    'Every name is known, but no credential can satisfy them together: for example, none of the requested types has the scope. Each entry of errors names what to change.',
  ),
  upgrade_required: kind(426)(
    'This address is for WebSocket only',
    'Open it as a WebSocket. If that is not possible, poll the verification with wait.',
  ),
  rate_limited: limited('Too many requests', 'Wait for the time in Retry-After, then try again.'),
  render_limit_reached: limited(
    'Too many QR renders of one verification',
    'A session may be rendered 60 times at once, and then once a second. Wait for the time in Retry-After.',
  ),
  internal_error: kind(500, true)(
    'The service failed',
    'This is an error of the service. Quote request_id when you report it.',
  ),
  temporarily_unavailable: kind(503, true)(
    'The service is temporarily unavailable',
    'A part of the service could not be reached. Nothing was changed. Wait for the time in Retry-After, then try again.',
  ),
} as const satisfies Readonly<Record<string, ProblemKind>>

export type ProblemCode = keyof typeof PROBLEMS

/**
 * One error of a request: an RFC 6901 pointer into the body (or `/<name>` of a parameter), never the value
 * itself.
 */
export type FieldError = { readonly pointer: string; readonly code: string; readonly message: string }

/** A rejected request: the problem, and each error with its pointer. */
export type RequestError = { readonly code: ProblemCode; readonly errors: readonly FieldError[] }

type ProblemDetails = {
  /** Explanation of this occurrence. Never repeats what was sent. */
  readonly detail?: string
  readonly errors?: readonly FieldError[]
  readonly headers?: Readonly<Record<string, string>>
  /** Seconds for `Retry-After` on 429 and 503; default 1. */
  readonly retryAfter?: number
}

/** Sends the RFC 9457 response of one code. */
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

/** Returns the error of a request that no session could follow. */
export function unsatisfiable(error: FieldError): RequestError {
  return { code: 'policy_unsatisfiable', errors: [error] }
}

/** Returns the error of a member that this caller may not send. */
export function notAllowed(code: ProblemCode, pointer: string, message: string): RequestError {
  return { code, errors: [{ pointer, code: 'not_allowed', message }] }
}

/** RFC 6750 §3: no error code where no token was sent; an expired token is an `invalid_token`. */
function challenge(code: ProblemCode): string {
  if (code === 'missing_token') return 'Bearer'
  return `Bearer error="${code === 'insufficient_scope' ? code : 'invalid_token'}"`
}

function problemType(c: AppContext, code: ProblemCode): string {
  try {
    return `${configOf(c.env).baseUrl}/problems/${code}`
  } catch {
    return 'about:blank' // RFC 9457 §4.2.1; without a valid configuration our address is unknown
  }
}
