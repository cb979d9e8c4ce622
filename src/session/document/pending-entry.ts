// Entries that are queued for the relying party's list and log, in the document of a session and in the
// tombstone of an erased session. Times are Unix milliseconds.

import type { IndexEntry } from '../../relying-party/index/index-entry.ts'

/** State of the session's entry in the relying party's list. */
export type PendingIndexEntry = {
  /** Increases with each change of the entry. */
  readonly revision: number
  /** Number of calls to the list that were started for this revision. */
  readonly calls: number
  /** Time of the next call; null once the list has confirmed this revision. */
  readonly next_call_at: number | null
}

/** Queued change of the list. The change is kept after the session is erased. */
export type PendingListing = {
  readonly relying_party_id: string
  readonly verification_id: string
  readonly created_at: number
  /** The last entry, without metadata. Null: the list must remove the entry. */
  readonly entry: IndexEntry | null
  /** Number of started calls. */
  readonly calls: number
  readonly next_call_at: number
}

/** An event that is queued for the relying party's log. */
export type PendingLogEntry = {
  readonly event_id: string
  /**
   * Day of the log to which the event is sent. If that log is closed, the event moves to a later day. The
   * event is never in the logs of two days.
   */
  readonly day: number
  /** Number of started calls. */
  readonly calls: number
  readonly next_call_at: number
}

/** Step events that are queued for the log, in their order. Their bodies are stored in `deliveries`. */
export type PendingStepLog = Omit<PendingLogEntry, 'event_id'> & { readonly event_ids: readonly string[] }
