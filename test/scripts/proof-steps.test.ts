import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { proofSteps, proofSummary, runSteps } from '../../scripts/service/proof-steps.mjs'

const NAMES = ['check', 'test', 'simulate', 'chaos', 'mutation', 'load', 'bench']

describe('the steps of npm run proof', () => {
  it('are commands of package.json, the same at either size', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
    for (const small of [false, true]) {
      const steps = proofSteps({ small })
      expect(steps.map(({ name }) => name)).toEqual(NAMES)
      for (const { args } of steps)
        expect(scripts).toHaveProperty(args[0] === 'run' ? String(args[1]) : 'test')
    }
  })

  it('have the sizes that docs/proof.md promises', () => {
    const commands = proofSteps({ small: false }).map(({ args }) => `npm ${args.join(' ')}`)
    expect(commands).toContain('npm run simulate -- --seed 1 --histories 100000')
    expect(commands).toContain('npm run chaos -- --kills 1000')
    for (const whole of ['npm run mutation', 'npm run load', 'npm test']) expect(commands).toContain(whole)
  })

  it('run in order, each of them also after a failure', () => {
    const called: string[] = []
    const results = runSteps(proofSteps({ small: true }), (args: string[]) => {
      called.push(args.join(' '))
      return called.length === 1 ? 1 : 0
    })
    expect(called).toEqual(proofSteps({ small: true }).map(({ args }) => args.join(' ')))
    expect(results.map(({ exit }: { exit: number | null }) => exit)).toEqual([1, 0, 0, 0, 0, 0, 0])
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
