// `npm test [-- part-of-a-path …]`: runs the projects that have such tests, one after the other.
// The last line is the sum of the runner's own reports.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { findChromium, NO_CHROMIUM } from './service/chromium.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'
import { selectProjects } from './service/test-projects.mjs'
import { closingLine, refusalLine, summarise } from './service/test-summary.mjs'

const REPORTS = join(ROOT, 'reports')

const filters = process.argv.slice(2)
const { projects, needsBundle, unmatched } = selectProjects(filters)
if (unmatched.length > 0) {
  for (const filter of unmatched) {
    console.error(`No test file has "${filter}" in its path. Give a part of a path, such as test/trust.`)
  }
  process.exit(1)
}
ensureInstalled()
if (needsBundle) ensureBundle()
rmSync(REPORTS, { recursive: true, force: true })
mkdirSync(REPORTS, { recursive: true })

const summary = summarise(projects.map(run), {
  everyProject: filters.length === 0,
  noSkips: process.env.CI !== undefined,
  everyTool: process.env.CI_FULL === '1',
})
if (projects.includes('browser') && findChromium() === undefined) console.error(NO_CHROMIUM)
for (const error of summary.errors) console.error(error)
const refusals = refusalLine(summary)
if (refusals !== undefined) console.log(refusals)
console.log(closingLine(summary))
process.exitCode = summary.errors.length === 0 ? 0 : 1

function run(project) {
  console.log(`\n> ${project}`)
  const report = join(REPORTS, `${project}.json`)
  const vitest = spawnSync(
    NODE,
    [
      join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--project',
      project,
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...filters,
    ],
    { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  return { project, exitCode: vitest.status, report: readReport(report) }
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null // The runner ended without a report. The summary fails because of that.
  }
}
