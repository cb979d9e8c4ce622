// Errors of work that is not awaited. The work starts only after the write that queues it, and the alarm
// repeats it if it fails. The log line has only the name of the error, because a message may contain what was
// sent.

import { logLine } from '../../metrics/log-line.ts'

/** Runs the work, and logs its error. Never rejects. */
export async function inBackground(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    logError('background_fault', error)
  }
}

/** Logs an event with the name of its error. */
export function logError(event: string, error: unknown): void {
  logLine('error', event, { error: error instanceof Error ? error.name : '' })
}
