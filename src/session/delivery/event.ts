// Events of a session (api/webhooks): the event of its end, and step events. The event of the end is built
// from members of the finished document that never change after the end, and from the service's address. So
// this event is the same each time it is built.

import type { VerificationEvent } from '../../api/responses/verifications.ts'
import { encodeBase64url } from '../../codec/base64url.ts'
import { isoTime, isoTimeOrNull } from '../../codec/date-time.ts'
import { randomBytes } from '../../crypto/random.ts'
import { type EventType, isStepEvent } from '../../relying-party/document/settings.ts'
import { sendableClaims } from '../../webhook/event.ts'
import { readProtocol, type SessionDocument } from '../document/document.ts'
import { listCredentials } from '../document/outcome.ts'
import { describeReason, type ReasonCode } from '../document/reasons.ts'
import { evidenceState } from '../evidence/stored-evidence.ts'

/** Members of an event that are stored in the session only. These members are erased with the session. */
export type PersonalMembers = Pick<VerificationEvent, 'metadata' | 'encrypted_claims'>

/** Returns the event of a finished session. */
export function terminalEvent(
  document: SessionDocument,
  event_id: string,
  baseUrl: string,
): VerificationEvent {
  const event = {
    event_id,
    event_type: `verification.${document.status}` as EventType, // the session has ended
    sequence: (document.step_events?.count ?? 0) + 1, // follows the step events of the pending session
    at: document.ended_at ?? document.expires_at,
    reason: document.outcome?.reason ?? null,
  }
  return buildEvent(document, event, baseUrl)
}

/** Members that differ between the events of one session. `at`: Unix milliseconds. */
type NamedEvent = Pick<VerificationEvent, 'event_id' | 'event_type' | 'sequence'> & {
  readonly at: number
  readonly reason: ReasonCode | null
}

/** Returns an event with the current state of the session. */
export function buildEvent(
  document: SessionDocument,
  { at, reason, ...named }: NamedEvent,
  baseUrl: string,
): VerificationEvent {
  const { outcome } = document
  const first = outcome?.credentials[0]
  const isEnd = !isStepEvent(named)
  return {
    ...named,
    created_at: isoTime(at),
    attempt_count: document.attempt_count,
    verification_id: document.verification_id,
    status: document.status,
    checks: outcome?.checks ?? null,
    assurance_level: outcome?.assurance_level ?? null,
    same_holder_key: outcome?.same_holder_key ?? null,
    credential_type: first?.credential_type ?? null,
    verified_at: isoTimeOrNull(document.verified_at),
    reason: reason && describeReason(reason, baseUrl),
    metadata: document.request.metadata,
    protocol: readProtocol(document),
    channel: outcome?.channel ?? null,
    format: first?.format ?? null,
    issuer: first?.issuer ?? null,
    session_binding: outcome?.session_binding ?? null,
    credentials: listCredentials(outcome),
    livemode: document.livemode,
    encrypted_claims: isEnd ? (outcome?.encrypted_claims ?? null) : null,
    ...(document.request.evidence && { evidence: evidenceState(document, !isEnd) }),
  }
}

/**
 * Returns the members that `withoutPersonalMembers` removes from an event. `createdAt`: time of the event.
 * Only the event of the session's end has claims.
 */
export function personalMembers(document: SessionDocument, createdAt: string): PersonalMembers {
  const isEnd = isoTimeOrNull(document.ended_at) === createdAt
  const encrypted = isEnd ? (document.outcome?.encrypted_claims ?? null) : null
  return { metadata: document.request.metadata, encrypted_claims: sendableClaims(encrypted) }
}

/** Returns the event without the members that must not outlive the session. */
export function withoutPersonalMembers(event: VerificationEvent): VerificationEvent {
  return { ...event, metadata: {}, encrypted_claims: null }
}

/** Returns an identifier of 128 random bits. */
export function randomIdentifier(prefix: string): string {
  return prefix + encodeBase64url(randomBytes(16))
}
