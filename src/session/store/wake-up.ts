// Time at which a session's object works next: expiry, deliveries, time stamp, erasure.

import { isStepEvent } from '../../relying-party/document/settings.ts'
import { nextDue } from '../../webhook/outbox.ts'
import type { SessionDocument, Tombstone } from '../document/document.ts'
import { loginErasedAt } from '../document/login.ts'
import { evidenceDueAt } from '../evidence/stored-evidence.ts'
import { computeSpread, ERASURE_SPREAD_MS, EXPIRY_SPREAD_MS } from './spread.ts'

/**
 * Returns the time of the next work; `null` if there is none. The alarm is set to this time. Expiry and
 * erasure have a delay that differs for each session, but a session with an open socket expires on time.
 */
export function nextWakeUp(document: SessionDocument | Tombstone, isWatched: boolean): number | null {
  if (document.erased) {
    const { listing, clear_at = Infinity, keep_until } = document
    return listing === undefined ? keep_until : Math.min(listing.next_call_at, clear_at)
  }
  const { verification_id, status, expires_at, held, pending_index_entry } = document
  const due = [...eventsDue(document), pending_index_entry?.next_call_at ?? Infinity]
  if (status !== 'pending') {
    const erasure = eraseAt(document) + computeSpread(verification_id, ERASURE_SPREAD_MS)
    due.push(evidenceDueAt(document))
    return Math.min(...due, loginErasedAt(document), erasure)
  }
  const expiry = isWatched ? expires_at : expiryAlarmAt({ verification_id, expires_at })
  return Math.min(held?.until ?? expiry, ...due)
}

/**
 * Returns the latest acceptable time of the alarm. An alarm that is already set for a time from `wakeUp` to
 * this time is not set again. While the first webhook attempt for the end is running, the alarm is needed
 * only after a crash: the result of the attempt sets a new alarm. `wakeUp`: the result of `nextWakeUp`.
 */
export function latestWakeUp(document: SessionDocument | Tombstone, wakeUp: number): number {
  if (document.erased || document.ended_at === null) return wakeUp
  const { ended_at, deliveries, retention_ms } = document
  const isUnderWay = deliveries.some(
    ({ state, attempts, ...one }) =>
      !isStepEvent(one) &&
      state === 'owed' &&
      attempts.length === 1 &&
      attempts[0]?.duration_ms === undefined,
  )
  if (!isUnderWay || wakeUp < ended_at + REPEAT_MS) return wakeUp
  return Math.min(ended_at + LONGEST_KEPT_MS, ended_at + retention_ms, loginErasedAt(document))
}

/** Time from a session's end until the alarm repeats calls that a crash interrupted. */
export const REPEAT_MS = 25_000
/** An alarm that is set for later than this time after the end of the session is always set again. */
const LONGEST_KEPT_MS = 900_000

/** Returns the time of the alarm that expires a session without watchers. */
export function expiryAlarmAt({
  verification_id,
  expires_at,
}: Pick<SessionDocument, 'verification_id' | 'expires_at'>): number {
  return expires_at + computeSpread(verification_id, EXPIRY_SPREAD_MS)
}

/** Returns true if a finished session or its login must be erased at `now`, and no event is queued. */
export function isOnlyErasureDue(document: SessionDocument, now: number): boolean {
  const isDue = Math.min(eraseAt(document), loginErasedAt(document)) <= now
  return document.status !== 'pending' && eventsDue(document).length === 0 && isDue
}

/**
 * Returns when a finished session may be erased. A queued event delays the erasure by up to seven days. A
 * queued list entry is kept without the session, so it does not delay the erasure. A missing time stamp or an
 * unfinished delivery to an object store does not delay the erasure, and is not tried again after it.
 */
export function eraseAt(document: SessionDocument): number {
  const latest = erasedBy(document)
  return eventsDue(document).length === 0 ? latest - QUEUED_EVENT_WAIT_MS : latest
}

/** Returns the latest time at which a finished session is erased, even if an event is still queued. */
export function erasedBy(document: SessionDocument): number {
  return (document.ended_at ?? document.expires_at) + document.retention_ms + QUEUED_EVENT_WAIT_MS
}

function eventsDue(document: SessionDocument): readonly number[] {
  const { deliveries, pending_log_entry, pending_step_log } = document
  const queued = [pending_log_entry, pending_step_log]
  const times = [nextDue(deliveries), ...queued.map((entry) => entry?.next_call_at ?? null)]
  return times.filter((time) => time !== null)
}

/** Longest delay of erasure while an event is queued for the webhook or the log. */
const QUEUED_EVENT_WAIT_MS = 7 * 86_400_000
