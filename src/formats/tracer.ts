// How a format records its checks: each as it is made, with the result it had.

import type { Result } from '../result.ts'
import type { CheckId, Context } from './format.ts'

/** Passes a step's result on, having traced it. */
export function tracer(
  trace: Context['trace'],
): <T, E>(check: CheckId, result: Result<T, E>) => Result<T, E> {
  return (check, result) => {
    trace(check, result.ok ? 'pass' : 'fail')
    return result
  }
}
