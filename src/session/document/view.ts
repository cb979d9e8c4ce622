// Views of a session: for the relying party (CONTRACT 4), and for a `client_token`.
// Members are always present; an unknown one is `null`. Views are built from the document alone.

import type { Verification, VerificationState } from '../../../openapi/responses/verifications.ts'
import { isoTime, isoTimeOrNull } from '../../codec/date-time.ts'
import { decodeTransactionData } from '../../openid4vp/transaction-data/transaction-data.ts'
import { vouchingLists } from '../../policy/assurance.ts'
import { bindingOf } from '../end/binding.ts'
import { type Attempt, protocolOf, type SessionDocument, stageOf } from './document.ts'
import { describeReason } from './reasons.ts'
import type { View } from './results.ts'
import { activityView } from './wallet-activity.ts'

/** Returns the session for its relying party. `sessionUrl` is null after the end. */
export function sessionView(
  document: SessionDocument,
  sessionUrl: string | null,
  baseUrl: string,
): Verification {
  const { request, outcome } = document
  const first = outcome?.credentials[0] ?? null
  return {
    object: 'verification',
    verification_id: document.verification_id,
    version: document.version,
    status: document.status,
    stage: stageOf(document),
    created_at: isoTime(document.created_at),
    expires_at: isoTime(document.expires_at),
    verified_at: isoTimeOrNull(document.verified_at),
    session_url: sessionUrl,
    ...requestMembers(request),
    protocol: protocolOf(document),
    checks: outcome?.checks ?? null,
    assurance_level: outcome?.assurance_level ?? null,
    same_holder_key: outcome?.same_holder_key ?? null,
    credential_type: first?.credential_type ?? null,
    reason: outcome?.reason ? describeReason(outcome.reason, baseUrl) : null,
    attempts: document.attempts.map((attempt) => attemptView(attempt, baseUrl)),
    attempt_count: document.attempt_count,
    credentials: credentialsOf(outcome),
    channel: outcome?.channel ?? null,
    format: first?.format ?? null,
    issuer: first?.issuer ?? null,
    session_binding: bindingOf(document),
    trace: outcome?.trace ?? [],
    assurance_derivation: outcome?.derivation ?? [],
    trust_lists: vouchingLists(outcome?.derivation ?? []),
    encrypted_claims: outcome?.encrypted_claims ?? null,
    livemode: document.livemode,
  }
}

/** Returns the credentials of an outcome for the view and the event. */
export function credentialsOf(outcome: SessionDocument['outcome']) {
  return (outcome?.credentials ?? []).map((credential) => ({
    ...credential,
    transaction_data: credential.transaction_data ?? [],
  }))
}

/** Returns the state for a kiosk or a person's browser, without results and without the request. */
export function publicView(document: SessionDocument): VerificationState {
  return {
    object: 'verification_state',
    verification_id: document.verification_id,
    version: document.version,
    status: document.status,
    stage: stageOf(document),
    expires_at: isoTime(document.expires_at),
    wallet_activity: activityView(document),
  }
}

function requestMembers(request: SessionDocument['request']) {
  const transaction_data = request.transaction_data?.map(decodeTransactionData) ?? null
  const { dcql_query = null, heading = null, purpose = null, require_same_holder_key = false } = request
  const { intent_to_retain = false, wallet = null, preset = null } = request
  return {
    ...request,
    wallet,
    preset,
    dcql_query,
    heading,
    purpose,
    require_same_holder_key,
    intent_to_retain,
    transaction_data,
  }
}

function attemptView(attempt: Attempt, baseUrl: string) {
  return {
    at: isoTime(attempt.at),
    channel: attempt.channel,
    reason: describeReason(attempt.reason, baseUrl),
    detail: attempt.detail ?? null,
    document_errors: attempt.document_errors ?? null,
  }
}

/** Returns a view as the text that is sent. */
export function viewOf({ version }: SessionDocument, body: object): View {
  return { json: JSON.stringify(body), version }
}
