// The event log of one relying party is cut into UTC days, one object each. A day is closed when it is over: no event enters
// it any more, so whoever has read it has read all of it. What comes late enters the day on which it comes.

import type { Env } from '../../env.ts'

const DAY_MS = 86_400_000

/** Days an event can be read, counted from the end of the day on which it entered the log. */
export const DAYS_KEPT = 30

/** Clocks of two machines differ by less. */
export const CLOCK_SKEW_MS = 5_000

/** The UTC day of a time (Unix milliseconds), counted from 1970. */
export function dayOf(now: number): number {
  return Math.floor(now / DAY_MS)
}

/** When a day is over. */
export function endOfDay(day: number): number {
  return (day + 1) * DAY_MS
}

/** When a day's events are forgotten. */
export function forgottenAt(day: number): number {
  return endOfDay(day + DAYS_KEPT)
}

/** The first day that can still be read. */
export function oldestDay(now: number): number {
  return dayOf(now) - DAYS_KEPT
}

/**
 * One day of a relying party's log. The name is made here and nowhere else, of an id that was authenticated or that a session
 * stored: nobody can name another's log, nor make objects by guessing.
 */
export function eventLogStub({ EVENT_LOG }: Env, relyingPartyId: string, day: number) {
  return EVENT_LOG.getByName(`${relyingPartyId}/${day}`)
}
