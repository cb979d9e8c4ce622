// Entries of the index as they are stored, and their keys. Keys sort by time, then by mark.

import type { ListedEntry } from './index-entry.ts'

/**
 * An entry as it is stored. Its metadata are sealed, because an overwritten row can still be read in the
 * database file. They are null if the entry has no metadata. With `id_place`, the id is stored at this place
 * in `ListedIds`, and `verification_id` is empty. An earlier version stored entries with their id, and
 * without `id_place`.
 */
export type StoredEntry = ListedEntry & {
  readonly sealed_metadata: string | null
  readonly id_place?: number
}

/**
 * Row of an erased verification, which keeps the position of its entry. `counted` is the entry for the
 * counters; null if the verification was erased before its entry arrived.
 */
type Removed = { readonly removed: true; readonly counted: StoredEntry | null }
export type Stored = StoredEntry | Removed

/** Position of an entry in its day. */
export type EntryPosition = { readonly created_at: number; readonly mark: string }

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
