// Responses about a session: its view, or the problem of a refused call.

import type { Result } from '../../result.ts'
import type { SessionError } from '../../session/document/results.ts'
import type { View } from '../../session/document/state-view.ts'
import type { AppContext } from './context.ts'
import { type ProblemCode, problem } from './problems.ts'

/** Sends a view of a session, or the problem if there is no view. */
export function sendView(c: AppContext, view: Result<View, SessionError>, status: 200 | 202 = 200): Response {
  if (!view.ok) return sessionProblem(c, view.error)
  return sendJsonText(c, view.value.json, status)
}

/** Sends JSON that is text already. The response must not be cached. */
export function sendJsonText(c: AppContext, json: string, status: 200 | 201 | 202 = 200): Response {
  return c.body(json, status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
}

/** Sends the problem of a call that a session refused. */
export function sessionProblem(c: AppContext, error: SessionError): Response {
  const message = WALLET_ERRORS.get(error)
  const errors = message === undefined ? [] : [{ pointer: '/wallet', code: error, message }]
  return problem(c, PROBLEM_CODES[error], errors.length === 0 ? {} : { errors })
}

const WALLET_ERRORS: ReadonlyMap<SessionError, string> = new Map([
  ['wallet_unknown', 'must be the id of a wallet profile, or `any`'],
  [
    'wallet_cannot',
    'must be a wallet that can answer this request: `wallets` in the response to the creation says which can',
  ],
])

const PROBLEM_CODES: Readonly<Record<SessionError, ProblemCode>> = {
  not_found: 'verification_not_found',
  ended: 'verification_ended',
  not_ended: 'verification_pending',
  render_limit_reached: 'render_limit_reached',
  binding_excludes_qr: 'binding_excludes_qr',
  redirect_not_offered: 'redirect_not_offered',
  dc_api_not_offered: 'dc_api_not_offered',
  unavailable: 'temporarily_unavailable',
  no_evidence: 'no_evidence',
  wallet_unknown: 'invalid_request',
  wallet_cannot: 'policy_unsatisfiable',
}
