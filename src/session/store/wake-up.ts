// Time at which a session's object works next: expiry, deliveries, erasure.

import { nextDue } from '../../webhook/outbox.ts'
import type { SessionDocument, Tombstone } from '../document/document.ts'
import { loginErasedAt } from '../document/login.ts'
import { computeSpread, ERASURE_SPREAD_MS, EXPIRY_SPREAD_MS } from './spread.ts'

/**
 * Returns the time of the next work, to which the one alarm is set; `null` if there is no work. Expiry and
 * erasure have a random delay, but a watched session expires on time.
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
    return Math.min(...due, loginErasedAt(document), erasure)
  }
  const expiry = isWatched ? expires_at : expiryAlarmAt({ verification_id, expires_at })
  return Math.min(held?.until ?? expiry, ...due)
}

/** Returns the time of the alarm that expires a session without watchers. */
export function expiryAlarmAt({
  verification_id,
  expires_at,
}: Pick<SessionDocument, 'verification_id' | 'expires_at'>): number {
  return expires_at + computeSpread(verification_id, EXPIRY_SPREAD_MS)
}

/** Returns true if erasure, of the session or of its login, is the only work that is due at `now`. */
export function isOnlyErasureDue(document: SessionDocument, now: number): boolean {
  const isDue = Math.min(eraseAt(document), loginErasedAt(document)) <= now
  return document.status !== 'pending' && eventsDue(document).length === 0 && isDue
}

/**
 * Returns when a finished session may be erased. A queued event delays the erasure by up to seven days. A
 * queued list entry is kept without the session, so it does not delay the erasure.
 */
export function eraseAt(document: SessionDocument): number {
  const latest = erasedBy(document)
  return eventsDue(document).length === 0 ? latest - QUEUED_EVENT_WAIT_MS : latest
}

/** Returns when a finished session is erased at the latest, even if an event is still queued. */
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
