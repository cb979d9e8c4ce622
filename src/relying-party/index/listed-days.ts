// Days with listed verifications, stored in the relying party's object. The list of a day is in the object of
// the day's event log. Lists of an earlier build are in separate objects (`VerificationIndex`).

import { COUNTED_DAYS, type ListedDay } from './index-days.ts'

const KEY = 'list_days'
/** Key of the days whose list is in a separate object. */
const OLD_KEY = 'index_days'

/** Returns functions that read and change the list of days. */
export function openListedDays({ kv }: Pick<DurableObjectStorage, 'kv'>) {
  const load = (key: string): readonly number[] => kv.get<readonly number[]>(key) ?? []
  return {
    /**
     * Returns the days, oldest first. `isOld`: an earlier build stored the list of this day, in an object of
     * its own. After a rollback a day may have both lists. Then the list in its event log is used (not old).
     */
    read: (): readonly ListedDay[] => {
      const days = load(KEY)
      const old = load(OLD_KEY).filter((day) => !days.includes(day))
      const all = [...days.map((day) => ({ day, isOld: false })), ...old.map((day) => ({ day, isOld: true }))]
      return all.sort((a, b) => a.day - b.day)
    },
    /**
     * Adds a day, and removes days whose counters are erased. Returns `old` if an earlier build has begun the
     * list of this day.
     */
    add: (day: number): 'added' | 'old' => {
      const days = load(KEY)
      if (days.includes(day)) return 'added'
      if (load(OLD_KEY).includes(day)) return 'old'
      const kept = days.filter((known) => known >= day - COUNTED_DAYS)
      kv.put(
        KEY,
        [...kept, day].sort((a, b) => a - b),
      )
      return 'added'
    },
  }
}
