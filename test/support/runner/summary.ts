// Sums a run of the tests. It is good only if every file of it ran to its end.

/** Result of a test file. */
export type FileResult = {
  readonly project: string
  readonly path: string
  readonly state: 'passed' | 'failed' | 'skipped' | 'unfinished'
  readonly tests: readonly TestResult[]
}

type TestResult = {
  readonly name: string
  readonly state: 'passed' | 'failed' | 'skipped'
  /** Number of changed presentations that were refused for the expected reason, by credential format. */
  readonly refusals?: Readonly<Record<string, number>>
}

export type Rules = {
  /** Projects that must have a test. */
  readonly projects: readonly string[]
  /** A skipped test is an error, except one that needs a tool of the machine. */
  readonly noSkips: boolean
  /** A test that needs a tool must not be skipped either. */
  readonly everyTool: boolean
}

/** Ends of titles: tests that a machine can show only with this tool. */
export const NEEDS_TOOL = /, if (strace may trace|cc is installed)$/

/** Returns the lines that end a run, and its errors: a run with an error fails. */
export function summarise(files: readonly FileResult[], { projects, noSkips, everyTool }: Rules) {
  const tests = files.flatMap(({ project, tests }) => tests.map((test) => ({ project, ...test })))
  const withState = (state: TestResult['state']) => tests.filter((test) => test.state === state)
  const [passed, failed, skipped] = [withState('passed'), withState('failed'), withState('skipped')]
  const lost = files.filter(isLost)
  const missing = skipped.filter(({ name }) => everyTool || (noSkips && !NEEDS_TOOL.test(name)))
  const empty = projects.filter((project) => !tests.some((test) => test.project === project))
  return {
    errors: [
      ...lost.map(({ project, path }) => `${project}: not run to its end: ${path}`),
      ...failed.map(({ project, name }) => `${project}: failed: ${name}`),
      ...missing.map(({ project, name }) => `${project}: skipped: ${name}`),
      ...empty.map((project) => `${project}: no test ran`),
      ...(passed.length + failed.length === 0 ? ['No test ran.'] : []),
    ],
    lines: [
      ...refusalLine(tests),
      `${passed.length} passed, ${failed.length + lost.length} failed, ${skipped.length} skipped`,
    ],
  }
}

/** A file that could not be loaded, or whose hook failed, has no failed test. It counts as a failed test. */
function isLost({ state, tests }: FileResult): boolean {
  return state === 'unfinished' || (state === 'failed' && tests.every((test) => test.state !== 'failed'))
}

/** Counts the changed presentations that were refused for the expected reason, by credential format. */
function refusalLine(tests: readonly TestResult[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const [format, count] of tests.flatMap(({ refusals = {} }) => Object.entries(refusals))) {
    counts.set(format, (counts.get(format) ?? 0) + count)
  }
  const cells = [...counts].map(([format, count]) => `${format} ${count}`)
  return cells.length === 0 ? [] : [`changes refused for their own reason: ${cells.join(', ')}`]
}
