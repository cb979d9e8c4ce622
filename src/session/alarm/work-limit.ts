// Limit of sessions that do due work at the same time, in all objects that sessions share. These objects run
// in one process with one thread. Without this limit, hundreds of sessions begin their work at once if the
// work of thousands is due. Every other request then waits for them. Times are Unix milliseconds.

import { mayBegin } from '../../metrics/capacity.ts'

/** Limit of work at the same time in the process. */
const AT_ONCE = 8
/** If at least this much work is counted, an object leaves the next turn to other objects. */
const CROWDED = 4
/** Age at which work is no longer counted. Such work waits for something, or its object was stopped. */
const SLOW_MS = 5_000

/** Start times of the work that is counted. */
const starts = new Map<object, number>()

/** Counts a piece of work until `endWork`. */
export function beginWork(work: object, now: number): void {
  starts.set(work, now)
}

/** Stops counting a piece of work that has ended, or that now waits for a receiver or a response. */
export function endWork(work: object): void {
  starts.delete(work)
}

/** Returns true if the number of counted pieces of work is below the limit. */
export function isFree(now: number): boolean {
  return count(now) < AT_ONCE
}

/** Returns true if one more piece of work may begin now, by the limit and by the capacity of the process. */
export function mayBeginWork(now: number): boolean {
  return isFree(now) && mayBegin('begun', now)
}

/** Returns true if an object whose work has ended must leave the next turn to others. */
export function isCrowded(now: number): boolean {
  return count(now) >= CROWDED
}

function count(now: number): number {
  for (const [work, start] of starts) if (Math.abs(now - start) >= SLOW_MS) starts.delete(work)
  return starts.size
}
