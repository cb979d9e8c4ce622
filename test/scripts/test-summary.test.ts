import { describe, expect, it } from 'vitest'
import { closingLine, refusalLine, summarise } from '../../scripts/service/test-summary.mjs'

const LENIENT = { everyProject: false, noSkips: false, everyTool: false }
const GOOD = run('core', ['passed', 'passed'])

describe('summarise', () => {
  it('adds the counts of every project', () => {
    const summary = summarise([GOOD, run('system', ['passed', 'skipped', 'todo'])], LENIENT)
    expect(closingLine(summary)).toBe('3 passed, 0 failed, 2 skipped')
    expect(summary.errors).toEqual([])
  })

  it('adds up the counted refusals by credential format', () => {
    const counted = (...refusals: object[]) => ({
      ...GOOD,
      report: {
        ...GOOD.report,
        testResults: [
          { status: 'passed', assertionResults: refusals.map((each) => ({ meta: { refusals: each } })) },
        ],
      },
    })
    const runs = [counted({ mso_mdoc: 1 }, { mso_mdoc: 2, 'dc+sd-jwt': 1 }), counted({ mso_mdoc: 4 }), GOOD]
    expect(refusalLine(summarise(runs, LENIENT))).toBe(
      'changes refused for their own reason: mso_mdoc 7, dc+sd-jwt 1',
    )
    expect(refusalLine(summarise([GOOD], LENIENT))).toBeUndefined()
  })

  it('fails after a failed test and names it, even if the runner ended with 0', () => {
    const failed = { ...run('core', ['passed', 'failed']), exitCode: 0 }
    const errors = ['core: failed: test 1', 'Tests failed.']
    expect(summarise([failed], LENIENT)).toMatchObject({ passed: 1, failed: 1, errors })
  })

  it('fails after an exit code other than 0, even if all tests passed', () => {
    expect(summarise([{ ...GOOD, exitCode: 1 }], LENIENT).errors).toEqual(['core: the runner ended with 1'])
  })

  it('counts a file that could not be loaded as a failed test, and names it', () => {
    const unloaded = run('core', ['passed'])
    unloaded.report.testResults.push({ name: 'a.test.ts', status: 'failed', assertionResults: [] })
    const errors = ['core: failed: a.test.ts', 'Tests failed.']
    expect(summarise([unloaded], LENIENT)).toMatchObject({ passed: 1, failed: 1, errors })
  })

  it('fails without a report', () => {
    const { errors, failed } = summarise([GOOD, { project: 'system', exitCode: 0, report: null }], LENIENT)
    expect(errors).toContain('system: no report')
    expect(failed).toBe(1)
  })

  it('fails without a test', () => {
    expect(summarise([run('core', [])], LENIENT).errors).toEqual(['No test ran.'])
  })

  it('fails when one project ran no test, if every project must', () => {
    const runs = [GOOD, run('workers', [])]
    expect(summarise(runs, LENIENT).errors).toEqual([])
    expect(summarise(runs, { ...LENIENT, everyProject: true }).errors).toEqual(['workers: no test passed'])
  })

  it('accepts a project with skipped tests only, unless no test may be skipped', () => {
    const runs = [GOOD, run('browser', ['skipped'])]
    expect(summarise(runs, { ...LENIENT, everyProject: true }).errors).toEqual([])
    expect(summarise(runs, { ...LENIENT, noSkips: true, everyProject: true }).errors).toHaveLength(1)
  })

  it('names every skipped test, if no test may be skipped', () => {
    const runs = [run('core', ['passed', 'skipped', 'todo'])]
    expect(summarise(runs, { ...LENIENT, noSkips: true }).errors).toEqual([
      'core: skipped: test 1',
      'core: skipped: test 2',
    ])
  })

  it.each(['the disk has it, where strace may look', 'connects to no address, where cc is installed'])(
    'accepts a skipped test that needs a tool, unless every tool must be there: %s',
    (title) => {
      const skipped = run('system', ['passed', 'skipped'])
      Object.assign(skipped.report.testResults[0]?.assertionResults[1] ?? {}, { fullName: title })
      expect(summarise([skipped], { ...LENIENT, noSkips: true }).errors).toEqual([])
      expect(summarise([skipped], { ...LENIENT, noSkips: true, everyTool: true }).errors).toEqual([
        `system: skipped: ${title}`,
      ])
    },
  )
})

/** Creates a report like vitest’s, with the members that are read. */
function run(project: string, statuses: string[]) {
  const numberOf = (status: string) => statuses.filter((each) => each === status).length
  return {
    project,
    exitCode: statuses.includes('failed') ? 1 : 0,
    report: {
      numPassedTests: numberOf('passed'),
      numFailedTests: numberOf('failed'),
      numPendingTests: numberOf('skipped'),
      numTodoTests: numberOf('todo'),
      testResults: [
        {
          name: `${project}.test.ts`,
          status: statuses.includes('failed') ? 'failed' : 'passed',
          assertionResults: statuses.map((status, index) => ({ status, fullName: `test ${index}` })),
        },
      ],
    },
  }
}
