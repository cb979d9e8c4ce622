// Records each check of a format together with the result of the check.

import type { Result } from '../../result.ts'
import type { CheckId, Context } from './format.ts'

/** Returns a function that traces the result of a check, and then returns that result. */
export function tracer(
  trace: Context['trace'],
): <T, E>(check: CheckId, result: Result<T, E>) => Result<T, E> {
  return (check, result) => {
    trace(check, result.ok ? 'pass' : 'fail')
    return result
  }
}
