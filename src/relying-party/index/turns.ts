// Turns of the check of entries (entry-check.ts). After a change of build, all days of all relying parties
// want to be checked. Each day reserves the time of its next alarm, at some distance from the alarm that was
// reserved before. An alarm then reads and asks only if it has the turn, and if the process has capacity. All
// days of this isolate share these variables. Times are Unix milliseconds.

import { mayBegin } from '../../metrics/capacity.ts'

/** Time from one turn to the next: sessions that are asked stay in memory for ten seconds. */
const TURN_MS = 5_000
/** Mean distance of two reserved alarms. A turn that asks no session is over at once. */
const DISTANCE_MS = 1_000
/** Wait if the process has no capacity. An unused object closes its descriptors after ten seconds. */
const NO_CAPACITY_MS = 10_000
/** Longest wait for an alarm that is reserved behind others. */
const LONGEST_MS = 3_600_000

let askedAt = Number.NEGATIVE_INFINITY
let reservedAt = Number.NEGATIVE_INFINITY

/** Returns null if a day may read its entries now. Otherwise returns the time of its next alarm. */
export function waitForTurn(now: number): number | null {
  if (nextTurnAt(now) > now) return reserveTurn(now)
  return mayAsk(now) ? null : reserveAlarm(now + NO_CAPACITY_MS)
}

/** Returns true if the process has capacity for a call to one session. The check leaves some for others. */
export function mayAsk(now: number): boolean {
  return mayBegin('new', now)
}

/** Notes that sessions are asked now. */
export function noteTurn(now: number): void {
  askedAt = now
}

/** Returns the time of the alarm in which a day may continue. */
export function reserveTurn(now: number): number {
  return reserveAlarm(nextTurnAt(now))
}

/** Returns `now` if no session was asked in the last seconds, or if the clock was set back. */
function nextTurnAt(now: number): number {
  const wait = askedAt + TURN_MS - now
  return wait > 0 && wait <= TURN_MS ? now + wait : now
}

/**
 * Returns the time of an alarm from `earliest` on, behind the alarms that are reserved. Returns `current`, an
 * alarm that is set, if that comes first. If too many wait, or if the clock was set back, the alarm comes at
 * the front.
 */
export function reserveAlarm(earliest: number, current = Infinity): number {
  const isUsed = reservedAt > earliest && reservedAt - earliest <= LONGEST_MS
  const end = isUsed ? reservedAt : earliest
  if (current <= end) return current
  reservedAt = Math.ceil(end + DISTANCE_MS * (0.5 + Math.random()))
  return reservedAt
}
