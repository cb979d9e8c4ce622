// Stored form of the entries of the index, and of their keys. Keys sort by time, then by mark (a digest of
// the verification's id). Also the arguments and results of the calls that store and read entries.

import type { EntryFilter } from './entry-filter.ts'
import type { IndexEntry, ListedEntry } from './index-entry.ts'

/**
 * Stored form of an entry. The metadata are sealed (encrypted), because an overwritten row can still be read
 * in the database file. `sealed_metadata` is null if the entry has no metadata. With `id_place`,
 * `verification_id` is masked (listed-ids.ts). Earlier versions stored an empty `verification_id` with an
 * `id_place`, or the id itself without an `id_place`.
 */
export type StoredEntry = ListedEntry & {
  readonly sealed_metadata: string | null
  readonly id_place?: number
}

/**
 * Row of an erased verification. The row keeps the position of the entry. `counted` is the entry for the
 * counters; null if the verification was erased before its entry arrived.
 */
type Removed = { readonly removed: true; readonly counted: StoredEntry | null }
export type Stored = StoredEntry | Removed

/** Position of an entry in its day. */
export type EntryPosition = { readonly created_at: number; readonly mark: string }

/** A day of a relying party. */
export type Day = { readonly relyingPartyId: string; readonly day: number }

/** An entry to be stored. `mark`: digest of the verification's id. `day`: the day of its creation. */
export type IndexPut = Day & { readonly mark: string; readonly entry: IndexEntry }

/**
 * Query of one day. The query returns at most `limit` matching entries, and reads at most `scan` entries.
 * `now` is Unix milliseconds.
 */
export type DayQuery = {
  readonly limit: number
  readonly scan: number
  readonly filter: EntryFilter
  readonly now: number
}

/**
 * A page of one day. `scanned`: number of entries that were read. `more`: older entries of this day follow.
 */
export type DayPage = {
  readonly found: readonly (EntryPosition & { readonly entry: IndexEntry })[]
  readonly last: EntryPosition | null
  readonly scanned: number
  readonly more: boolean
}

export const PREFIX = 'entry/'

export function isRemoved(stored: Stored): stored is Removed {
  return 'removed' in stored
}

export function toKey({ created_at, mark }: EntryPosition): string {
  return `${PREFIX}${String(created_at).padStart(15, '0')}/${mark}`
}

export function decodePosition(key: string): EntryPosition {
  const [, created_at = '', mark = ''] = key.split('/')
  return { created_at: Number(created_at), mark }
}
