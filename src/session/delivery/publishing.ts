// Publication of a session's end in the relying party's event log (api/events). The write that ends the
// session queues the log entry, with or without a webhook. The entry is sent until the log confirms it. The
// log stores a repeated event only once.

import type { VerificationEvent } from '../../api/responses/verifications.ts'
import { loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import { withDeadline } from '../../net/time-limit.ts'
import { DAYS_KEPT, dayOf, eventLogStub } from '../../relying-party/events/event-days.ts'
import type { AppendResult, LogEntry } from '../../relying-party/events/event-log.ts'
import type { SessionDocument } from '../document/document.ts'
import type { PendingLogEntry, PendingStepLog } from '../document/pending-entry.ts'
import { logError } from '../store/background.ts'
import type { SessionContext } from '../store/context.ts'
import type { SessionStore } from '../store/store.ts'
import { erasedBy, expiryAlarmAt } from '../store/wake-up.ts'
import { terminalEvent, withoutPersonalMembers } from './event.ts'

/** Time limit of one call to the log. */
const CALL_MS = 5_000
/**
 * Time limit for all calls that send step events. The calls follow one another. The alarm repeats failed
 * calls.
 */
const STEPS_MS = 20_000
/** Longest time for which the event of the end waits for step events. */
const STEPS_FIRST_MS = 1_000
/**
 * Wait after the first call. The wait doubles after each further call, up to `LONGEST_WAIT_MS`. A first
 * webhook attempt without a result has the same wait, so one alarm serves both.
 */
const FIRST_WAIT_MS = 25_000
/**
 * Longest wait for an alarm that is already set. That alarm repeats a first call that a crash interrupted.
 */
const LONGEST_RIDE_MS = 900_000
const LONGEST_WAIT_MS = 3_600_000
const GIVEN_UP_AFTER_MS = DAYS_KEPT * 86_400_000

/**
 * Returns the queued log entry of a session that ends at `now`. The first call, which starts after the write,
 * is already counted in the entry. An alarm repeats a call that a crash interrupted. A new alarm would write
 * a row. So without a webhook the alarm of the expiry is kept for this, if it comes soon.
 */
export function newLogEntry(
  eventId: string,
  ended: SessionDocument,
  { now, hasWebhook }: { readonly now: number; readonly hasWebhook: boolean },
): PendingLogEntry {
  const [soon, set] = [now + FIRST_WAIT_MS, expiryAlarmAt(ended)]
  const canRide = !hasWebhook && set > soon && set <= now + LONGEST_RIDE_MS
  return { event_id: eventId, day: dayOf(now), calls: 1, next_call_at: canRide ? set : soon }
}

/**
 * Returns the queue of step events with one more event. The first call for this event starts after the write.
 */
export function newStepLog(
  { pending_step_log }: Pick<SessionDocument, 'pending_step_log'>,
  eventId: string,
  now: number,
): PendingStepLog {
  const { event_ids = [], day = dayOf(now) } = pending_step_log ?? {}
  return { event_ids: [...event_ids, eventId], day, calls: 1, next_call_at: now + FIRST_WAIT_MS }
}

/**
 * Sends the queued event of the end to the log again, if the next call is due. The call is counted before it
 * is made.
 */
export async function publishDue(context: SessionContext, now: number): Promise<void> {
  const { store } = context
  const document = store.session()
  const entry = document?.pending_log_entry
  if (document === undefined || !entry || entry.next_call_at > now) return
  if (now >= (document.ended_at ?? now) + GIVEN_UP_AFTER_MS) {
    store.commit({ ...document, pending_log_entry: null })
    return
  }
  const calls = entry.calls + 1
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (calls - 1), LONGEST_WAIT_MS)
  store.commit({ ...document, pending_log_entry: { ...entry, calls, next_call_at: now + wait } })
  await publish(context)
  store.save()
}

/**
 * Sends the queued event to the log. If the log confirms the event, removes it from the queue in memory. The
 * alarm repeats a failed call.
 */
export async function publish(context: SessionContext): Promise<void> {
  const { store, env } = context
  // Step events are sent first. The event of the end waits for them for at most `STEPS_FIRST_MS`.
  await withDeadline(publishSteps(context), STEPS_FIRST_MS, false)
  const document = store.session()
  const entry = document?.pending_log_entry
  if (document === undefined || !entry) return
  const recording = await record(
    env,
    document.relying_party_id,
    buildEntry(document, entry, loadConfig(env).baseUrl),
  )
  if (recording === 'unreachable') return repeatSoon(store)
  const current = store.session()
  if (!current?.pending_log_entry) return
  if (recording === 'recorded') return store.remember({ ...current, pending_log_entry: null })
  // The log of this day is closed and does not have the event. So the event moves to the next day. The new
  // day is written first, and then the log of that day is called. If the response is lost, the next call goes
  // to the same log. If another call has already changed the day, it is not changed again.
  if (current.pending_log_entry.day === entry.day) {
    const day = Math.max(dayOf(Date.now()), entry.day + 1)
    store.commit({ ...current, pending_log_entry: { ...current.pending_log_entry, day } })
  }
  return publish(context)
}

/**
 * Sets the repetition of a failed first call to `FIRST_WAIT_MS` after the end, if the alarm already set is
 * later.
 */
function repeatSoon(store: SessionStore): void {
  const document = store.session()
  const entry = document?.pending_log_entry
  const soon = (document?.ended_at ?? 0) + FIRST_WAIT_MS
  if (document === undefined || entry?.calls !== 1 || entry.next_call_at <= soon) return
  store.commit({ ...document, pending_log_entry: { ...entry, next_call_at: soon } })
}

/**
 * Sends the queued step events to the log again, if the next call is due. The call is counted before it is
 * made.
 */
export async function publishStepsDue(context: SessionContext, now: number): Promise<void> {
  const { store } = context
  const document = store.session()
  const log = document?.pending_step_log
  if (document === undefined || !log || log.next_call_at > now) return
  const calls = log.calls + 1
  const next_call_at = now + Math.min(FIRST_WAIT_MS * 2 ** (calls - 1), LONGEST_WAIT_MS)
  store.commit({ ...document, pending_step_log: { ...log, calls, next_call_at } })
  context.stepCalls = undefined // the calls of an earlier request may have been stopped at its end
  if (await publishSteps(context)) store.save()
}

/**
 * Sends the queued step events to the log, in their order. Returns false if the log is unreachable.
 * Simultaneous callers share the same calls, so that no event is sent twice.
 */
export async function publishSteps(context: SessionContext): Promise<boolean> {
  while (context.store.session()?.pending_step_log) {
    context.stepCalls ??= sendSteps(context).finally(() => {
      context.stepCalls = undefined
    })
    if (!(await withDeadline(context.stepCalls, STEPS_MS, false))) return false
  }
  return true
}

/**
 * Sends the queued step events one after the other. Removes each event from the queue in memory once the log
 * has confirmed it. Returns false if the log is unreachable.
 */
async function sendSteps({ store, env }: SessionContext): Promise<boolean> {
  for (;;) {
    const document = store.session()
    const log = document?.pending_step_log
    const [eventId] = log?.event_ids ?? []
    if (document === undefined || !log || eventId === undefined) return true
    const entry = buildStepEntry(document, eventId, log)
    const recording = entry && (await record(env, document.relying_party_id, entry))
    if (recording === 'unreachable') return false
    const current = store.session()
    const latest = current?.pending_step_log
    if (current === undefined || latest?.event_ids[0] !== eventId) continue
    if (recording === 'closed') {
      const day = Math.max(dayOf(Date.now()), log.day + 1)
      store.commit({ ...current, pending_step_log: { ...latest, day } })
    } else {
      const event_ids = latest.event_ids.slice(1)
      const pending_step_log = event_ids.length === 0 ? null : { ...latest, event_ids }
      store.remember({ ...current, pending_step_log })
    }
  }
}

/**
 * Returns the log entry of a step event, made from the body of its delivery; `undefined` without a delivery.
 */
function buildStepEntry(
  document: SessionDocument,
  eventId: string,
  log: PendingStepLog,
): LogEntry | undefined {
  const delivery = document.deliveries.find(({ event_id }) => event_id === eventId)
  if (delivery === undefined) return undefined
  const event = JSON.parse(delivery.body) as VerificationEvent // written by this session
  return {
    day: log.day,
    event_id: eventId,
    verification_id: document.verification_id,
    created_at: Date.parse(event.created_at),
    first: false, // calls for two steps may overlap, and send the same event twice
    session_until: erasedBy(document),
    body: JSON.stringify(withoutPersonalMembers(event)),
  }
}

async function record(
  env: Env,
  relyingPartyId: string,
  entry: LogEntry,
): Promise<AppendResult | 'unreachable'> {
  try {
    const recording = eventLogStub(env, relyingPartyId, entry.day).append(entry)
    return await withDeadline(recording, CALL_MS, 'unreachable' as const)
  } catch (error) {
    logError('event_log_unreachable', error)
    return 'unreachable'
  }
}

function buildEntry(document: SessionDocument, entry: PendingLogEntry, baseUrl: string): LogEntry {
  const event = terminalEvent(document, entry.event_id, baseUrl)
  return {
    day: entry.day,
    event_id: event.event_id,
    verification_id: event.verification_id,
    created_at: document.ended_at ?? document.expires_at,
    first: entry.calls === 1,
    session_until: erasedBy(document),
    body: JSON.stringify(withoutPersonalMembers(event)),
  }
}
