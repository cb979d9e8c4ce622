// Capacity of a self-hosted process for new work. workerd ends when it has no file descriptor left. Without
// processor time, more work only makes the queue longer. So new work waits or is refused early. The launcher
// reports the descriptors up to four times a second. With each report the process measures the delay of its
// own timer. Without a report, as on Cloudflare, there is always capacity. Times are Unix milliseconds.

/**
 * Kinds of work. `new`: requests that begin a session. `begun`: other requests, and work that is due. Begun
 * work may use more descriptors, so that new sessions do not prevent the end of sessions that have begun.
 */
export type WorkKind = 'new' | 'begun'

/** Each kind of work begins only while no more than this part of the descriptors is in use. */
const MARKS: Readonly<Record<WorkKind, number>> = { new: 0.8, begun: 0.9 }
/**
 * Number of descriptors that one piece of work is expected to open. An object opens three or four. Some work
 * opens none.
 */
const DESCRIPTORS = 4
/** Time in which a piece of work opens its descriptors, if the timer has no delay. */
const OPENING_MS = 500
/** A report of this age is ignored, because the launcher has ended or is stopped. */
const STALE_MS = 10_000

/** If the timer has this delay or more, less work may begin. */
const LATE_MS = 1_000
/**
 * Limits of the new work that may begin between two reports. The same number of pieces of begun work may
 * begin in addition. Begun work is postponed, while a request waits.
 */
const LEAST = 4
const MOST = 5_000

/** Open descriptors and their limit, if the system can tell. */
export type DescriptorCount = { readonly open: number; readonly limit: number }

let reportedAt = Number.NEGATIVE_INFINITY
let descriptors: DescriptorCount | null = null
/** New work that may begin between two reports. */
let pace = MOST
let begunSinceReport = 0
/** Start times of the newest work. This work may not have opened its descriptors yet. */
let begins: number[] = []

/** Stores a report. `delayMs`: delay of the process's own timer. */
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
