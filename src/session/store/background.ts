// Logging of errors in work that is not awaited. Such work is queued by a write before the work starts, and
// the alarm repeats failed work.

import { logLine } from '../../metrics/log-line.ts'
import { loggedError } from '../../metrics/platform-error.ts'

/** Runs the work, and logs its error. Never rejects. */
export async function inBackground(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    logError('background_fault', error)
  }
}

/** Logs an event with its error. */
export function logError(event: string, error: unknown): void {
  logLine('error', event, loggedError(error))
}
