// Logging of errors in work that is not awaited. A write queues such work before it starts, and the alarm
// repeats failed work. The log line has only the name of the error, because its message may contain sent
// data.

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
