// `npm test [-- file …]`: every project, one after the other, and one closing line summed from the runner's own reports.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBundle } from './service/bundle.mjs'
import { findChromium, NO_CHROMIUM } from './service/chromium.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'
import { closingLine, refusalLine, summarise } from './service/test-summary.mjs'

const PROJECTS = ['core', 'workers', 'system', 'browser']
const REPORTS = join(ROOT, 'reports')

const filters = process.argv.slice(2)
ensureInstalled()
ensureBundle()
rmSync(REPORTS, { recursive: true, force: true })
mkdirSync(REPORTS, { recursive: true })

const summary = summarise(PROJECTS.map(run), {
  everyProject: filters.length === 0,
  noSkips: process.env.CI !== undefined,
})
if (findChromium() === undefined) console.error(NO_CHROMIUM)
for (const fault of summary.faults) console.error(fault)
const refusals = refusalLine(summary)
if (refusals !== undefined) console.log(refusals)
console.log(closingLine(summary))
process.exitCode = summary.faults.length === 0 ? 0 : 1

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
    return null // The runner died before it could write one: a fault in the summary.
  }
}
