// Entries that are queued for the relying party's list and log, in the document of a session and in the
// remainder of an erased session. Times are Unix milliseconds.

import type { IndexEntry } from '../../relying-party/index/index-entry.ts'

/** The entry in the relying party's list. */
export type PendingIndexEntry = {
  /** Increases with each change of the entry. */
  readonly revision: number
  /** Number of started calls for this revision. */
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
  /** Number of started calls. */
  readonly calls: number
  readonly next_call_at: number
}

/** An event on its way to the relying party's log. */
export type PendingLogEntry = {
  readonly event_id: string
  /** The only day of the log that may already have the event. */
  readonly day: number
  /** Number of started calls. */
  readonly calls: number
  readonly next_call_at: number
}

/** Events of steps on their way to the log, in their order. Their bodies are the bodies of the deliveries. */
export type PendingStepLog = Omit<PendingLogEntry, 'event_id'> & { readonly event_ids: readonly string[] }
