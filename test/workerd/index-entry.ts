// Entries of the index that no session sends.

import type { IndexEntry } from '../../src/relying-party/index/index-entry.ts'

/** Returns the entry of a pending verification of that time. */
export function indexEntry(created_at: number, members: Partial<IndexEntry>): IndexEntry {
  return {
    verification_id: 'v_1',
    revision: 1,
    created_at,
    expires_at: created_at + 600_000,
    request_fetched_at: null,
    ended_at: null,
    status: 'pending',
    stage: 'created',
    credential_types: [],
    reason: null,
    attempt_count: 0,
    protocol: 'openid4vp-1.0',
    channel: null,
    metadata: {},
    metadata_until: created_at + 100 * 3_600_000,
    webhook: null,
    livemode: false,
    ...members,
  }
}
