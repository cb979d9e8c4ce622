// Telling the relying party's event log how a session ended (CONTRACT 7). Owed in the session's document from the same write
// that ends it, whether or not there is a webhook, and tried until the log has it: the log knows an event it has already.

import { configOf } from '../../config.ts'
import type { Env } from '../../env.ts'
import { withDeadline } from '../../net/time-limit.ts'
import { DAYS_KEPT, dayOf, eventLogStub } from '../../relying-party/events/event-days.ts'
import type { LogEntry, Recording } from '../../relying-party/events/event-log.ts'
import { erasedBy, type PendingLogEntry, type SessionDocument } from '../document.ts'
import type { SessionStore } from '../store.ts'
import { terminalEvent, withoutPersonalMembers } from './event.ts'

/** How long one call to the log may take. */
const CALL_MS = 5_000
/** The wait after the first call, doubled after each further one up to the longest. Longer than a webhook's first attempt and
 * its wait, so that a session whose webhook fails wakes up once for both. */
const FIRST_WAIT_MS = 30_000
const LONGEST_WAIT_MS = 3_600_000
const GIVEN_UP_AFTER_MS = DAYS_KEPT * 86_400_000

/** Whether a change is written at once, or kept in memory for a write that is on its way. */
type Write = (document: SessionDocument) => void

/** What a session that ends at `now` owes the log, with its first call begun. */
export function newLogEntry(eventId: string, now: number): PendingLogEntry {
  return { event_id: eventId, day: dayOf(now), calls: 1, next_call_at: now + FIRST_WAIT_MS }
}

/** Calls the log again where that is due. The call is counted before it is made. */
export async function publishDue(store: SessionStore, env: Env, now: number): Promise<void> {
  const document = store.session()
  const owed = document?.pending_log_entry
  if (document === undefined || !owed || owed.next_call_at > now) return
  if (now >= (document.ended_at ?? now) + GIVEN_UP_AFTER_MS) {
    store.commit({ ...document, pending_log_entry: null })
    return
  }
  const calls = owed.calls + 1
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (calls - 1), LONGEST_WAIT_MS)
  store.commit({ ...document, pending_log_entry: { ...owed, calls, next_call_at: now + wait } })
  await publish(store, env, store.commit)
}

/** Gives the owed event to the log, and notes by `write` that it has it. A log out of reach is the alarm's affair. */
export async function publish(store: SessionStore, env: Env, write: Write): Promise<void> {
  const document = store.session()
  const owed = document?.pending_log_entry
  if (document === undefined || !owed) return
  const recording = await record(
    env,
    document.relying_party_id,
    entryOf(document, owed, configOf(env).baseUrl),
  )
  const current = store.session()
  if (recording === 'unreachable' || !current?.pending_log_entry) return
  if (recording === 'recorded') return write({ ...current, pending_log_entry: null })
  // That day is over, without the event. The next one is written down before it is called: should the answer be lost, it is
  // the same day that is asked again. Another call may have moved on already.
  if (current.pending_log_entry.day === owed.day) {
    const day = Math.max(dayOf(Date.now()), owed.day + 1)
    store.commit({ ...current, pending_log_entry: { ...current.pending_log_entry, day } })
  }
  return publish(store, env, write)
}

async function record(env: Env, relyingPartyId: string, entry: LogEntry): Promise<Recording | 'unreachable'> {
  try {
    const recording = eventLogStub(env, relyingPartyId, entry.day).append(entry)
    return await withDeadline(recording, CALL_MS, 'unreachable' as const)
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    console.error(JSON.stringify({ event: 'event_log_unreachable', error: name }))
    return 'unreachable'
  }
}

function entryOf(document: SessionDocument, owed: PendingLogEntry, baseUrl: string): LogEntry {
  const event = terminalEvent(document, owed.event_id, baseUrl)
  return {
    day: owed.day,
    event_id: event.event_id,
    verification_id: event.verification_id,
    created_at: document.ended_at ?? document.expires_at,
    first: owed.calls === 1,
    session_until: erasedBy(document),
    body: JSON.stringify(withoutPersonalMembers(event)),
  }
}
