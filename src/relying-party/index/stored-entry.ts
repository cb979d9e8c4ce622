// Entries of the index as they are stored, and their keys. Keys sort by time, then by mark.

import type { ListedEntry } from './index-entry.ts'

/**
 * An entry with sealed metadata, because an overwritten row can still be read in the database file. Null: the
 * entry has no metadata. `id_place`: the place of the id in `ListedIds`. `verification_id` is empty then. An
 * earlier version stored entries with their id, and without `id_place`.
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
