// Parts of webhook events (api/webhooks). An event is serialised once, and every attempt sends the same
// bytes.

import { isoTime } from '../codec/date-time.ts'

/**
 * Returns a test event (api/webhooks, `…/webhook/test`), which is signed and sent like every other event.
 * `now` is in Unix milliseconds.
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

/**
 * Limit of `encrypted_claims` in an event, in characters. Larger claims are available by polling only
 * (api/webhooks).
 */
export const ENCRYPTED_CLAIMS_LIMIT = 64 * 1024

/** Returns the `encrypted_claims` of an event; `null` if there are none, or if they exceed the limit. */
export function sendableClaims(encryptedClaims: string | null): string | null {
  const fits = encryptedClaims !== null && encryptedClaims.length <= ENCRYPTED_CLAIMS_LIMIT
  return fits ? encryptedClaims : null
}

/** Returns the text of an event that every attempt sends. */
export function serialiseEvent(event: { readonly encrypted_claims: string | null }): string {
  return JSON.stringify({ ...event, encrypted_claims: sendableClaims(event.encrypted_claims) })
}
