// Publication of a session's events in the relying party's event log (api/events): the event of the end, and
// step events. The write that ends the session queues the event of the end, with or without a webhook. Each
// event is sent until the log confirms it. The log stores a repeated event only once.

import type { VerificationEvent } from '../../api/responses/verifications.ts'
import { loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import { withDeadline } from '../../net/time-limit.ts'
import type { AppendResult, LogEntry } from '../../relying-party/events/day-events.ts'
import { DAYS_KEPT, eventLogStub, toDay } from '../../relying-party/events/event-days.ts'
import type { IndexPut } from '../../relying-party/index/stored-entry.ts'
import type { SessionDocument } from '../document/document.ts'
import type { PendingLogEntry, PendingStepLog } from '../document/pending-entry.ts'
import { buildPut, computeMark, settleEntry } from '../listing/indexing.ts'
import { logError } from '../store/background.ts'
import type { SessionContext } from '../store/context.ts'
import type { SessionStore } from '../store/store.ts'
import { erasedBy, expiryAlarmAt } from '../store/wake-up.ts'
import { terminalEvent, withoutPersonalMembers } from './event.ts'

/** Time limit of one call to the log. */
const CALL_MS = 5_000
/**
 * Time limit for all calls that send step events. The calls are made one after the other. The alarm repeats
 * failed calls.
 */
const STEPS_MS = 20_000
/** Longest time for which the event of the session's end waits for step events. */
const STEPS_FIRST_MS = 1_000
/**
 * Wait after the first call. The wait doubles after each further call, up to `LONGEST_WAIT_MS`. A first
 * webhook attempt without a result has the same wait, so one alarm serves both.
 */
const FIRST_WAIT_MS = 25_000
/**
 * If a crash interrupts the first call, and there is no webhook, the alarm for the session's expiry can
 * repeat the call. If that alarm comes within this time after the end, no earlier alarm is set.
 */
const LONGEST_RIDE_MS = 900_000
const LONGEST_WAIT_MS = 3_600_000
const GIVEN_UP_AFTER_MS = DAYS_KEPT * 86_400_000

/**
 * Returns the queued log entry of a session that ends at `now`. The first call starts after the write, and is
 * already counted in the entry. If a crash interrupts the call, an alarm repeats it. Without a webhook, this
 * may be the alarm that is already set for the expiry. A new alarm would cost one more storage write.
 */
export function newLogEntry(
  eventId: string,
  ended: SessionDocument,
  { now, hasWebhook }: { readonly now: number; readonly hasWebhook: boolean },
): PendingLogEntry {
  const [soon, set] = [now + FIRST_WAIT_MS, expiryAlarmAt(ended)]
  const canRide = !hasWebhook && set > soon && set <= now + LONGEST_RIDE_MS
  return { event_id: eventId, day: toDay(now), calls: 1, next_call_at: canRide ? set : soon }
}

/**
 * Returns the queue of step events with one more event. `calls` already includes the first call to the log.
 * The caller starts that call after it has written the document.
 */
export function newStepLog(
  { pending_step_log }: Pick<SessionDocument, 'pending_step_log'>,
  eventId: string,
  now: number,
): PendingStepLog {
  const { event_ids = [], day = toDay(now) } = pending_step_log ?? {}
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
 * Sends the queued event to the log, and the list entry in the same call if both belong to one day. If the
 * log confirms the event, removes the event from the queue in memory. The alarm repeats a failed call.
 */
export async function publish(context: SessionContext): Promise<void> {
  const { store, env } = context
  // Step events are sent first. The event of the end waits for them for at most `STEPS_FIRST_MS`.
  await withDeadline(publishSteps(context), STEPS_FIRST_MS, false)
  const mark = await computeMark(store.session())
  const document = store.session()
  const entry = document?.pending_log_entry
  if (document === undefined || !entry) return
  const put = goesWithEvent(document) ? buildPut(document, mark) : undefined
  if (put !== undefined) context.sentRevision = put.entry.revision
  const event = buildEntry(document, entry, loadConfig(env).baseUrl)
  const { appended: recording, listed } = await record(env, document.relying_party_id, event, put)
  if (put !== undefined) settleEntry(store, document, listed)
  if (recording === 'unreachable') return repeatSoon(store)
  const current = store.session()
  if (!current?.pending_log_entry) return
  if (recording === 'recorded') return store.remember({ ...current, pending_log_entry: null })
  // The log of this day is closed and does not have the event. So the event moves to a later day. The new day
  // is written first, and then the log of that day is called. If the response is lost, the next call goes to
  // the same log. If another call has already changed the day, the day is not changed again.
  if (current.pending_log_entry.day === entry.day) {
    const day = Math.max(toDay(Date.now()), entry.day + 1)
    store.commit({ ...current, pending_log_entry: { ...current.pending_log_entry, day } })
  }
  return publish(context)
}

/**
 * After a failed first call, moves the second call to `FIRST_WAIT_MS` after the end, if it was planned later.
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
  context.stepCalls = undefined // the platform may have stopped earlier calls at the end of their request
  if (await publishSteps(context)) store.save()
}

/**
 * Sends the queued step events to the log, in their order. Returns false if the log is unreachable.
 * Simultaneous callers share the same calls, so that two callers do not send the same event.
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
    if (document.pending_log_entry !== null && isAfterEnd(document, eventId)) return false
    const entry = buildStepEntry(document, eventId, log)
    const recording = entry && (await record(env, document.relying_party_id, entry)).appended
    if (recording === 'unreachable') return false
    const current = store.session()
    const latest = current?.pending_step_log
    if (current === undefined || latest?.event_ids[0] !== eventId) continue
    if (recording === 'closed') {
      const day = Math.max(toDay(Date.now()), log.day + 1)
      store.commit({ ...current, pending_step_log: { ...latest, day } })
    } else {
      const event_ids = latest.event_ids.slice(1)
      const pending_step_log = event_ids.length === 0 ? null : { ...latest, event_ids }
      store.remember({ ...current, pending_step_log })
    }
  }
}

/** Returns true for the event of a time stamp. The log gets this event after the event of the end. */
function isAfterEnd({ deliveries }: SessionDocument, eventId: string): boolean {
  return deliveries.some((one) => one.event_id === eventId && one.event_type.startsWith('evidence.'))
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
    first: false, // calls that an alarm starts may overlap earlier ones, and send the same event twice
    session_until: erasedBy(document),
    body: JSON.stringify(withoutPersonalMembers(event)),
  }
}

/** Returns true if the list entry of an ended session is sent together with the event of the end. */
export function goesWithEvent({
  created_at,
  pending_log_entry: event,
  pending_index_entry: entry,
}: SessionDocument): boolean {
  const isQueued = entry !== undefined && entry.next_call_at !== null
  return isQueued && event !== null && event.day === toDay(created_at)
}

/** Stores an event in the log, and in the same call an entry in the list of the same day. */
async function record(
  env: Env,
  relyingPartyId: string,
  event: LogEntry,
  put?: IndexPut,
): Promise<{ readonly appended: AppendResult | 'unreachable'; readonly listed: boolean }> {
  try {
    const log = eventLogStub(env, relyingPartyId, event.day)
    const recording = put === undefined ? appendTo(log, event) : log.record(event, put)
    return await withDeadline(recording, CALL_MS, UNREACHABLE)
  } catch (error) {
    logError('event_log_unreachable', error)
    return UNREACHABLE
  }
}

async function appendTo(log: ReturnType<typeof eventLogStub>, event: LogEntry) {
  return { appended: await log.append(event), listed: false }
}

const UNREACHABLE = { appended: 'unreachable', listed: false } as const

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
