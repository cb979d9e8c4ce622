import { describe, expect, it } from 'vitest'
import type { TestEvent, VerificationEvent } from '../../src/api/responses/verifications.ts'
import { buildTestEvent, ENCRYPTED_CLAIMS_LIMIT, serialiseEvent } from '../../src/webhook/event.ts'

const EVENT: VerificationEvent = {
  attempt_count: 0,
  event_id: 'evt_1',
  event_type: 'verification.verified',
  sequence: 1,
  created_at: '2026-11-21T09:30:15.000Z',
  verification_id: 'v_1',
  status: 'verified',
  checks: { age_over_18: true },
  assurance_level: 'high',
  same_holder_key: true,
  credential_type: 'pid',
  verified_at: '2026-11-21T09:30:15.000Z',
  reason: null,
  metadata: { order: '42' },
  protocol: 'openid4vp-1.0',
  channel: 'qr',
  format: 'dc+sd-jwt',
  issuer: 'https://issuer.example.com',
  session_binding: 'none',
  credentials: [],
  livemode: false,
  encrypted_claims: 'eyJ',
}

describe('an event', () => {
  it('is sent as JSON with every member of the type VerificationEvent, in the same order', () => {
    expect(serialiseEvent(EVENT)).toBe(JSON.stringify(EVENT))
  })

  it('contains encrypted claims of at most 64 KiB, and null instead of larger claims', () => {
    const sized = (length: number) => serialiseEvent({ ...EVENT, encrypted_claims: 'x'.repeat(length) })
    expect(JSON.parse(sized(ENCRYPTED_CLAIMS_LIMIT)).encrypted_claims).toHaveLength(65_536)
    expect(JSON.parse(sized(ENCRYPTED_CLAIMS_LIMIT + 1))).toEqual({ ...EVENT, encrypted_claims: null })
  })
})

describe('a test event', () => {
  it('contains its type and its relying party', () => {
    const event = buildTestEvent({
      eventId: 'evt_9',
      relyingPartyId: 'rp_1',
      livemode: true,
      now: Date.UTC(2026, 0, 1),
    })
    expect(event).toEqual({
      event_id: 'evt_9',
      event_type: 'webhook.test',
      created_at: '2026-01-01T00:00:00.000Z',
      relying_party_id: 'rp_1',
      livemode: true,
    } satisfies TestEvent)
  })
})
