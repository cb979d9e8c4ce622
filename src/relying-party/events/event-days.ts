// Days of an event log: one object for each relying party and UTC day. A day that is over accepts no more
// events. So a reader that has read such a day to its end has missed no event. A late event is stored on the
// day of its arrival.

import type { Env } from '../../env.ts'

const DAY_MS = 86_400_000

/** Days for which an event can be read, counted from the end of its day in the log. */
export const DAYS_KEPT = 30

/** Largest difference between the clocks of two machines. */
export const CLOCK_SKEW_MS = 5_000

/** Returns the UTC day of a time (Unix milliseconds), counted from 1970. */
export function toDay(now: number): number {
  return Math.floor(now / DAY_MS)
}

/** Returns the end of a day. */
export function endOfDay(day: number): number {
  return (day + 1) * DAY_MS
}

/** Returns the time when a day's events are erased. */
export function forgottenAt(day: number): number {
  return endOfDay(day + DAYS_KEPT)
}

/** Returns the first day that can still be read. */
export function oldestDay(now: number): number {
  return toDay(now) - DAYS_KEPT
}

/**
 * Returns the object of one day of a relying party's log. Only this function builds the object's name, from
 * an id that was authenticated or that a session stored. No caller can name another log, or create objects
 * with guessed ids.
 */
export function eventLogStub({ EVENT_LOG }: Env, relyingPartyId: string, day: number) {
  return EVENT_LOG.getByName(`${relyingPartyId}/${day}`)
}
