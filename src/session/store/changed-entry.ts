// Changes of a session's entry in the list of its relying party (api/lists).

import { isStepEvent } from '../../relying-party/document/settings.ts'
import type { WebhookResult } from '../../relying-party/index/index-entry.ts'
import { type SessionDocument, type Tombstone, toStage } from '../document/document.ts'
import type { PendingIndexEntry } from '../document/pending-entry.ts'
import { expiryAlarmAt, REPEAT_MS } from './wake-up.ts'

/**
 * Returns the document to write next. `listed`: the document whose list entry was last queued or sent. If the
 * new entry differs from that entry, the new entry is queued with a new revision. After the write, the caller
 * starts the first call that sends the entry.
 */
export function withChangedEntry(
  listed: SessionDocument | Tombstone | undefined,
  document: SessionDocument,
  now: number,
): SessionDocument {
  const pending = document.pending_index_entry
  if (pending === undefined || listed === undefined || listed.erased) return document
  if (hasSameEntry(listed, document)) return document
  const revision = pending.revision + 1
  return { ...document, pending_index_entry: { revision, calls: 1, next_call_at: repeatAt(document, now) } }
}

/**
 * Returns a stored document with a new revision of its queued entry. Before a crash, the entry may have been
 * sent with a webhook result that was not written. The list accepts a revision only once. The new revision is
 * stored by the write before the next call.
 */
export function withNextRevision<T extends SessionDocument | Tombstone | undefined>(stored: T): T {
  if (stored === undefined || stored.erased) return stored
  const pending = stored.pending_index_entry
  if (pending === undefined || pending.next_call_at === null) return stored
  return { ...stored, pending_index_entry: { ...pending, revision: pending.revision + 1 } }
}

/** Returns the queued entry of a new session. The first call for the entry starts after the write. */
export function firstEntry(
  document: Pick<SessionDocument, 'verification_id' | 'expires_at'>,
): PendingIndexEntry {
  return { revision: 1, calls: 1, next_call_at: expiryAlarmAt(document) }
}

/**
 * Returns the time at which the alarm repeats the call that sends the entry. If possible, this is the time of
 * an alarm that is already set, because a new time would write one more row.
 */
function repeatAt(document: SessionDocument, now: number): number {
  const { status, pending_log_entry, pending_index_entry } = document
  const set = pending_index_entry?.next_call_at ?? 0
  const usual =
    status === 'pending' ? expiryAlarmAt(document) : (pending_log_entry?.next_call_at ?? now + REPEAT_MS)
  return set > now ? Math.min(set, usual) : usual
}

/**
 * Returns true if no new revision of the entry is needed. The list gets the entry of a login at the first
 * action of a wallet.
 */
function hasSameEntry(before: SessionDocument, after: SessionDocument): boolean {
  const isFirstAct =
    after.login !== undefined && toStage(before) === 'created' && toStage(after) !== 'created'
  return !isFirstAct && JSON.stringify(listChanges(before)) === JSON.stringify(listChanges(after))
}

/**
 * Returns the members whose change needs a new revision of the entry. The stage is not one of these members:
 * the list asks pending sessions for their stage (api/lists).
 */
export function listChanges(document: SessionDocument): readonly unknown[] {
  return [document.status, webhookResult(document), reportedAttempts(document.attempt_count)]
}

/** Numbers of refused responses at which the entry changes. So invalid responses cause few writes. */
const REPORTED = [1, 2, 3, 10]

/**
 * Returns the number of refused responses that the entry of a pending session shows. The session may have
 * more: the entry changes only at the numbers of `REPORTED`.
 */
export function reportedAttempts(attemptCount: number): number {
  return REPORTED.findLast((count) => count <= attemptCount) ?? 0
}

/** Returns the webhook result for the entry; null if the event of the end is queued or does not exist. */
export function webhookResult({ deliveries }: SessionDocument): WebhookResult | null {
  const outcome = deliveries.find((delivery) => !isStepEvent(delivery))
  if (outcome === undefined || outcome.state === 'owed') return null
  const duration_ms = outcome.attempts.at(-1)?.duration_ms ?? 0
  return { delivered: outcome.state === 'delivered', attempts: outcome.attempts.length, duration_ms }
}
