// Calls of the verifier to the Worker for background work.

import { logLine } from '../metrics/log-line.ts'
import { loggedError } from '../metrics/platform-error.ts'
import { withDeadline } from '../net/time-limit.ts'

/** Time limit of a call. A list of lists may fetch eight pivots, each with a time limit of 15 seconds. */
const CALL_MS = 180_000
const LATE = Symbol('late')

/**
 * Returns the result of a call to the Worker for background work. Returns `undefined` if the call fails or
 * takes too long, for example because the binding is missing, and logs this. `undefined` means "could not be
 * checked".
 *
 * @example
 * const verified = await callBackground(async () => env.BACKGROUND_WORK.verifyEtsiTl(body, rules))
 */
export async function callBackground<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await withDeadline(call(), CALL_MS, LATE)
    if (result !== LATE) return result
    logLine('error', 'background_work_failed', { error: 'timeout' })
    return undefined
  } catch (error) {
    logLine('error', 'background_work_failed', loggedError(error))
    return undefined
  }
}
