// The event of a terminal status (api/webhooks). It is built and serialised once, and every attempt sends the
// same bytes.

import { isoTime } from '../codec/date-time.ts'

/**
 * Returns a test event (api/webhooks, `…/webhook/test`). It is signed and sent like any other. `now`: Unix
 * milliseconds.
 */
export function buildTestEvent(test: {
  readonly eventId: string
  readonly relyingPartyId: string
  readonly livemode: boolean
  readonly now: number
}) {
  return {
    event_id: test.eventId,
    event_type: 'webhook.test' as const,
    created_at: isoTime(test.now),
    relying_party_id: test.relyingPartyId,
    livemode: test.livemode,
  }
}

/** Larger `encrypted_claims` are available by polling only (api/webhooks). */
export const ENCRYPTED_CLAIMS_LIMIT = 64 * 1024

/** `encrypted_claims` as in an event. */
export function sendableClaims(encryptedClaims: string | null): string | null {
  const fits = encryptedClaims !== null && encryptedClaims.length <= ENCRYPTED_CLAIMS_LIMIT
  return fits ? encryptedClaims : null
}

/** The bytes that every attempt sends. */
export function serialiseEvent(event: { readonly encrypted_claims: string | null }): string {
  return JSON.stringify({ ...event, encrypted_claims: sendableClaims(event.encrypted_claims) })
}
