// Limit of sessions that do due work at the same time, in all objects that sessions share. These objects run
// in one process with one thread. Without this limit, the work of hundreds of sessions begins at once when
// thousands are due, and every other request waits for parts of all this work. Times are Unix milliseconds.

import { mayBegin } from '../../metrics/capacity.ts'

/** Limit of work at the same time in the process. */
const AT_ONCE = 8
/** Number from which other objects get the next turn. */
const CROWDED = 4
/** Age at which work is no longer counted: it waits for something, or its object was stopped. */
const SLOW_MS = 5_000

/** Start times of the work that is counted. */
const starts = new Map<object, number>()

/** Counts a piece of work until `endWork`. */
export function beginWork(work: object, now: number): void {
  starts.set(work, now)
}

/** No longer counts a piece of work, because it has ended or waits for others. */
export function endWork(work: object): void {
  starts.delete(work)
}

/** Returns true if less work is counted than the limit. */
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
