// The event of a terminal status (CONTRACT 7). It is built and serialised once, and every attempt sends the
// same bytes.

import { isoTime } from '../codec/date-time.ts'
import type { Json } from '../codec/json.ts'

/** The webhook body. Member order is the order on the wire. */
export type VerificationEvent = {
  readonly event_id: string
  readonly event_type: string
  readonly sequence: number
  readonly created_at: string
  readonly verification_id: string
  readonly status: string
  readonly checks: Readonly<Record<string, boolean>> | null
  readonly assurance_level: string | null
  readonly credential_type: string | null
  readonly verified_at: string | null
  readonly reason: EventReason | null
  readonly metadata: Readonly<Record<string, string>>
  readonly protocol: string
  readonly channel: string | null
  readonly format: string | null
  readonly issuer: string | null
  readonly session_binding: string | null
  readonly credentials: readonly Json[]
  readonly livemode: boolean
  readonly encrypted_claims: string | null
}

/** Members of the test event, in the order on the wire. It belongs to no session. */
export type TestEvent = {
  readonly event_id: string
  readonly event_type: 'webhook.test'
  readonly created_at: string
  readonly relying_party_id: string
  readonly livemode: boolean
}

/**
 * The body of a test event (CONTRACT 7, `…/webhook/test`). It is signed and sent like any other. `now`: Unix
 * milliseconds.
 */
export function buildTestEvent(test: {
  readonly eventId: string
  readonly relyingPartyId: string
  readonly livemode: boolean
  readonly now: number
}): string {
  const event: TestEvent = {
    event_id: test.eventId,
    event_type: 'webhook.test',
    created_at: isoTime(test.now),
    relying_party_id: test.relyingPartyId,
    livemode: test.livemode,
  }
  return JSON.stringify(event)
}

/** Reason of the status. `type`: the address of a page that explains it. */
type EventReason = {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly type: string
}

/** Larger `encrypted_claims` are available by polling only (CONTRACT 7). */
export const ENCRYPTED_CLAIMS_LIMIT = 64 * 1024

/** `encrypted_claims` as in an event. */
export function sendableClaims(encryptedClaims: string | null): string | null {
  const fits = encryptedClaims !== null && encryptedClaims.length <= ENCRYPTED_CLAIMS_LIMIT
  return fits ? encryptedClaims : null
}

/** The bytes that every attempt sends. */
export function serialiseEvent(event: VerificationEvent): string {
  return JSON.stringify({ ...event, encrypted_claims: sendableClaims(event.encrypted_claims) })
}
