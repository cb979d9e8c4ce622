// Erases the `metadata` of a day's entries when the retention of their sessions ends (api/lists). Times are
// Unix milliseconds.

import { isRemoved, PREFIX, type Stored, type StoredEntry } from './stored-entry.ts'

/** Shortest time between two erasures of `metadata`. */
export const METADATA_ROUND_MS = 3_600_000
/** Limit of entries that one alarm reads to erase their `metadata`. */
const METADATA_BATCH = 2_000
/** Time between two alarms if the first alarm cannot finish the work. */
export const NEXT_BATCH_MS = 1_000

export class MetadataErasure {
  readonly #kv: SyncKvStorage
  /** Progress: the last key that was read, and the next due time. */
  #after = PREFIX
  #next = Infinity
  /** Time from which the next round may begin. 0: the first call of `run` begins a round. */
  #roundAt = 0

  constructor(kv: SyncKvStorage) {
    this.#kv = kv
  }

  /** Notes a stored entry. Returns the time of the erasure of its `metadata`; null if the entry has none. */
  plan({ metadata_until, sealed_metadata }: StoredEntry): number | null {
    if (sealed_metadata === null) return null
    this.#next = Math.min(this.#next, metadata_until)
    const at = Math.max(metadata_until, Date.now() + METADATA_ROUND_MS)
    this.#roundAt = Math.min(this.#roundAt, at)
    return at
  }

  /**
   * Erases due `metadata` of the next entries, if a round is due or not finished. Returns the time of the
   * next alarm; null if no `metadata` is left. The object's alarm also runs for other work of the day, and
   * each alarm calls this method. So not every call begins a round.
   */
  run(now: number): number | null {
    if (this.#after === PREFIX && now < this.#roundAt) return toAlarm(this.#roundAt)
    let [after, next] = [this.#after, this.#next]
    const batch = [...this.#kv.list<Stored>({ prefix: PREFIX, startAfter: after, limit: METADATA_BATCH })]
    for (const [key, stored] of batch) {
      after = key
      if (isRemoved(stored) || stored.sealed_metadata === null) continue
      if (stored.metadata_until > now) next = Math.min(next, stored.metadata_until)
      else this.#kv.put<Stored>(key, { ...stored, sealed_metadata: null })
    }
    const isLast = batch.length < METADATA_BATCH
    this.#after = isLast ? PREFIX : after
    this.#next = isLast ? Infinity : next
    if (!isLast) return now + NEXT_BATCH_MS
    this.#roundAt = Math.max(next, now + METADATA_ROUND_MS)
    return toAlarm(this.#roundAt)
  }
}

function toAlarm(at: number): number | null {
  return at === Infinity ? null : at
}
