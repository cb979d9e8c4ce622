// Days of the index of verifications: one object for each relying party and UTC day of creation.

import type { Env } from '../../env.ts'
import { endOfDay } from '../events/event-days.ts'

/** Number of days after the end of a day until its entries are erased. */
const LISTED_DAYS = 30
/** Number of days after the end of a day until its counters are erased. */
export const COUNTED_DAYS = 90

/** Returns the time when the entries of a day are erased. */
export function unlistedAt(day: number): number {
  return endOfDay(day + LISTED_DAYS)
}

/** Returns the time when the counters of a day are erased. They are the last data of its object. */
export function uncountedAt(day: number): number {
  return endOfDay(day + COUNTED_DAYS)
}

/**
 * Returns the object of one day of a relying party's index. Only this function builds the object's name, from
 * an id that was authenticated or that a session stored.
 */
export function indexStub({ VERIFICATION_INDEX }: Env, relyingPartyId: string, day: number) {
  return VERIFICATION_INDEX.getByName(`${relyingPartyId}/${day}`)
}
