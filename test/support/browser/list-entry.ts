/**
 * Returns the entry of the list with this number. Each entry is one second older than the entry with the
 * number before.
 */
export function listEntry(index: number) {
  return {
    verification_id: `v_${index}`,
    status: 'verified',
    stage: 'done',
    created_at: new Date(Date.UTC(2026, 10, 22) - index * 1000).toISOString(),
    ended_at: null,
    expires_at: '2026-11-23T00:00:00Z',
    credential_types: ['age_attestation'],
    reason: null,
    attempt_count: 0,
    last_attempt_reason: null,
    metadata: { order: '1' },
    webhook_state: null,
    livemode: false,
  }
}
