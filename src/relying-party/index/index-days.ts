// Days of the index of verifications: one object for each relying party and UTC day.

import type { Env } from '../../env.ts'
import { endOfDay, eventLogStub } from '../events/event-days.ts'

/** Number of days after the end of a day until its entries are erased. */
const LISTED_DAYS = 30
/** Number of days after the end of a day until its counters are erased. */
export const COUNTED_DAYS = 90

/** Returns the time when the entries of a day are erased. */
export function unlistedAt(day: number): number {
  return endOfDay(day + LISTED_DAYS)
}

/**
 * Returns the time when the counters of a day are erased. The counters are the last data of the day's object.
 */
export function uncountedAt(day: number): number {
  return endOfDay(day + COUNTED_DAYS)
}

/** Returns the object that has the list of a day, and the events that arrive on that day. */
export function indexStub(env: Env, relyingPartyId: string, day: number): DayStub {
  return eventLogStub(env, relyingPartyId, day)
}

/**
 * Returns the object that an earlier build made for the list of a day. Only this function builds the object's
 * name, from an id that was authenticated or that a session stored.
 */
export function oldIndexStub({ VERIFICATION_INDEX }: Env, relyingPartyId: string, day: number): DayStub {
  return VERIFICATION_INDEX.getByName(`${relyingPartyId}/${day}`)
}

/** A day with a list. `isOld`: the list is in the separate object of an earlier build. */
export type ListedDay = { readonly day: number; readonly isOld: boolean }

/** Returns the object that has the list of a day. */
export function listStub(env: Env, relyingPartyId: string, { day, isOld }: ListedDay): DayStub {
  return isOld ? oldIndexStub(env, relyingPartyId, day) : indexStub(env, relyingPartyId, day)
}

/** The object with the list of one day. */
export type DayStub = ReturnType<Env['VERIFICATION_INDEX']['getByName']>
