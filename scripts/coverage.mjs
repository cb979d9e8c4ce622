// `npm run coverage [-- part-of-a-path …]`: runs the tests of the core and of the objects with counters in
// src/. Prints lines and branches of each room, and the lines that no test reached. docs/decisions/fuzz.md
// says what is not counted.

import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

const REPORTS = join(ROOT, 'reports', 'coverage')

ensureInstalled()
rmSync(REPORTS, { recursive: true, force: true })
const run = spawnSync(
  NODE,
  [
    join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--project=core',
    '--project=workers',
    '--exclude=test/simulation/**', // it bundles the sources by itself, without counters
    '--maxWorkers=2', // that of the project of the objects: they run beside each other
    '--reporter=dot',
    '--coverage.enabled',
    '--coverage.provider=istanbul',
    '--coverage.include=src/**/*.ts',
    '--coverage.reportOnFailure',
    '--coverage.reporter=json',
    '--coverage.reporter=json-summary',
    `--coverage.reportsDirectory=${REPORTS}`,
    ...process.argv.slice(2),
  ],
  { cwd: ROOT, stdio: 'inherit' },
)
const sums = filesOf('coverage-summary.json')
const files = Object.keys(sums)
const rooms = [...new Set(files.map(roomOf))].sort()
console.table({
  ...Object.fromEntries(rooms.map((room) => [room, sharesOf(files.filter((file) => roomOf(file) === room))])),
  all: sharesOf(files),
})
for (const [file, counters] of Object.entries(filesOf('coverage-final.json'))) {
  const lines = unreachedLines(counters)
  if (lines.length > 0) console.log(`${file}: ${lines.join(', ')}`)
}
process.exitCode = run.status ?? 1

/** Returns a report by file of src/. */
function filesOf(name) {
  const report = JSON.parse(readFileSync(join(REPORTS, name), 'utf8'))
  const named = Object.entries(report).map(([path, value]) => [relative(ROOT, path), value])
  return Object.fromEntries(named.filter(([path]) => path.startsWith('src/')))
}

function roomOf(file) {
  const [, room, inside] = file.split('/')
  return inside === undefined ? '(src)' : room
}

function sharesOf(some) {
  return { lines: shareOf(some, 'lines'), branches: shareOf(some, 'branches') }
}

function shareOf(some, kind) {
  const sum = (count) => some.reduce((total, file) => total + sums[file][kind][count], 0)
  const [covered, total] = [sum('covered'), sum('total')]
  return `${((100 * covered) / Math.max(1, total)).toFixed(1)} % of ${total}`
}

/** Returns the lines whose statements were never executed. */
function unreachedLines({ statementMap, s: counts }) {
  const executed = new Map()
  for (const [id, { start }] of Object.entries(statementMap)) {
    executed.set(start.line, Math.max(executed.get(start.line) ?? 0, counts[id]))
  }
  return [...executed].filter(([, count]) => count === 0).map(([line]) => line)
}
