// Check of the entries of one day against their sessions. A session reports each change of its entry. A
// session in an earlier build without lists reports nothing. So after a change of build, the check covers
// every entry whose session may exist. At any time, the check also covers entries that are still pending long
// after their expiry. One alarm asks few sessions, and all days of this isolate take turns (turns.ts). The
// progress is stored, because the day's object may leave memory between two turns.

import { isRemoved, PREFIX, type Stored, type StoredEntry } from './stored-entry.ts'
import { mayAsk, noteTurn, reserveTurn, waitForTurn } from './turns.ts'

/** Storage key of the id of the build that has checked all entries of the day. */
const CHECKED_BY = 'checked_by'
/** Storage key of the progress of a check that is not finished. */
const PROGRESS = 'check_progress'
/** Number of sessions that one turn asks. */
const ASKED_AT_ONCE = 10
/** Limit of entries that one turn reads. */
const READ_AT_ONCE = 2_000
/** Time after `expires_at` by which a session has reported its expiry, if no call was lost. */
const OVERDUE_MS = 300_000
/** Wait before another check of entries whose session could not be asked. */
const AGAIN_MS = 3_600_000

/** An entry with its key in storage. */
export type KeyedEntry = readonly [key: string, entry: StoredEntry]

/**
 * Progress of one check. `after`: the last key that was read. `next`: the next time at which a pending entry
 * is overdue. `isComplete`: false if a session could not be asked.
 */
type Progress = {
  readonly build: string
  readonly after: string
  readonly next: number
  readonly isComplete: boolean
}

export class EntryCheck {
  readonly #kv: SyncKvStorage
  readonly #build: string

  constructor(kv: SyncKvStorage, build: string) {
    this.#kv = kv
    this.#build = build
  }

  /** Returns true if this build has not checked all entries of the day yet. */
  isDue(): boolean {
    return this.#kv.get<string>(CHECKED_BY) !== this.#build
  }

  /** Notes that all entries are checked. A new day calls this method before its first entry. */
  finish(): void {
    this.#kv.put(CHECKED_BY, this.#build)
  }

  /**
   * Calls `check` for the next few entries at the same time. `check` returns false if the session of the
   * entry could not be asked. All entries are then checked again. Returns the time at which `run` must be
   * called again; null if no entry waits. `now` is Unix milliseconds.
   */
  async run(now: number, check: (entry: KeyedEntry) => Promise<boolean>): Promise<number | null> {
    const turnAt = waitForTurn(now)
    if (turnAt !== null) return turnAt
    const progress = this.#progress()
    const { entries, after, next, isLast } = this.#read(progress, now)
    if (entries.length > 0) noteTurn(now)
    const isComplete = !(await Promise.all(entries.map(check))).includes(false) && progress.isComplete
    if (!isLast) {
      this.#kv.put<Progress>(PROGRESS, { build: this.#build, after, next, isComplete })
      return reserveTurn(now)
    }
    if (this.#kv.get(PROGRESS) !== undefined) this.#kv.delete(PROGRESS)
    if (this.isDue() && !isComplete) return Math.min(next, now + AGAIN_MS)
    if (this.isDue()) this.finish()
    return next === Infinity ? null : next
  }

  #progress(): Progress {
    const stored = this.#kv.get<Progress>(PROGRESS)
    if (stored?.build === this.#build) return stored
    return { build: this.#build, after: PREFIX, next: Infinity, isComplete: true }
  }

  /**
   * Reads the next entries, and returns those that must be checked. Stops at `ASKED_AT_ONCE` of them, at
   * `READ_AT_ONCE` entries, or if this process may not ask more sessions now.
   */
  #read({ after: startAfter, next: known }: Progress, now: number) {
    const isDue = this.isDue()
    const entries: KeyedEntry[] = []
    let [after, next, read] = [startAfter, known, 0]
    for (const [key, stored] of this.#kv.list<Stored>({ prefix: PREFIX, startAfter, limit: READ_AT_ONCE })) {
      const isOpen = !isRemoved(stored) && stored.ended_at === null
      const overdueAt = isOpen ? stored.expires_at + OVERDUE_MS : Infinity
      if (!isRemoved(stored) && (overdueAt <= now || (isDue && stored.metadata_until > now))) {
        if (entries.length === ASKED_AT_ONCE || !mayAsk(now)) return { entries, after, next, isLast: false }
        entries.push([key, stored])
      }
      next = Math.min(next, overdueAt <= now ? now + AGAIN_MS : overdueAt)
      after = key
      read += 1
    }
    return { entries, after, next, isLast: read < READ_AT_ONCE }
  }
}
