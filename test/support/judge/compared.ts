// Compares the service's result for a presentation with the judge's, and counts the results for the summary
// at the end of the run.

import { TestRunner } from 'vitest'
import { compare } from './differences.ts'
import { type Asked, judge } from './judge.ts'

/**
 * Lets the judge verify a presentation. Throws if its result differs from the service's without a reason in
 * the table. `service` is `accepted`, or the code of the service's reason.
 */
export async function compareWithJudge(
  format: string,
  presentation: unknown,
  asked: Asked,
  service: string,
): Promise<void> {
  const name = compare(format, service, await judge(format, presentation, asked))
  const meta = TestRunner.getCurrentTest()?.meta as { judged?: Record<string, number> } | undefined
  if (meta !== undefined) meta.judged = { ...meta.judged, [name]: (meta.judged?.[name] ?? 0) + 1 }
}
