// View of a session for its relying party (api/result). All members are always present. A member without a
// value is `null`. The view is built from the document alone.

import type { Verification } from '../../api/responses/verifications.ts'
import { isoTime, isoTimeOrNull } from '../../codec/date-time.ts'
import { decodeTransactionData } from '../../openid4vp/transaction-data/transaction-data.ts'
import { vouchingLists } from '../../policy/assurance.ts'
import type { Attempt } from '../document/attempt.ts'
import { readProtocol, type SessionDocument, toStage } from '../document/document.ts'
import { listCredentials, readBinding } from '../document/outcome.ts'
import { describeReason } from '../document/reasons.ts'
import { type StoredRequest, withDefaults } from '../document/stored-request.ts'
import { keptEvidence } from '../evidence/stored-evidence.ts'

/** Returns the view of the session for its relying party. `sessionUrl` is null after the end. */
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
    stage: toStage(document),
    created_at: isoTime(document.created_at),
    expires_at: isoTime(document.expires_at),
    verified_at: isoTimeOrNull(document.verified_at),
    session_url: sessionUrl,
    ...requestMembers(request),
    protocol: readProtocol(document),
    offered_client_ids: outcome?.offered_client_ids ?? null,
    checks: outcome?.checks ?? null,
    assurance_level: outcome?.assurance_level ?? null,
    same_holder_key: outcome?.same_holder_key ?? null,
    credential_type: first?.credential_type ?? null,
    reason: outcome?.reason ? describeReason(outcome.reason, baseUrl) : null,
    attempts: document.attempts.map((attempt) => attemptView(attempt, baseUrl)),
    attempt_count: document.attempt_count,
    credentials: listCredentials(outcome),
    channel: outcome?.channel ?? null,
    format: first?.format ?? null,
    issuer: first?.issuer ?? null,
    session_binding: readBinding(document),
    trace: outcome?.trace ?? [],
    assurance_derivation: outcome?.derivation ?? [],
    trust_lists: vouchingLists(outcome?.derivation ?? []),
    encrypted_claims: outcome?.encrypted_claims ?? null,
    evidence: keptEvidence(document),
    livemode: document.livemode,
  }
}

function requestMembers(request: StoredRequest) {
  const transaction_data = request.transaction_data?.map(decodeTransactionData) ?? null
  return { ...withDefaults(request), transaction_data }
}

function attemptView(attempt: Attempt, baseUrl: string) {
  const { claimed_issuer } = attempt
  return {
    at: isoTime(attempt.at),
    channel: attempt.channel,
    reason: describeReason(attempt.reason, baseUrl),
    detail: attempt.detail ?? null,
    document_errors: attempt.document_errors ?? null,
    claimed_issuer: claimed_issuer ? { ...claimed_issuer, verified: false } : null,
  }
}
