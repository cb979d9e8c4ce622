// Calls of the verifier to the Worker for background work.

import { logLine } from '../metrics/log-line.ts'
import { loggedError } from '../metrics/platform-error.ts'
import { withDeadline } from '../net/time-limit.ts'

/** Time limit of a call. The check of a list of lists may fetch eight pivots, each in at most 15 seconds. */
const CALL_MS = 180_000
const LATE = Symbol('late')

/**
 * Returns the result of a call to the Worker for background work. Logs an error and returns `undefined` if
 * the call takes too long, or if it fails, for example because the binding is missing. `undefined` means that
 * the work was not done. It does not mean that a check failed.
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
