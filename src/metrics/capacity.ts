// Capacity of a self-hosted process for new work. workerd ends when it has no file descriptor left. Without
// processor time, more work only makes the queue longer. So new work waits or is refused early. The launcher,
// which starts workerd, reports the descriptors up to four times a second. With each report the process
// measures the delay of its own timer, which shows if processor time is short. Without a report, as on
// Cloudflare, there is always capacity. Times are Unix milliseconds.

/**
 * Kinds of work. `new`: requests that begin a session, and work of low priority. `begun`: other requests, and
 * due work of existing sessions. Work of the kind `begun` may use more descriptors, so that new sessions do
 * not prevent the end of existing sessions.
 */
export type WorkKind = 'new' | 'begun'

/** Largest part of the descriptors that may be in use when work of each kind begins. */
const MARKS: Readonly<Record<WorkKind, number>> = { new: 0.8, begun: 0.9 }
/**
 * Number of descriptors that one piece of work is expected to open. A Durable Object opens three or four.
 * Some work opens none.
 */
const DESCRIPTORS = 4
/**
 * Milliseconds from the start of a piece of work until it has opened its descriptors, if the process has
 * enough processor time.
 */
const OPENING_MS = 500
/** Age in milliseconds from which a report is ignored, because the launcher has ended or is stopped. */
const STALE_MS = 10_000

/** If the process's own timer is late by this number of milliseconds or more, less work may begin. */
const LATE_MS = 1_000
/** Smallest and largest value of `pace`, which limits the work that begins between two reports. */
const LEAST = 4
const MOST = 5_000

/** Number of open descriptors, and their limit. */
export type DescriptorCount = { readonly open: number; readonly limit: number }

let reportedAt = Number.NEGATIVE_INFINITY
let descriptors: DescriptorCount | null = null
/**
 * Work of the kind `new` begins only while less than `pace` pieces of work have begun since the last report.
 * For work of the kind `begun` the limit is twice `pace`. Pieces of both kinds are counted together. A
 * request above the limit waits. Other work above the limit is postponed or left out.
 */
let pace = MOST
let begunSinceReport = 0
/** Start times of the newest work, which perhaps has not opened its descriptors yet. */
let begins: number[] = []

/** Stores a report, and adapts `pace` to it. `delayMs`: delay of the process's own timer. */
export function reportCapacity(count: DescriptorCount | null, delayMs: number, now: number): void {
  pace = delayMs < LATE_MS ? Math.min(MOST, pace * 2) : Math.max(LEAST, Math.min(pace, begunSinceReport) / 2)
  begins = begins.filter((at) => Math.abs(now - at) < OPENING_MS + 2 * delayMs)
  begunSinceReport = 0
  descriptors = count
  reportedAt = now
}

/** Returns true if a piece of work may begin now, and counts it. */
export function mayBegin(kind: WorkKind, now: number): boolean {
  if (Math.abs(now - reportedAt) > STALE_MS) return true
  if (begunSinceReport >= (kind === 'new' ? pace : 2 * pace)) return false
  if (descriptors !== null) {
    const used = descriptors.open + (begins.length + 1) * DESCRIPTORS
    if (used > descriptors.limit * MARKS[kind]) return false
  }
  begunSinceReport += 1
  begins.push(now)
  return true
}
