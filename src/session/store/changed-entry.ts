// Changes of a session's entry in the list of its relying party (api/lists).

import { isStepEvent } from '../../relying-party/document/settings.ts'
import type { WebhookResult } from '../../relying-party/index/index-entry.ts'
import { type SessionDocument, stageOf } from '../document/document.ts'
import type { PendingIndexEntry } from '../document/pending-entry.ts'
import { expiryAlarmAt } from './wake-up.ts'

/**
 * Wait until the alarm repeats a call that a crash interrupted, or that no caller has started. A first
 * webhook attempt has the same wait, so one alarm repeats both.
 */
const REPEAT_MS = 25_000

/**
 * Returns the document that is written next. If its list entry differs from the entry of the last written
 * document, the entry is queued with a new revision. So all copies of one revision are the same. The caller
 * starts the first call after the write.
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

/** Returns the queued entry of a new session. The first call for the entry starts after the write. */
export function firstEntry(
  document: Pick<SessionDocument, 'verification_id' | 'expires_at'>,
): PendingIndexEntry {
  return { revision: 1, calls: 1, next_call_at: expiryAlarmAt(document) }
}

/**
 * Returns the time at which the alarm repeats the call. It is the time of an alarm that is already set, if
 * possible, because a new time would write a row.
 */
function repeatAt(document: SessionDocument, now: number): number {
  const { status, pending_log_entry, pending_index_entry } = document
  const set = pending_index_entry?.next_call_at ?? 0
  const usual =
    status === 'pending' ? expiryAlarmAt(document) : (pending_log_entry?.next_call_at ?? now + REPEAT_MS)
  return set > now ? Math.min(set, usual) : usual
}

/** Returns true if no new revision of the entry is needed. Refused responses alone need no new revision. */
function hasSameEntry(before: SessionDocument, after: SessionDocument): boolean {
  return JSON.stringify(changesOf(before)) === JSON.stringify(changesOf(after))
}

/** Returns the members whose change needs a new revision of the entry. */
export function changesOf(document: SessionDocument): readonly unknown[] {
  return [stageOf(document), document.status, webhookResult(document)]
}

/** Returns the webhook result for the entry; null if the event of the end is queued or does not exist. */
export function webhookResult({ deliveries }: SessionDocument): WebhookResult | null {
  const outcome = deliveries.find((delivery) => !isStepEvent(delivery))
  if (outcome === undefined || outcome.state === 'owed') return null
  const duration_ms = outcome.attempts.at(-1)?.duration_ms ?? 0
  return { delivered: outcome.state === 'delivered', attempts: outcome.attempts.length, duration_ms }
}
