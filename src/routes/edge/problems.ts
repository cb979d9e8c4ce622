// Errors for relying parties and operators: RFC 9457 problem details. One table has every code; the pages
// behind `type` are generated from it (well-known.ts).

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

/** Every code (CONTRACT 9). Stable within /v1. */
export const PROBLEMS = {
  invalid_json: {
    status: 400,
    title: 'The body is not acceptable JSON',
    retryable: false,
    meaning:
      'The body is not UTF-8, not JSON, nested too deeply, or repeats a member. Send one JSON object with distinct member names.',
  },
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    retryable: false,
    meaning:
      'A member, parameter or header is missing, unknown, or outside its limits. Each entry of errors points at one of them.',
  },
  unsupported_credential_type: {
    status: 400,
    title: 'The credential type is unknown',
    retryable: false,
    meaning:
      'A name in credential_types, or a type identifier in a dcql_query, is unknown. Use a built-in type, or add the type to the settings.',
  },
  unsupported_scope: {
    status: 400,
    title: 'The scope is unknown',
    retryable: false,
    meaning:
      'A name in scope belongs to no credential type that the relying party may request. Use a scope of a built-in type, or of one in the settings.',
  },
  invalid_qr_size: {
    status: 400,
    title: 'The QR size is out of range',
    retryable: false,
    meaning:
      'size must be a whole number of pixels from 160 to 1024. A long request that is passed by value may need up to 185.',
  },
  invalid_code: {
    status: 400,
    title: 'Invalid, expired or already used code',
    retryable: false,
    meaning:
      'The response_code or return_code is wrong, older than 5 minutes, or already used. A wrong code changes nothing. Start again to get a new code.',
  },
  presentation_refused: {
    status: 400,
    title: 'The response was not accepted',
    retryable: false,
    meaning:
      "The wallet's response failed validation. The verification is still pending, and the wallet can respond again. The attempts of the verification name the reason.",
  },
  missing_token: {
    status: 401,
    title: 'No bearer token was sent',
    retryable: false,
    meaning: 'Send an API key or an access token as "Authorization: Bearer …".',
  },
  invalid_token: {
    status: 401,
    title: 'The bearer token is not valid',
    retryable: false,
    meaning: 'The token is malformed, unknown, revoked, or of the other mode (test or live).',
  },
  expired_token: {
    status: 401,
    title: 'The bearer token has expired',
    retryable: false,
    meaning: 'Request a new access token, or create a new API key.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The bearer token does not allow this',
    retryable: false,
    meaning:
      'The token is valid, but lacks the scope of this route. A client_token is for the QR and the status of its own session only.',
  },
  cross_site_request: {
    status: 403,
    title: 'Only the page of this service may send this',
    retryable: false,
    meaning:
      "Only the hosted page in a person's browser calls this address. A request with another origin, or without one, is rejected.",
  },
  not_found: {
    status: 404,
    title: 'Not found',
    retryable: false,
    meaning: 'The address is not one of this service, or its resource does not exist (any more).',
  },
  verification_not_found: {
    status: 404,
    title: 'The verification does not exist',
    retryable: false,
    meaning:
      'The verification_id is unknown, erased, or belongs to another relying party. The response is the same for each.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    retryable: false,
    meaning: 'The Allow header lists the methods of this address.',
  },
  not_acceptable: {
    status: 406,
    title: 'None of the accepted media types can be produced',
    retryable: false,
    meaning: 'The QR is image/png or image/svg+xml; everything else is JSON.',
  },
  verification_already_terminal: {
    status: 409,
    title: 'The verification has already ended',
    retryable: false,
    meaning: 'The session has reached another terminal status. That outcome is final.',
  },
  verification_pending: {
    status: 409,
    title: 'The verification has not ended yet',
    retryable: true,
    meaning:
      'A receipt documents how a verification ended. This one is still pending: try again when it has ended.',
  },
  idempotency_conflict: {
    status: 409,
    title: 'The Idempotency-Key was used with another body',
    retryable: false,
    meaning: 'Repeat the first request unchanged, or use a new key for a new request.',
  },
  binding_excludes_qr: {
    status: 409,
    title: 'This verification offers no QR',
    retryable: false,
    meaning:
      'required_session_binding requires the wallet on the device of the browser. A QR could be passed on to another person. Use the session page instead.',
  },
  dc_api_not_offered: {
    status: 409,
    title: 'This verification is not offered to the Digital Credentials API',
    retryable: false,
    meaning:
      'The protocol of the session has no request for it. Create the session with openid4vp-1.0 or haip-1.0.',
  },
  other_browser: {
    status: 409,
    title: 'The wallet returned to another browser',
    retryable: false,
    meaning:
      'The wallet returned to another browser than the one that requested its link. The presentation was discarded. The verification is pending again: start again in the first browser.',
  },
  webhook_not_configured: {
    status: 409,
    title: 'The relying party has no webhook',
    retryable: false,
    meaning: 'Set webhook.url in the settings first.',
  },
  redelivery_limit_reached: {
    status: 409,
    title: 'The event was redelivered too often',
    retryable: false,
    meaning: 'One event can be redelivered 50 times. The delivery log and the session can still be read.',
  },
  verification_ended: {
    status: 410,
    title: 'The verification has ended',
    retryable: false,
    meaning:
      'A session that has ended has no QR and no authorization request. Its outcome can still be read.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    retryable: false,
    meaning: 'The limit of each route is in the API description.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not supported',
    retryable: false,
    meaning: 'Send "Content-Type: application/json".',
  },
  policy_unsatisfiable: {
    status: 422,
    title: 'No credential could satisfy this policy',
    retryable: false,
    meaning:
      'Every name is known, but no credential can satisfy them together: for example, none of the requested types has the scope. Each entry of errors names what to change.',
  },
  upgrade_required: {
    status: 426,
    title: 'This address is for WebSocket only',
    retryable: false,
    meaning: 'Open it as a WebSocket. If that is not possible, poll the verification with wait.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    meaning: 'Wait for the time in Retry-After, then try again.',
  },
  render_limit_reached: {
    status: 429,
    title: 'Too many QR renders of one verification',
    retryable: true,
    meaning:
      'A session may be rendered 60 times at once, and then once a second. Wait for the time in Retry-After.',
  },
  internal_error: {
    status: 500,
    title: 'The service failed',
    retryable: true,
    meaning: 'This is an error of the service. Quote request_id when you report it.',
  },
  temporarily_unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable',
    retryable: true,
    meaning:
      'A part of the service could not be reached. Nothing was changed. Wait for the time in Retry-After, then try again.',
  },
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
