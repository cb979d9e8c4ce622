// Changes of a session's entry in the list of its relying party (CONTRACT 13). They are queued by the write
// of the change that they report.

import { expiryAlarmAt } from '../alarm/wake-up.ts'
import type { PendingIndexEntry, SessionDocument } from '../document.ts'

/**
 * Returns the session with a changed entry, whose first call starts after the write. `repeatAt`: when the
 * alarm repeats a call that a crash cut off. A session without an index stays as it is.
 */
export function withChangedEntry(document: SessionDocument, repeatAt?: number): SessionDocument {
  if (document.pending_index_entry === undefined) return document
  const { revision } = document.pending_index_entry
  const next_call_at = repeatAt ?? expiryAlarmAt(document)
  return { ...document, pending_index_entry: { revision: revision + 1, calls: 1, next_call_at } }
}

/** The entry of a new session, whose first call starts after the write. */
export function firstEntry(
  document: Pick<SessionDocument, 'verification_id' | 'expires_at'>,
): PendingIndexEntry {
  return { revision: 1, calls: 1, next_call_at: expiryAlarmAt(document) }
}
