// Each operation must be answered with success. A route that only refuses has not run.

import { ACCESS } from '../../../src/routes/edge/access.ts'

type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Runs that are shorter do not have a turn for each operation. */
const LEAST_REQUESTS = 1_000

/** Returns how often each operation must be answered with success in a run of so many requests. */
export function requiredSuccesses(requests: number): number {
  return requests < LEAST_REQUESTS ? 0 : Math.max(1, Math.min(20, Math.floor(requests / 5_000)))
}

/** Returns the number of successes in the statuses of a route: 2xx, 3xx, and the upgrade to a WebSocket. */
export function successesOf(statuses: Readonly<Record<string, number>> = {}): number {
  return Object.entries(statuses)
    .filter(([status]) => /^[23]/.test(status) || status === '101')
    .reduce((sum, [, count]) => sum + count, 0)
}

/**
 * Returns the operations that were answered with success too seldom. The table of routes is complete:
 * test/routes/edge/access.test.ts compares it with the app.
 */
export function rarelySuccessful(routes: Counts, required: number): readonly string[] {
  return Object.keys(ACCESS).filter((route) => successesOf(routes[route]) < required)
}

/** Returns the operation with the fewest successes. */
export function leastSuccessful(routes: Counts): { readonly route: string; readonly successes: number } {
  const counted = Object.keys(ACCESS).map((route) => ({ route, successes: successesOf(routes[route]) }))
  return counted.reduce((least, one) => (one.successes < least.successes ? one : least))
}
