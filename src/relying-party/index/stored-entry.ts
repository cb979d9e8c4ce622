// Entries of the index as they are stored, and their keys. Keys sort by time, then by mark.

import type { ListedEntry } from './index-entry.ts'

/**
 * Metadata is sealed at its place, because an overwritten row can still be read in the database file. Null:
 * there is none.
 */
export type StoredEntry = ListedEntry & { readonly sealed_metadata: string | null }

/**
 * An entry of an erased verification keeps its place and its counts. Null: the entry was removed before it
 * arrived.
 */
type Removed = { readonly removed: true; readonly counted: StoredEntry | null }
export type Stored = StoredEntry | Removed

/** A position in a day: the position of an entry. */
export type EntryPosition = { readonly created_at: number; readonly mark: string }

export const PREFIX = 'entry/'

export function isRemoved(stored: Stored): stored is Removed {
  return 'removed' in stored
}

export function toKey({ created_at, mark }: EntryPosition): string {
  return `${PREFIX}${String(created_at).padStart(15, '0')}/${mark}`
}

export function positionOf(key: string): EntryPosition {
  const [, created_at = '', mark = ''] = key.split('/')
  return { created_at: Number(created_at), mark }
}
