// Spread of work over time. Sessions that are created together expire together, and each object that wakes
// up needs memory and file descriptors. So each session gets a delay of its own.

import { utf8 } from '../../codec/bytes.ts'

/**
 * Longest delay of the alarm that expires a session. A session that is read or watched expires at
 * `expires_at`.
 */
export const EXPIRY_SPREAD_MS = 60_000

/**
 * Longest delay of the alarm that erases a session. A read returns 404 from the end of the session's
 * retention.
 */
export const ERASURE_SPREAD_MS = 3_600_000

/**
 * Returns the delay of a session, from 0 to below `range`. The delay is computed from the id, which is
 * random.
 */
export function computeSpread(verificationId: string, range: number): number {
  // FNV-1a with 32 bits.
  const hash = utf8(verificationId).reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193) >>> 0, 0x811c9dc5)
  return Math.floor((hash / 2 ** 32) * range)
}
