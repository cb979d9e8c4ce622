// Guarantees of a run of the tests, with planted files and with data. Also, where a test runs.

import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NODE, ROOT } from '../../scripts/service/paths.mjs'
import { DIFFERENCES, nameOf } from '../support/judge/differences.ts'
import { type FileResult, NEEDS_TOOL, type Rules, summarise } from '../support/runner/summary.ts'
import { needsWorkerd } from '../support/runner/tests-in-workerd.ts'

const PLANTED = join(import.meta.dirname, '../support/runner/planted')

/** Runs planted projects by vitest. */
function run(projects: readonly string[], variables: Readonly<Record<string, string>>) {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const { CI: _, CI_FULL: __, EVERY_PROJECT: ___, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(
    NODE,
    [vitest, 'run', '--root', PLANTED, ...projects.map((name) => `--project=${name}`)],
    { encoding: 'utf8', env: { ...env, ...variables } },
  )
  return { status, errors: stderr, lines: stdout.trim().split('\n') }
}

describe('a run of the tests', () => {
  it('prints at its end the number of refusals for each credential format, and the test results of all projects together', () => {
    const { status, lines } = run(['passing', 'skipping'], {})
    expect(lines.slice(-2)).toEqual([
      'changes refused for their own reason: mso_mdoc 2',
      '1 passed, 0 failed, 2 skipped',
    ])
    expect(status).toBe(0)
  })

  it('fails for a failed test, a file without a result, a skipped test or an empty project, if all tests must run', () => {
    const { status, errors, lines } = run([], { CI: 'true', EVERY_PROJECT: '1' })
    expect(lines.at(-1)).toBe('1 passed, 3 failed, 2 skipped')
    expect(errors.split('\n')).toEqual(
      expect.arrayContaining([
        `unloadable: not run to its end: ${PLANTED}/planted.ts`,
        `killed: not run to its end: ${PLANTED}/planted.ts`,
        'failing: failed: fails',
        'skipping: skipped: is skipped',
        'empty: no test ran',
      ]),
    )
    expect(errors).not.toContain('if cc is installed')
    expect(status).toBe(1)
  })
})

const LENIENT: Rules = { projects: [], noSkips: false, everyTool: false }

/** Creates the result of a file. */
function file(project: string, ...states: readonly FileResult['tests'][number]['state'][]): FileResult {
  return {
    project,
    path: `${project}.test.ts`,
    state: states.includes('failed') ? 'failed' : 'passed',
    tests: states.map((state, i) => ({ name: `test ${i}`, state })),
  }
}

describe('the summary of a test run', () => {
  it('adds up the refusals that were counted by credential format', () => {
    const counted = (...refusals: readonly Record<string, number>[]) => ({
      ...file('core'),
      tests: refusals.map((each) => ({ name: 'x', state: 'passed' as const, refusals: each })),
    })
    const files = [counted({ mso_mdoc: 1 }, { mso_mdoc: 2, 'dc+sd-jwt': 1 }), counted({ mso_mdoc: 4 })]
    expect(summarise(files, LENIENT).lines).toEqual([
      'changes refused for their own reason: mso_mdoc 7, dc+sd-jwt 1',
      '3 passed, 0 failed, 0 skipped',
    ])
  })

  const judged = (project: string, counts: Readonly<Record<string, number>>): FileResult => ({
    ...file(project),
    tests: [{ name: 'x', state: 'passed', judged: counts }],
  })

  it('counts how often the judge (a second verifier) agrees with the service, and lists the differences if all tests ran', () => {
    const files = [
      judged('core', { 'both accepted': 2, 'both refused': 3, 'a row': 1 }),
      judged('conformance', { 'both refused': 1, 'a row': 2 }),
    ]
    const sum = 'judged: 9, both accepted: 2, both refused: 4, different: 3 in 1 rows'
    expect(summarise(files, LENIENT).lines).toEqual([sum, '2 passed, 0 failed, 0 skipped'])
    const whole = summarise(files, { ...LENIENT, projects: ['core', 'conformance'] })
    expect(whole.lines.slice(0, 2)).toEqual(['the judge differs: a row: 3', sum])
  })

  it('a summary of all projects reports a known difference that no test produces any more', () => {
    const [unreached, ...reached] = DIFFERENCES.map(nameOf)
    const counts = Object.fromEntries(reached.map((name) => [name, 1]))
    const files = [judged('core', counts), judged('conformance', {})]
    const errorsIn = (projects: readonly string[]) => summarise(files, { ...LENIENT, projects }).errors
    expect(errorsIn(['core', 'conformance'])).toEqual([
      `no difference any more, remove its row: ${unreached}`,
    ])
    expect(errorsIn(['core'])).toEqual([])
  })

  it('counts each failed test once, and names it', () => {
    const { errors, lines } = summarise([file('core', 'passed', 'failed')], LENIENT)
    expect([errors, lines]).toEqual([['core: failed: test 1'], ['1 passed, 1 failed, 0 skipped']])
  })

  it.each(['failed', 'unfinished'] as const)(
    'counts a file with the state %s and without a failed test as one failure',
    (state) => {
      const { errors, lines } = summarise([{ ...file('core', 'passed'), state }], LENIENT)
      expect([errors, lines]).toEqual([
        ['core: not run to its end: core.test.ts'],
        ['1 passed, 1 failed, 0 skipped'],
      ])
    },
  )

  it('reports an error if no test ran', () => {
    expect(summarise([], LENIENT).errors).toEqual(['No test ran.'])
    expect(summarise([file('browser', 'skipped')], LENIENT).errors).toEqual(['No test ran.'])
  })

  it('accepts a project whose tests are all skipped, and reports an error if every test must run', () => {
    const files = [file('core', 'passed'), file('browser', 'skipped')]
    const rules = { ...LENIENT, projects: ['core', 'browser'] }
    expect(summarise(files, rules).errors).toEqual([])
    expect(summarise(files, { ...rules, noSkips: true }).errors).toEqual(['browser: skipped: test 0'])
    expect(summarise(files, { ...rules, projects: ['slow'] }).errors).toEqual(['slow: no test ran'])
  })

  it.each([
    'the disk has it, if strace may trace',
    'connects to no address, if cc is installed',
    'EU DSS reports an ASiC-E, if EU DSS is installed',
  ])(
    'accepts a skipped test that needs a tool, and reports an error if every tool must be installed: %s',
    (name) => {
      const files = [
        file('core', 'passed'),
        { ...file('system'), tests: [{ name, state: 'skipped' as const }] },
      ]
      expect(summarise(files, { ...LENIENT, noSkips: true }).errors).toEqual([])
      expect(summarise(files, { ...LENIENT, noSkips: true, everyTool: true }).errors).toEqual([
        `system: skipped: ${name}`,
      ])
    },
  )
})

describe('a test', () => {
  it('a test that needs a tool names the tool at the end of its title', () => {
    const sources = globSync(join(ROOT, 'test/{slow,system}/**/*.test.ts')).map((path) =>
      readFileSync(path, 'utf8'),
    )
    const titles = sources.flatMap((source) =>
      [...source.matchAll(/^(?:it|.*\))\(\s*(['`])([^\n]*)\1,\s*async \([^{)]*\{\s*skip/gm)].map(
        ([, , title = '']) => title,
      ),
    )
    expect(titles).toHaveLength(sources.join('').split(/\bskip\('/).length - 1)
    expect(titles.length).toBeGreaterThan(2)
    expect(titles.filter((title) => !NEEDS_TOOL.test(title))).toEqual([])
  })

  it.each([
    ['session/state.test.ts', false, 'imports plain functions'],
    ['demo-shop/visit.test.ts', false, 'imports the platform only in a dynamic import'],
    ['session/response/shared-cache.test.ts', true, 'imports the platform itself'],
    ['openapi/description.test.ts', true, 'imports modules that import the platform'],
  ])('for the file %s, needsWorkerd returns %s, because the file %s', (path, expected, _) => {
    expect(needsWorkerd(join(ROOT, 'test', path))).toBe(expected)
  })
})
