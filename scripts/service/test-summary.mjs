// Sums test reports. A run is good only if its exit code, its report and the number of tests all show it.

/** Ends of titles: tests that a machine can show only with this tool. */
const NEEDS_TOOL = /, where (strace may look|cc is installed)$/

/**
 * `runs`: `{ project, exitCode, report }[]`, where `report` is vitest's JSON or null. `everyProject`: every
 * project must have a test, and one that passed unless all were skipped. `noSkips`: a skipped test is an
 * error, except one that needs a tool of the machine. `everyTool`: such a test, too.
 * Returns the three counts, `refusals` by credential format (counted by test/formats/contract.ts), and
 * `errors`: sentences that fail the whole run.
 */
export function summarise(runs, { everyProject, noSkips, everyTool }) {
  const counted = runs.map(({ report }) => count(report))
  const sum = (key) => counted.reduce((total, each) => total + each[key], 0)
  const summary = {
    passed: sum('passed'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    refusals: refusalsOf(runs),
    errors: [],
  }

  runs.forEach(({ project, exitCode, report }, index) => {
    if (report === null) summary.errors.push(`${project}: no report`)
    if (exitCode !== 0) summary.errors.push(`${project}: the runner ended with ${exitCode}`)
    const { passed, skipped } = counted[index]
    if (everyProject && passed + skipped === 0) summary.errors.push(`${project}: no test passed`)
    const named = (kind, names) => names.map((name) => `${project}: ${kind}: ${name}`)
    summary.errors.push(...named('failed', failedTests(report)))
    const isError = (name) => everyTool || (noSkips && !NEEDS_TOOL.test(name))
    summary.errors.push(...named('skipped', skippedTests(report).filter(isError)))
  })
  if (summary.failed > 0) summary.errors.push('Tests failed.')
  if (summary.passed + summary.failed === 0) summary.errors.push('No test ran.')
  return summary
}

/**
 * Returns the number of changed presentations that were refused for the expected reason, or undefined without
 * any.
 */
export function refusalLine({ refusals }) {
  const counts = Object.entries(refusals).map(([format, count]) => `${format} ${count}`)
  return counts.length === 0 ? undefined : `changes refused for their own reason: ${counts.join(', ')}`
}

/** The line that ends a run. */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

/** Counts the tests of a report. A file that could not be loaded counts as one failed test. */
function count(report) {
  if (report === null) return { passed: 0, failed: 1, skipped: 0 }
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloadedFiles(report).length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

function refusalsOf(runs) {
  const refusals = {}
  for (const { meta } of runs.flatMap(({ report }) => testsOf(report))) {
    for (const [format, count] of Object.entries(meta?.refusals ?? {})) {
      refusals[format] = (refusals[format] ?? 0) + count
    }
  }
  return refusals
}

function testsOf(report) {
  return (report?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults)
}

function failedTests(report) {
  const tests = testsOf(report).filter(({ status }) => status === 'failed')
  return [...unloadedFiles(report).map(({ name }) => name), ...tests.map(({ fullName }) => fullName)]
}

function unloadedFiles(report) {
  return (report?.testResults ?? []).filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  )
}

function skippedTests(report) {
  return testsOf(report)
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => fullName)
}
