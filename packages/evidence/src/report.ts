// The report of a verification: one line for each check.

/** Result of one check. `not_in_evidence`: the container alone does not show it. */
export type CheckResult = 'pass' | 'fail' | 'not_in_evidence'

/** One check. `file`: the file that it is about. `clause`: the clause that it implements. */
export type Check = {
  readonly id: string
  readonly result: CheckResult
  readonly file: string | null
  readonly clause: string | null
  readonly detail: string | null
}

/** `incomplete`: everything was checked, but something rests on the container alone. */
export type Report = {
  readonly result: 'passed' | 'failed' | 'incomplete'
  readonly checks: readonly Check[]
}

/** Collects the checks of a report. */
export type Reporter = {
  readonly pass: (id: string, more?: Partial<Check>) => void
  readonly fail: (id: string, detail: string, more?: Partial<Check>) => void
  readonly absent: (id: string, detail: string, more?: Partial<Check>) => void
  /** Passes if `holds`, else fails with the detail. */
  readonly expect: (id: string, holds: boolean, detail: string, more?: Partial<Check>) => void
  readonly report: () => Report
}

/** Makes a reporter without checks. */
export function createReporter(): Reporter {
  const checks: Check[] = []
  const add = (id: string, result: CheckResult, detail: string | null, more: Partial<Check> = {}) => {
    checks.push({ id, result, file: null, clause: null, detail, ...more })
  }
  return {
    pass: (id, more) => add(id, 'pass', null, more),
    fail: (id, detail, more) => add(id, 'fail', detail, more),
    absent: (id, detail, more) => add(id, 'not_in_evidence', detail, more),
    expect: (id, holds, detail, more) => add(id, holds ? 'pass' : 'fail', holds ? null : detail, more),
    report: () => ({ result: resultOf(checks), checks }),
  }
}

function resultOf(checks: readonly Check[]): Report['result'] {
  if (checks.some(({ result }) => result === 'fail')) return 'failed'
  return checks.every(({ result }) => result === 'pass') ? 'passed' : 'incomplete'
}

/** Exit status of the command for a report. */
export function exitStatus({ result }: Report): 0 | 1 | 3 {
  return { passed: 0, failed: 1, incomplete: 3 }[result] as 0 | 1 | 3
}
