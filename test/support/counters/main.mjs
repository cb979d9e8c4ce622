// `npm run proof -- coverage [part-of-a-path …]`: runs the tests with counters in src/: first those of the
// core and of the objects, then those of the service and its pages, in a copy of the project with counters.
// Prints lines and branches of each room, and the lines that no test reached.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { NODE, ROOT } from '../../../scripts/service/paths.mjs'

const REPORTS = join(ROOT, 'reports', 'coverage')
const COUNTERS = join(REPORTS, 'counters')
const FILTERS = process.argv.slice(2)

rmSync(REPORTS, { recursive: true, force: true })
mkdirSync(COUNTERS, { recursive: true })
const exitCodes = [testSources(), testService()]
const files = filesWithCounters()
const names = Object.keys(files)
const rooms = [...new Set(names.map(roomOf))].sort()
console.table({
  ...Object.fromEntries(rooms.map((room) => [room, sharesOf(names.filter((name) => roomOf(name) === room))])),
  all: sharesOf(names),
})
for (const [name, file] of Object.entries(files)) {
  const lines = linesOf(file).filter(([, count]) => count === 0)
  if (lines.length > 0) console.log(`${name}: ${lines.map(([line]) => line).join(', ')}`)
}
process.exitCode = Math.max(...exitCodes)

/** Runs the tests of the core and of the objects. */
function testSources() {
  return vitest([
    '--project=core',
    '--project=workers',
    '--exclude=test/simulation/**', // it bundles the sources by itself, without counters
    '--maxWorkers=2', // that of the project of the objects: they run beside each other
    '--coverage.enabled',
    '--coverage.provider=istanbul',
    '--coverage.include=src/**/*.ts',
    '--coverage.reportOnFailure',
    '--coverage.reporter=json',
    `--coverage.reportsDirectory=${REPORTS}`,
    '--coverage.clean=false', // the folder of the other counters is in it
  ])
}

/** Runs the tests of the service and its pages. Each service writes its counters to a file before its end. */
function testService() {
  const copy = spawnSync(NODE, [join(ROOT, 'test', 'support', 'counters', 'project.ts')], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (copy.status !== 0) throw new Error('The copy with counters was not made. See the output above.')
  const launcher = copy.stdout.trim()
  try {
    const runs = ['conformance', 'system', 'browser', 'slow', 'faults'].map((project) =>
      vitest([`--project=${project}`], { COUNTED_LAUNCHER: launcher, COUNTERS }),
    )
    return Math.max(...runs)
  } finally {
    rmSync(dirname(dirname(launcher)), { recursive: true, force: true })
  }
}

function vitest(options, variables = {}) {
  const runner = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const args = [runner, 'run', '--passWithNoTests', '--reporter=dot', ...options, ...FILTERS]
  const run = spawnSync(NODE, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...variables } })
  return run.status ?? 1
}

/**
 * Returns the counters of all tests, by file of src/. Both kinds of tests give the counters the same numbers.
 */
function filesWithCounters() {
  const report = JSON.parse(readFileSync(join(REPORTS, 'coverage-final.json'), 'utf8'))
  const named = Object.entries(report).map(([path, file]) => [relative(ROOT, path), file])
  const sources = Object.fromEntries(named.filter(([path]) => path.startsWith('src/')))
  const taken = readdirSync(COUNTERS)
  if (taken.length === 0 && FILTERS.length === 0) throw new Error('No service gave its counters.')
  for (const name of taken) {
    for (const [path, statements, branches] of JSON.parse(readFileSync(join(COUNTERS, name), 'utf8'))) {
      add(path, sources[path], statements, branches)
    }
  }
  return sources
}

function add(path, file, statements, branches) {
  if (Object.keys(file.s).length !== Object.keys(statements).length) {
    throw new Error(`The counters of ${path} do not fit: did it change during the run?`)
  }
  for (const [id, count] of Object.entries(statements)) file.s[id] += count
  // With and without types, a module may have another number of branches.
  if (Object.keys(file.b).length !== Object.keys(branches).length) return
  for (const [id, counts] of Object.entries(branches)) file.b[id] = file.b[id].map((n, i) => n + counts[i])
}

function roomOf(name) {
  const [, room, inside] = name.split('/')
  return inside === undefined ? '(src)' : room
}

function sharesOf(some) {
  const counts = some.flatMap((name) => linesOf(files[name]).map(([, count]) => count))
  const branches = some.flatMap((name) => Object.values(files[name].b).flat())
  return { lines: shareOf(counts), branches: shareOf(branches) }
}

function shareOf(counts) {
  const reached = counts.filter((count) => count > 0).length
  return `${((100 * reached) / Math.max(1, counts.length)).toFixed(1)} % of ${counts.length}`
}

/** Returns each line that has a statement, and how often the most frequent statement on the line ran. */
function linesOf({ statementMap, s: counts }) {
  const lines = new Map()
  for (const [id, { start }] of Object.entries(statementMap)) {
    lines.set(start.line, Math.max(lines.get(start.line) ?? 0, counts[id]))
  }
  return [...lines]
}
