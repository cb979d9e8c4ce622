// Entries of the list that are shown, and how they change: newer ones arrive while older ones are read.

import type { VerificationPage } from '../../packages/client/src/wire.ts'

export type Entry = VerificationPage['verifications'][number]

export type Listing = {
  readonly entries: readonly Entry[]
  /** Cursor of the next older page; null after the last. */
  readonly next: string | null
  /** Entries that are newer than the first and not shown yet. */
  readonly waiting: number
  /** True if the last page had no entry: an older one may have some. */
  readonly isSparse: boolean
}

export const EMPTY: Listing = { entries: [], next: null, waiting: 0, isSparse: false }

/**
 * Returns the listing after the newest page was read. `mayMove` is false while a person reads or uses the
 * list: then entries change in their places, and new ones are counted only.
 */
export function withNewest(listing: Listing, page: VerificationPage, mayMove: boolean): Listing {
  const newest = new Map(page.verifications.map((entry) => [entry.verification_id, entry]))
  const last = listing.entries.findLastIndex(({ verification_id }) => newest.has(verification_id))
  const known = new Set(listing.entries.map(({ verification_id }) => verification_id))
  if (mayMove || listing.entries.length === 0) {
    // Without a common entry there may be others between the two.
    const isGap = last < 0 && page.has_more
    const older = isGap || !page.has_more ? [] : listing.entries.slice(last + 1)
    const entries = [...page.verifications, ...older]
    const isWhole = older.length === 0
    return { entries, next: isWhole ? page.next : listing.next, waiting: 0, isSparse: entries.length === 0 }
  }
  const entries = listing.entries.map((entry) => newest.get(entry.verification_id) ?? entry)
  const waiting = page.verifications.filter(({ verification_id }) => !known.has(verification_id)).length
  return { ...listing, entries, waiting }
}

/** Returns the listing with the page that follows it. */
export function withOlder(listing: Listing, page: VerificationPage): Listing {
  const known = new Set(listing.entries.map(({ verification_id }) => verification_id))
  const older = page.verifications.filter(({ verification_id }) => !known.has(verification_id))
  return {
    ...listing,
    entries: [...listing.entries, ...older],
    next: page.next,
    isSparse: page.verifications.length === 0,
  }
}
