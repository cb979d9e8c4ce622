// `npm run mutation [-- group …]`: changes the sources of each group of test/mutation/groups.mjs, one place
// at a time, and runs the group's tests. A change that no test notices has survived. Takes hours.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GROUPS } from '../test/mutation/groups.mjs'
import { ensureInstalled } from './service/install.mjs'
import { NODE, ROOT } from './service/paths.mjs'

/** Least share of mutants that tests must notice, in percent. */
const LEAST_SCORE = 85
const REPORTS = join(ROOT, 'reports', 'mutation')

const names = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(GROUPS)
const unknown = names.filter((name) => !Object.hasOwn(GROUPS, name))
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}. Groups: ${Object.keys(GROUPS).join(', ')}.`)
  process.exit(1)
}
ensureInstalled()
mkdirSync(REPORTS, { recursive: true })
const explained = JSON.parse(readFileSync(join(ROOT, 'test', 'mutation', 'explained.json'), 'utf8'))

const scores = names.flatMap(run)
console.table(Object.fromEntries(scores.map(({ file, ...score }) => [file, score])))
process.exitCode = scores.length > 0 && scores.every(({ score }) => score >= LEAST_SCORE) ? 0 : 1

/** Returns one row for each file of the group. */
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
  return Object.entries(files).map(([file, { source, mutants }]) => scoreOf(file, source, mutants))
}

function configuration(name, report) {
  return {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts' },
    mutate: GROUPS[name].mutate,
    coverageAnalysis: 'perTest',
    concurrency: Number(process.env.MUTATION_WORKERS ?? 1),
    incremental: true,
    incrementalFile: join(REPORTS, `${name}.incremental.json`),
    reporters: ['json'],
    jsonReporter: { fileName: report },
    tempDirName: 'reports/stryker',
    ignorePatterns: ['dist', 'reports'],
    // The tool reads tsconfig.json with an API that TypeScript 7 does not have. It needs none.
    tsconfigFile: 'none',
    timeoutMS: 20_000,
  }
}

/** Prints the survivors without an explanation, and returns the file's row. */
function scoreOf(file, source, mutants) {
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length
  const lines = source.split('\n')
  const survivors = mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(({ location: { start, end }, replacement, mutatorName }) => ({
      at: start.line,
      line: lines[start.line - 1].trim(),
      original: textBetween(lines, start, end),
      replacement: (replacement ?? mutatorName).replaceAll(/\s+/g, ' '),
    }))
  const isExplained = ({ original, replacement }) =>
    explained.some((row) => row.file === file && row.original === original && row.replacement === replacement)
  for (const survivor of survivors.filter((each) => !isExplained(each))) {
    console.log(`${file}:${survivor.at}  ${survivor.original}  ->  ${survivor.replacement}`)
  }
  const killed = count('Killed', 'Timeout')
  return {
    file,
    mutants: killed + survivors.length,
    killed,
    survived: survivors.length,
    explained: survivors.filter(isExplained).length,
    score: Math.round((1000 * killed) / (killed + survivors.length)) / 10,
  }
}

function textBetween(lines, start, end) {
  const inside = lines.slice(start.line - 1, end.line)
  inside[inside.length - 1] = inside.at(-1).slice(0, end.column - 1)
  inside[0] = inside[0].slice(start.column - 1)
  return inside.join('\n').replaceAll(/\s+/g, ' ')
}
