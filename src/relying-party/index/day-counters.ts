// Counters of one day of the index (api/lists). Counters of older entries are stored when their hour is over,
// on a busy day more often. So a restarted object reads only newer entries. One call reads a limited number
// of entries. If an entry changes, the same atomic write also corrects the stored counters.

import { HOUR_MS, HourCounters, type HourCounts } from './counters.ts'
import type { ListedEntry } from './index-entry.ts'
import { decodePosition, isRemoved, PREFIX, type Stored, toKey } from './stored-entry.ts'

const SETTLED = 'settled'
/**
 * Age from which an entry is included in the stored counters. By then most sessions and webhooks have ended,
 * so few entries change later.
 */
const SETTLED_AFTER_MS = 900_000
/** The stored counters are written before the hour is over if there are this many new entries. */
const ENTRIES_A_WRITE = 500
/** Limit of entries that one read of the storage returns. One call reads at most twice. */
const READ_AT_ONCE = 5_000
/** A key that is greater than the key of every entry. */
const END = `${PREFIX}~`

/** Counters of all entries up to the key `through`. */
type Part = { through: string; readonly counters: HourCounters }
type StoredPart = { readonly through: string; readonly hours: readonly HourCounts[] }

export class DayCounters {
  readonly #kv: SyncKvStorage
  /** Counters in storage. */
  #settled: Part
  /** Counters that `hours` builds, until they include the whole day; `undefined` before `hours` begins. */
  #all: Part | undefined
  #added = 0
  /** Time of the first entry that is not in the stored counters; `undefined` before it is needed. */
  #firstUnsettled: number | undefined

  constructor(kv: SyncKvStorage) {
    this.#kv = kv
    const { through, hours } = kv.get<StoredPart>(SETTLED) ?? { through: PREFIX, hours: [] }
    this.#settled = { through, counters: new HourCounters(hours) }
  }

  /**
   * Updates the counters after an entry was stored. `before`: the replaced entry; `undefined` for a new
   * entry.
   */
  replace(key: string, before: ListedEntry | undefined, entry: ListedEntry, now: number): void {
    for (const part of [this.#settled, this.#all]) {
      if (part === undefined || key > part.through) continue
      if (before !== undefined) part.counters.add(before, -1)
      part.counters.add(entry)
    }
    if (key <= this.#settled.through) this.#store(this.#settled)
    if (before !== undefined) return
    if (key > this.#settled.through && this.#firstUnsettled !== undefined)
      this.#firstUnsettled = Math.min(this.#firstUnsettled, entry.created_at)
    this.#added += 1
    if (this.#added % ENTRIES_A_WRITE === 0 || this.#isHourOver(now)) this.settle(now)
  }

  /**
   * Returns the counters of the day; null if more entries must be read first. The next call continues to
   * read.
   */
  hours(now: number): readonly HourCounts[] | null {
    if (this.#all === undefined) {
      if (!this.settle(now)) return null
      this.#all = copyPart(this.#settled)
    }
    if (this.#all.through !== END) {
      if (this.#extend(this.#all, END) === READ_AT_ONCE) return null
      this.#all.through = END
    }
    return this.#all.counters.hours()
  }

  /**
   * Adds entries older than `SETTLED_AFTER_MS` to the stored counters, if the hour of these entries is over,
   * or if there are many of them. Returns false if more such entries may follow.
   */
  settle(now: number): boolean {
    const part = copyPart(this.#settled)
    const read = this.#extend(part, toKey({ created_at: now - SETTLED_AFTER_MS, mark: '' }))
    if (read >= ENTRIES_A_WRITE || (read > 0 && this.#isHourOver(now))) {
      this.#store(part)
      this.#settled = part
      this.#firstUnsettled = undefined
    }
    return read < READ_AT_ONCE
  }

  /** Returns true if an entry that is not in the stored counters belongs to an hour that is over. */
  #isHourOver(now: number): boolean {
    this.#firstUnsettled ??= this.#readFirstUnsettled()
    return toHour(now - SETTLED_AFTER_MS) > toHour(this.#firstUnsettled)
  }

  #readFirstUnsettled(): number {
    const options = { prefix: PREFIX, startAfter: this.#settled.through, limit: 1 }
    for (const [key] of this.#kv.list(options)) return decodePosition(key).created_at
    return Infinity
  }

  /**
   * Adds the entries that follow `part.through` to the part. Returns the number of entries that were read.
   */
  #extend(part: Part, end: string): number {
    let read = 0
    const options = { prefix: PREFIX, startAfter: part.through, end, limit: READ_AT_ONCE }
    for (const [key, stored] of this.#kv.list<Stored>(options)) {
      const counted = isRemoved(stored) ? stored.counted : stored
      if (counted !== null) part.counters.add(counted)
      part.through = key
      read += 1
    }
    return read
  }

  #store({ through, counters }: Part): void {
    this.#kv.put<StoredPart>(SETTLED, { through, hours: counters.hours() })
  }
}

function toHour(time: number): number {
  return Math.floor(time / HOUR_MS)
}

function copyPart({ through, counters }: Part): Part {
  return { through, counters: new HourCounters(counters.hours()) }
}
