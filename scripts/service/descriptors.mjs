// The limit of file descriptors, and what follows from it.

import { spawnSync } from 'node:child_process'

/** A limit that is enough for a service that other people use. */
export const RECOMMENDED_DESCRIPTORS = 65_536

/** Limit that every system has at least. It is used if the limit cannot be read. */
const SMALLEST = 1_024
/** The limit if there is none. */
const LARGEST = 1_048_576

/** An object that an alarm wakes keeps about four descriptors for ten seconds. */
const DESCRIPTOR_SECONDS = 40
/**
 * Alarms get a part of the descriptors: callers and receivers need some, and a busy machine keeps objects
 * longer.
 */
const SHARE = 0.375
/** At this rate, alarms need a third of one core and 0.3 GB of memory. */
const MOST_PER_SECOND = 60

/** Returns the hard limit. Node raises the soft limit to it, and workerd inherits both. */
export function descriptorLimit() {
  const { stdout } = spawnSync('/bin/sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' })
  const text = stdout?.trim()
  if (text === 'unlimited') return LARGEST
  const limit = Number(text)
  return Number.isInteger(limit) && limit > 0 ? limit : SMALLEST
}

/** Returns how many overdue alarms may run in a second. */
export function alarmsPerSecond(limit) {
  return Math.min(MOST_PER_SECOND, Math.max(1, (limit * SHARE) / DESCRIPTOR_SECONDS))
}
