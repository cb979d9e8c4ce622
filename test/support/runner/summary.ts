// Sums a run of the tests. It is good only if every file of it ran to its end.

import { DIFFERENCES, nameOf } from '../judge/differences.ts'

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
  /** Number of presentations by what the judge and the service found (test/support/judge). */
  readonly judged?: Readonly<Record<string, number>>
}

export type Rules = {
  /** Projects that must have a test. */
  readonly projects: readonly string[]
  /** A skipped test is an error, unless it needs a tool of the machine. */
  readonly noSkips: boolean
  /** A test that needs a tool must not be skipped either. */
  readonly everyTool: boolean
}

/** Ends of titles. A test with such a title needs the tool that the end names. */
export const NEEDS_TOOL = /, if (strace may trace|[\w ]+ (is|are) installed)$/

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
      ...(failed.length + lost.length === 0 ? unreachedRows(tests, projects) : []),
      ...(passed.length + failed.length === 0 ? ['No test ran.'] : []),
    ],
    lines: [
      ...judgeLines(tests, projects.length > 0),
      ...refusalLine(tests),
      `${passed.length} passed, ${failed.length + lost.length} failed, ${skipped.length} skipped`,
    ],
  }
}

/** A file that could not be loaded, or whose hook failed, has no failed test. It counts as a failed test. */
function isLost({ state, tests }: FileResult): boolean {
  return state === 'unfinished' || (state === 'failed' && tests.every((test) => test.state !== 'failed'))
}

/** Projects whose tests reach all rows of the table of differences. */
const JUDGED = ['core', 'conformance']

/** A row that nothing reaches any more would hide a new difference. */
function unreachedRows(tests: readonly TestResult[], projects: readonly string[]): readonly string[] {
  if (!JUDGED.every((project) => projects.includes(project))) return []
  const reached = sumOf(tests.map(({ judged = {} }) => judged))
  return DIFFERENCES.map(nameOf)
    .filter((name) => !reached.has(name))
    .map((name) => `no difference any more, remove its row: ${name}`)
}

/** Counts the presentations that were put to the judge. A whole run prints each difference, too. */
function judgeLines(tests: readonly TestResult[], isWhole: boolean): readonly string[] {
  const {
    'both accepted': accepted = 0,
    'both refused': refused = 0,
    ...differences
  } = Object.fromEntries(sumOf(tests.map(({ judged = {} }) => judged)))
  const rows = Object.entries(differences)
  const different = rows.reduce((sum, [, count]) => sum + count, 0)
  const total = accepted + refused + different
  if (total === 0) return []
  const sums = [`judged: ${total}`, `both accepted: ${accepted}`, `both refused: ${refused}`]
  return [
    ...(isWhole ? rows.map(([name, count]) => `the judge differs: ${name}: ${count}`).sort() : []),
    [...sums, `different: ${different} in ${rows.length} rows`].join(', '),
  ]
}

function sumOf(counts: readonly Readonly<Record<string, number>>[]): ReadonlyMap<string, number> {
  const sum = new Map<string, number>()
  for (const [name, count] of counts.flatMap(Object.entries<number>))
    sum.set(name, (sum.get(name) ?? 0) + count)
  return sum
}

/** Counts the changed presentations that were refused for the expected reason, by credential format. */
function refusalLine(tests: readonly TestResult[]): readonly string[] {
  const counts = sumOf(tests.map(({ refusals = {} }) => refusals))
  const cells = [...counts].map(([format, count]) => `${format} ${count}`)
  return cells.length === 0 ? [] : [`changes refused for their own reason: ${cells.join(', ')}`]
}
