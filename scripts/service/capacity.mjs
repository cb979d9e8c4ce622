// Open file descriptors of workerd, read up to four times a second. The service accepts less new work, and
// the relay fewer connections, before the last descriptor is in use: workerd ends when it has none.

import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { descriptorLimit } from './descriptors.mjs'
import { request } from './request.mjs'
import { controlSocket } from './workerd.mjs'

/** Interval of readings. The longer interval is for many descriptors, which are not used up so soon. */
const EVERY_MS = 250
const RARELY_MS = 1_000
const MANY = 8_192
/** Part of the descriptors above which the relay passes on fewer connections. */
const SHORT_ABOVE = 0.85

/** Part of the descriptors that new connections may use, and least number of connections for each reading. */
const CONNECTIONS_BELOW = 0.9
const LEAST_CONNECTIONS = 8

let isShortNow = false
let connectionsLeft = Infinity

/** Checks that the relay makes before it passes a connection on. */
export const capacity = {
  /** Returns `true` while workerd has more than 85 % of its descriptors open. */
  isShort: () => isShortNow,
  /** Returns `true` if there may be one more connection before the next reading, and counts it. */
  mayGrow: () => connectionsLeft-- > 0,
}

/**
 * Reports the open descriptors to a running workerd until it ends. Without /proc the service gets no numbers,
 * and measures only the delay of its own timer.
 */
export async function reportCapacity(directory, child) {
  const limit = descriptorLimit()
  const socketPath = controlSocket(directory)
  while (child.exitCode === null && child.signalCode === null) {
    const open = (await readdir(`/proc/${child.pid}/fd`).catch(() => undefined))?.length
    isShortNow = open > limit * SHORT_ABOVE
    // A connection takes two descriptors. The other half of those that are free is for objects.
    const free = limit * CONNECTIONS_BELOW - open
    connectionsLeft = open === undefined ? Infinity : Math.max(LEAST_CONNECTIONS, Math.floor(free / 4))
    const body = open === undefined ? {} : { open, limit }
    await request('POST', 'http://control/capacity', { socketPath, body }).catch(() => undefined)
    await sleep(limit < MANY ? EVERY_MS : RARELY_MS, undefined, { ref: false })
  }
}
