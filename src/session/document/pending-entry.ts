// Changes of the list that are queued, in the document of a session and in what remains of an erased one.
// Times are Unix milliseconds.

import type { IndexEntry } from '../../relying-party/index/index-entry.ts'

/** The entry in the relying party's list. */
export type PendingIndexEntry = {
  /** Increases with each change of the entry. */
  readonly revision: number
  /** Started calls of this revision. */
  readonly calls: number
  /** Null once the index has confirmed this revision. */
  readonly next_call_at: number | null
}

/** A change of the list that outlives its session. */
export type PendingListing = {
  readonly relying_party_id: string
  readonly verification_id: string
  readonly created_at: number
  /** The last entry, without metadata. Null: the entry is to be removed. */
  readonly entry: IndexEntry | null
  /** Started calls. */
  readonly calls: number
  readonly next_call_at: number
}
