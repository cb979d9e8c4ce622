// Check of the entries of one day against their sessions. A session reports each change of its entry, but a
// previous build without lists does not. So after a change of build, all entries are checked whose session
// may still exist. An entry that is pending long after its expiry is checked at any time. One alarm asks few
// sessions, and the days of this isolate take turns, because a session that is asked stays in memory for ten
// seconds.

import { isRemoved, PREFIX, type Stored, type StoredEntry } from './stored-entry.ts'

/** Key of the build that has checked all entries of the day. */
const CHECKED_BY = 'checked_by'
/** Sessions that one alarm asks, and the time from one turn to the next. */
const ASKED_AT_ONCE = 10
const TURN_MS = 5_000
/** Limit of entries that one alarm reads. */
const READ_AT_ONCE = 2_000
/** Time after `expires_at` by which a session has reported its expiry, if no call was lost. */
const OVERDUE_MS = 300_000
/** Wait before another check of entries whose session could not be asked. */
const AGAIN_MS = 3_600_000

/** An entry with its key in storage. */
export type KeyedEntry = readonly [key: string, entry: StoredEntry]

let nextTurnAt = 0

export class EntryCheck {
  readonly #kv: SyncKvStorage
  readonly #build: string
  /** Progress: the last key that was read, and the next time at which a pending entry is overdue. */
  #after = PREFIX
  #next = Infinity
  /** False if a session of this round could not be asked. */
  #isComplete = true

  constructor(kv: SyncKvStorage, build: string) {
    this.#kv = kv
    this.#build = build
  }

  /** Returns true if this build has not checked all entries of the day yet. */
  isDue(): boolean {
    return this.#kv.get<string>(CHECKED_BY) !== this.#build
  }

  /** Notes that all entries are checked. A new day calls it before its first entry. */
  finish(): void {
    this.#kv.put(CHECKED_BY, this.#build)
  }

  /**
   * Calls `check` for several next entries at the same time. `check` returns false if the session of the
   * entry could not be asked. All entries are then checked again. Returns the time at which `run` must be
   * called again; null if no entry waits. `now` is Unix milliseconds.
   */
  async run(now: number, check: (entry: KeyedEntry) => Promise<boolean>): Promise<number | null> {
    const { entries, after, next, isLast } = this.#read(now)
    if (entries.length > 0) {
      const wait = nextTurnAt - now
      if (wait > 0 && wait <= TURN_MS) return nextTurnAt
      nextTurnAt = now + TURN_MS
      if ((await Promise.all(entries.map(check))).includes(false)) this.#isComplete = false
    }
    if (!isLast) {
      this.#after = after
      this.#next = next
      return now + TURN_MS
    }
    this.#after = PREFIX
    this.#next = Infinity
    const isRepeated = this.isDue() && !this.#isComplete
    if (this.isDue() && this.#isComplete) this.finish()
    this.#isComplete = true
    if (isRepeated) return Math.min(next, now + AGAIN_MS)
    return next === Infinity ? null : next
  }

  /** Reads entries until enough of them must be checked. */
  #read(now: number) {
    const isDue = this.isDue()
    const entries: KeyedEntry[] = []
    let [after, next, read] = [this.#after, this.#next, 0]
    for (const [key, stored] of this.#kv.list<Stored>({
      prefix: PREFIX,
      startAfter: after,
      limit: READ_AT_ONCE,
    })) {
      after = key
      read += 1
      if (isRemoved(stored)) continue
      const overdueAt = stored.ended_at === null ? stored.expires_at + OVERDUE_MS : Infinity
      if (overdueAt <= now || (isDue && stored.metadata_until > now)) entries.push([key, stored])
      next = Math.min(next, overdueAt <= now ? now + AGAIN_MS : overdueAt)
      if (entries.length === ASKED_AT_ONCE) return { entries, after, next, isLast: false }
    }
    return { entries, after, next, isLast: read < READ_AT_ONCE }
  }
}
