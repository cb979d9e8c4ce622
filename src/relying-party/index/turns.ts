// Turns of the check of entries (entry-check.ts). After a change of build, all days of all relying parties
// must be checked. Each day reserves the time of its next alarm, a short time after the alarm that was
// reserved last. An alarm then reads entries and asks sessions only if it is the day's turn, and if the
// process has capacity. All days of this isolate share these variables. Times are Unix milliseconds.

import { mayBegin } from '../../metrics/capacity.ts'

/**
 * Shortest time from one turn to the next. A session that is asked stays in memory for ten seconds. So this
 * time limits how many sessions are in memory at once.
 */
const TURN_MS = 5_000
/**
 * Mean time between two reserved alarms. It is shorter than `TURN_MS`, because many alarms ask no session.
 */
const DISTANCE_MS = 1_000
/**
 * Wait until the next try if the process has no capacity. An object that is unused for ten seconds closes its
 * file descriptors, so there may then be capacity.
 */
const NO_CAPACITY_MS = 10_000
/** Longest wait for an alarm that is reserved after the alarms of other days. */
const LONGEST_MS = 3_600_000

let askedAt = Number.NEGATIVE_INFINITY
let reservedAt = Number.NEGATIVE_INFINITY

/**
 * Returns null if the check of a day may read the day's entries now. Otherwise returns the time of the day's
 * next alarm.
 */
export function waitForTurn(now: number): number | null {
  if (nextTurnAt(now) > now) return reserveTurn(now)
  return mayAsk(now) ? null : reserveAlarm(now + NO_CAPACITY_MS)
}

/**
 * Returns true if the process has capacity for a call to one session. The check of entries leaves some
 * capacity for other calls.
 */
export function mayAsk(now: number): boolean {
  return mayBegin('new', now)
}

/** Notes that sessions are asked now. Forgets alarms that were reserved before the clock was set back. */
export function noteTurn(now: number): void {
  askedAt = now
  if (reservedAt - now > LONGEST_MS) reservedAt = now
}

/** Returns the time of the alarm in which the check of a day may continue. */
export function reserveTurn(now: number): number {
  return reserveAlarm(nextTurnAt(now))
}

/**
 * Returns the time at which the next turn may begin: `now` if no session was asked within `TURN_MS`, or if
 * the clock was set back.
 */
function nextTurnAt(now: number): number {
  const wait = askedAt + TURN_MS - now
  return wait > 0 && wait <= TURN_MS ? now + wait : now
}

/**
 * Returns the time of an alarm after all alarms that are already reserved, and reserves this time. The
 * returned time is not earlier than `earliest`. `current`: the time of an alarm that is already set. If
 * `current` is earlier, returns `current` and reserves nothing. If too many alarms are reserved, or if the
 * clock was set back, the reserved alarms are ignored.
 */
export function reserveAlarm(earliest: number, current = Infinity): number {
  const isUsed = reservedAt > earliest && reservedAt - earliest <= LONGEST_MS
  const end = isUsed ? reservedAt : earliest
  if (current <= end) return current
  reservedAt = Math.ceil(end + DISTANCE_MS * (0.5 + Math.random()))
  return reservedAt
}
