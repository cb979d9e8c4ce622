import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { proofSteps, proofSummary, runSteps } from '../../scripts/service/proof-steps.mjs'

const FULL = proofSteps({ small: false })
const SMALL = proofSteps({ small: true })
const commandsOf = (steps: readonly { args: readonly string[] }[]) =>
  steps.map(({ args }) => `npm ${args.join(' ')}`)

describe('the steps of npm run proof', () => {
  it('are commands of package.json', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
    const named = [...FULL, ...SMALL].filter(({ name }) => name !== 'peers')
    for (const { args } of named) expect(scripts).toHaveProperty(args[0] === 'run' ? String(args[1]) : 'test')
  })

  it('are the same at either size, except the installation of peers and the faults of npm test', () => {
    const names = FULL.map(({ name }) => name)
    const onlyFull = ['peers', 'faults']
    expect(names.filter((name) => !onlyFull.includes(name))).toEqual(SMALL.map(({ name }) => name))
    expect(names).toEqual(expect.arrayContaining(onlyFull))
  })

  it('have the sizes that docs/proof.md promises', () => {
    const commands = commandsOf(FULL)
    expect(commands).toContain('npm run simulate -- --seed 1 --histories 100000')
    expect(commands).toContain('npm run chaos -- --kills 1000')
    expect(commands).toContain('npm run fuzz -- --requests 1000000')
    expect(commands).toContain('npm run load -- --peers')
    for (const name of ['check', 'coverage', 'faults', 'mutation', 'bench', 'clients']) {
      expect(commands).toContain(`npm run ${name}`)
    }
    expect(commands).toContain('npm test')
  })

  it('run in order, each of them also after a failure', () => {
    const called: string[] = []
    const results = runSteps(SMALL, (args: string[]) => {
      called.push(`npm ${args.join(' ')}`)
      return called.length === 1 ? 1 : 0
    })
    expect(called).toEqual(commandsOf(SMALL))
    expect(results.map(({ exit }: { exit: number | null }) => exit)).toEqual(
      SMALL.map((_, i) => (i === 0 ? 1 : 0)),
    )
    expect(proofSummary(results).exitCode).toBe(1)
  })
})

describe('the summary', () => {
  const result = (exit: number | null) => ({ name: 'test', command: 'npm test', minutes: 1.5, exit })

  it('has a line for each step, with its exit code', () => {
    expect(proofSummary([result(0), { ...result(3), name: 'bench' }]).table.split('\n')).toEqual([
      'step   exit code  minutes  command',
      'test   0          1.5      npm test',
      'bench  3          1.5      npm test',
    ])
  })

  it.each([
    ['each step has 0', [0, 0], 0],
    ['one step failed', [0, 2], 1],
    ['a signal ended one', [0, null], 1],
    ['nothing ran', [], 1],
  ])('exits where %s', (_, exits, code) => {
    expect(proofSummary(exits.map(result)).exitCode).toBe(code)
  })
})
