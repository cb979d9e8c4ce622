// The limit of file descriptors, and what follows from it.

import { spawnSync } from 'node:child_process'

/** Enough for the service of other people. */
export const RECOMMENDED_DESCRIPTORS = 65_536

/** A limit that every system has at least, for one if it cannot be read. */
const SMALLEST = 1_024
/** The limit if there is none. */
const LARGEST = 1_048_576

/** An object that an alarm wakes keeps about four descriptors for ten seconds. */
const DESCRIPTOR_SECONDS = 40
/** A part of them: callers and receivers need descriptors too, and a busy machine keeps objects longer. */
const SHARE = 0.375
/** A third of one core, and 0.3 GB of memory. */
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
