// Changes of a session's entry in the list of its relying party (CONTRACT 13).

import type { SessionDocument } from '../document/document.ts'
import type { PendingIndexEntry } from '../document/pending-entry.ts'
import { hasSameEntry } from '../listing/entry.ts'
import { expiryAlarmAt } from './wake-up.ts'

/**
 * Wait for a call that a crash cut off, and for one that no caller has started. It is that of a first webhook
 * attempt, so that one alarm repeats both.
 */
const REPEAT_MS = 25_000

/**
 * Returns the document to be written. Where its entry differs from that of the written one, the same write
 * queues it with a new revision. So no revision has two contents. The caller starts the first call.
 */
export function withChangedEntry(
  written: SessionDocument | undefined,
  document: SessionDocument,
  now: number,
): SessionDocument {
  const pending = document.pending_index_entry
  if (pending === undefined || written === undefined || hasSameEntry(written, document)) return document
  const revision = pending.revision + 1
  return { ...document, pending_index_entry: { revision, calls: 1, next_call_at: repeatAt(document, now) } }
}

/** The entry of a new session, whose first call starts after the write. */
export function firstEntry(
  document: Pick<SessionDocument, 'verification_id' | 'expires_at'>,
): PendingIndexEntry {
  return { revision: 1, calls: 1, next_call_at: expiryAlarmAt(document) }
}

/** Returns the time of an alarm that is set anyway, where there is one: another time would write a row. */
function repeatAt(document: SessionDocument, now: number): number {
  const { status, pending_log_entry, pending_index_entry } = document
  const set = pending_index_entry?.next_call_at ?? 0
  const usual =
    status === 'pending' ? expiryAlarmAt(document) : (pending_log_entry?.next_call_at ?? now + REPEAT_MS)
  return set > now ? Math.min(set, usual) : usual
}
