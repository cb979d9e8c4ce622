// The trust lists that `readTrustList` has verified. Anchors of a list skip the checks of a single anchor, so
// an object that only looks like a list is not accepted.

import type { TrustList } from './types.ts'

const verified = new WeakSet<object>()

/** Marks a list as verified. */
export function markVerified(list: TrustList): TrustList {
  verified.add(list)
  return list
}

/** Returns true if `readTrustList` has returned this value. */
export function isVerifiedList(value: unknown): value is TrustList {
  return typeof value === 'object' && value !== null && verified.has(value)
}
