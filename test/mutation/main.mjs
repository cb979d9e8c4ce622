// `npm run proof -- mutation [group …]`: changes the sources of each group of test/mutation/groups.mjs,
// one place at a time, and runs the group's tests. A change that no test notices has survived. Takes hours.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE, ROOT } from '../../scripts/service/paths.mjs'
import { GROUPS } from './groups.mjs'
import { survivorsOf, unexplainedSurvivors } from './survivors.mjs'

/** Least share of mutants that tests must notice, in percent. */
const LEAST_SCORE = 85
const REPORTS = join(ROOT, 'reports', 'mutation')

const names = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(GROUPS)
const unknown = names.filter((name) => !Object.hasOwn(GROUPS, name))
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}. Groups: ${Object.keys(GROUPS).join(', ')}.`)
  process.exit(1)
}
mkdirSync(REPORTS, { recursive: true })
const explained = JSON.parse(readFileSync(join(ROOT, 'test', 'mutation', 'explained.json'), 'utf8'))

const groups = names.map(run)
console.table(Object.fromEntries(groups.flatMap(({ rows }) => rows.map(({ file, ...row }) => [file, row]))))
for (const { name, score, unexplained } of groups)
  console.log(`${name}: ${score} %, ${unexplained} unexplained`)
const isGood = ({ name, score, unexplained }) =>
  score >= LEAST_SCORE && (unexplained === 0 || !GROUPS[name].isExplained)
process.exitCode = groups.every(isGood) ? 0 : 1

/** Runs one group. Returns its score, and one row for each file. */
function run(name) {
  const report = join(REPORTS, `${name}.json`)
  const config = join(REPORTS, `${name}.config.json`)
  writeFileSync(config, JSON.stringify(configuration(name, report)))
  const stryker = join(ROOT, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')
  const done = spawnSync(NODE, [stryker, 'run', config], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, MUTATION_GROUP: name },
  })
  if (done.status !== 0) throw new Error(`The run of ${name} failed. See its output above.`)
  const { files } = JSON.parse(readFileSync(report, 'utf8'))
  const rows = Object.entries(files).map(([file, { source, mutants }]) => rowOf(file, source, mutants))
  const sum = (column) => rows.reduce((total, row) => total + row[column], 0)
  return {
    name,
    rows,
    score: percentage(sum('killed'), sum('mutants')),
    unexplained: sum('survived') - sum('explained'),
  }
}

function configuration(name, report) {
  return {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    mutate: GROUPS[name].mutate,
    coverageAnalysis: 'perTest',
    concurrency: Number(process.env.MUTATION_WORKERS ?? 1),
    incremental: process.env.CI === undefined,
    incrementalFile: join(REPORTS, `${name}.incremental.json`),
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: report },
    tempDirName: 'reports/stryker',
    // No test of these groups reads them. A Python environment has links to folders, which cannot be copied.
    // A test of the site may build in site/ meanwhile.
    ignorePatterns: [
      'dist',
      'reports',
      'coverage',
      '.dev',
      '.wrangler',
      '.venv',
      '/bench/peers/node_modules',
      '/site/.build-*',
    ],
    // The tool reads tsconfig.json with an API that TypeScript 7 does not have. It needs none.
    tsconfigFile: 'none',
    timeoutMS: 20_000,
  }
}

/** Prints the survivors without an explanation, and returns the file's row. */
function rowOf(file, source, mutants) {
  const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  const survivors = survivorsOf(source, mutants)
  const unexplained = unexplainedSurvivors(file, survivors, explained)
  for (const { at, original, replacement } of unexplained) {
    console.log(`${file}:${at}  ${original}  ->  ${replacement}`)
  }
  return {
    file,
    mutants: killed + survivors.length,
    killed,
    survived: survivors.length,
    explained: survivors.length - unexplained.length,
    score: percentage(killed, killed + survivors.length),
  }
}

function percentage(part, whole) {
  return Math.round((1000 * part) / whole) / 10
}
