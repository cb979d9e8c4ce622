// Entries of the list that are shown, and how they change: newer entries arrive while older entries are read.

import type { VerificationPage } from '../../packages/client/src/wire.ts'

export type Entry = VerificationPage['verifications'][number]

export type Listing = {
  readonly entries: readonly Entry[]
  /** Cursor of the next older page; null after the last page. */
  readonly next: string | null
  /** Number of entries that are newer than the first shown entry, and are not shown yet. */
  readonly waiting: number
  /** True if the last page had no entry. An older page may have entries. */
  readonly isSparse: boolean
  /** For the last entry of each page that was read: the cursor of the page that follows. */
  readonly cursors: ReadonlyMap<string, string>
  /** Days (UTC) that the pages leave out, because they cannot be read. */
  readonly leftOut: readonly string[]
}

export const EMPTY: Listing = {
  entries: [],
  next: null,
  waiting: 0,
  isSparse: false,
  cursors: new Map(),
  leftOut: [],
}

/**
 * Returns the listing after the newest page was read. `mayMove` is false while a person reads or uses the
 * list: then shown entries change in their places, and new entries are only counted.
 */
export function withNewest(listing: Listing, page: VerificationPage, mayMove: boolean): Listing {
  // No newest row matches. The shown matches among older rows stay, and so does the place up to which rows
  // were searched.
  if (listing !== EMPTY && page.has_more && page.verifications.length === 0)
    return { ...listing, waiting: 0, leftOut: withLeftOut(listing, page) }
  const newest = new Map(page.verifications.map((entry) => [entry.verification_id, entry]))
  const last = listing.entries.findLastIndex(({ verification_id }) => newest.has(verification_id))
  const known = new Set(listing.entries.map(({ verification_id }) => verification_id))
  const cursors = withCursor(listing, page)
  if (mayMove || listing.entries.length === 0) {
    // If the two pages have no common entry, there may be further entries between them.
    const isGap = last < 0 && page.has_more
    const older = isGap || !page.has_more ? [] : listing.entries.slice(last + 1)
    const entries = [...page.verifications, ...older]
    const isWhole = older.length === 0
    const next = isWhole ? page.next : listing.next
    const leftOut = withLeftOut(isWhole ? EMPTY : listing, page)
    return { entries, next, waiting: 0, isSparse: entries.length === 0, cursors, leftOut }
  }
  const waiting = page.verifications.filter(({ verification_id }) => !known.has(verification_id)).length
  return { ...withChanged(listing, page), waiting }
}

/** Returns the listing with the entries of a page that was read again, in their places. */
export function withChanged(listing: Listing, page: VerificationPage): Listing {
  const changed = new Map(page.verifications.map((entry) => [entry.verification_id, entry]))
  const entries = listing.entries.map((entry) => changed.get(entry.verification_id) ?? entry)
  return { ...listing, entries, cursors: withCursor(listing, page), leftOut: withLeftOut(listing, page) }
}

/** Returns the cursor of the page that has the entry at `index`; null for the newest page. */
export function cursorOf({ entries, cursors }: Listing, index: number): string | null {
  for (let i = Math.min(index, entries.length) - 1; i >= 0; i--) {
    const cursor = cursors.get(entries[i]?.verification_id ?? '')
    if (cursor !== undefined) return cursor
  }
  return null
}

function withCursor({ cursors }: Listing, { verifications, next }: VerificationPage) {
  const last = verifications.at(-1)
  return last === undefined || next === null ? cursors : new Map(cursors).set(last.verification_id, next)
}

/** Returns the days that the listing or the page leaves out, oldest first. */
function withLeftOut({ leftOut }: Listing, { incomplete = [] }: VerificationPage): readonly string[] {
  return [...new Set([...leftOut, ...incomplete])].sort()
}

/** Returns true if the service searched thousands of rows for a page, and did not fill it. */
export function isShort({ verifications, has_more }: VerificationPage, asked: number): boolean {
  return has_more && verifications.length < asked
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
    cursors: withCursor(listing, page),
    leftOut: withLeftOut(listing, page),
  }
}
