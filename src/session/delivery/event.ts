// The event of a session's end (CONTRACT 7). It is built from members of the finished document that never
// change after the end, and from the service's address. So it is the same whenever it is built.

import type { VerificationEvent } from '../../../openapi/responses/verifications.ts'
import { isoTime, isoTimeOrNull } from '../../codec/date-time.ts'
import type { EventType } from '../../relying-party/settings/settings.ts'
import { sendableClaims } from '../../webhook/event.ts'
import { protocolOf, type SessionDocument } from '../document.ts'
import { describeReason } from '../response/reasons.ts'
import { credentialsOf } from '../views/view.ts'

/** Members of an event that only the session stores, and that are erased with it. */
export type PersonalMembers = Pick<VerificationEvent, 'metadata' | 'encrypted_claims'>

/** Returns the event of a finished session. */
export function terminalEvent(
  document: SessionDocument,
  eventId: string,
  baseUrl: string,
): VerificationEvent {
  const { outcome } = document
  const first = outcome?.credentials[0]
  return {
    event_id: eventId,
    event_type: `verification.${document.status}` as EventType, // the session has ended
    sequence: 1, // a session has one terminal status, so one event
    created_at: isoTime(document.ended_at ?? document.expires_at),
    verification_id: document.verification_id,
    status: document.status,
    checks: outcome?.checks ?? null,
    assurance_level: outcome?.assurance_level ?? null,
    same_holder_key: outcome?.same_holder_key ?? null,
    credential_type: first?.credential_type ?? null,
    verified_at: isoTimeOrNull(document.verified_at),
    reason: outcome?.reason ? describeReason(outcome.reason, baseUrl) : null,
    metadata: document.request.metadata,
    protocol: protocolOf(document),
    channel: outcome?.channel ?? null,
    format: first?.format ?? null,
    issuer: first?.issuer ?? null,
    session_binding: outcome?.session_binding ?? null,
    credentials: credentialsOf(outcome),
    livemode: document.livemode,
    encrypted_claims: outcome?.encrypted_claims ?? null,
  }
}

/** Returns the members that `withoutPersonalMembers` removes. */
export function personalMembers(document: SessionDocument): PersonalMembers {
  const encrypted = document.outcome?.encrypted_claims ?? null
  return { metadata: document.request.metadata, encrypted_claims: sendableClaims(encrypted) }
}

/** Returns the event without the members that must not outlive the session. */
export function withoutPersonalMembers(event: VerificationEvent): VerificationEvent {
  return { ...event, metadata: {}, encrypted_claims: null }
}
