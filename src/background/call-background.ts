// Calls of the verifier to the Worker for background work.

import { logLine } from '../metrics/log-line.ts'
import { loggedError } from '../metrics/platform-error.ts'

/**
 * Returns the result of a call to the Worker for background work. Returns `undefined` if the call fails, for
 * example because the binding is missing, and logs this. `undefined` means "could not be checked".
 *
 * @example
 * const verified = await callBackground(async () => env.BACKGROUND_WORK.verifyEtsiTl(body, rules))
 */
export async function callBackground<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call()
  } catch (error) {
    logLine('error', 'background_work_failed', loggedError(error))
    return undefined
  }
}
