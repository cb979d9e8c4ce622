// `npm run simulate`: runs histories, or looks for the histories that catch mutants.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Focus } from './history.ts'
import { MUTANTS } from './mutants/index.ts'
import { openSimulator, type Simulator, traceOf } from './simulator.ts'

const TRACE_LINES = 60
const SEEDS = join(import.meta.dirname, 'mutants', 'seeds.json')
const USAGE = `npm run simulate -- [--seed N] [--histories N] [--mutant NAME | --mutants]
  --seed N        the first seed (1)
  --histories N   histories, each with the next seed (1000)
  --mutant NAME   plants the mutant whose name contains this text, and stops where it is caught
  --mutants       finds the first history that catches each mutant, and writes mutants/seeds.json`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '1000' },
    mutant: { type: 'string' },
    mutants: { type: 'boolean', default: false },
  },
})
const [seed, histories] = [Number(values.seed), Number(values.histories)]
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(histories) || seed < 0 || histories < 1) {
  console.error(USAGE)
  process.exit(2)
}
process.exitCode = values.mutants ? await catchMutants() : await simulate()

async function simulate(): Promise<number> {
  const wanted = values.mutant
  const mutant = wanted === undefined ? undefined : MUTANTS.find(({ name }) => name.includes(wanted))
  if (wanted !== undefined && mutant === undefined) {
    console.error(
      `No mutant has "${wanted}" in its name:\n${MUTANTS.map(({ name }) => `  ${name}`).join('\n')}`,
    )
    return 2
  }
  const simulator = await openSimulator(mutant?.changes)
  const begun = process.cpuUsage()
  let steps = 0
  for (let i = 0; i < histories; i++) {
    const result = await simulator.run(seed + i, mutant?.focus)
    steps += result.steps
    if (result.violation !== undefined) {
      for (const line of await traceOf(simulator, seed + i, { lines: TRACE_LINES, focus: mutant?.focus })) {
        console.error(line)
      }
      console.error(`\n${result.violation.property}: ${result.violation.text}`)
      console.error(`Run it again: npm run simulate -- --seed ${seed + i} --histories 1`)
      return 1
    }
  }
  const { user, system } = process.cpuUsage(begun)
  const rate = Math.round((histories * 1e6) / (user + system))
  console.log(
    `${histories} histories, ${steps} steps, no violation, ${rate} histories for each second of a core`,
  )
  return 0
}

async function catchMutants(): Promise<number> {
  const kept: string[] = []
  for (const { name, changes, focus } of MUTANTS) {
    const simulator = await openSimulator(changes)
    const caught = await firstCatch(simulator, focus)
    console.log(caught === undefined ? `not caught: ${name}` : `${caught.seed}: ${name} (${caught.property})`)
    if (caught !== undefined) kept.push(`  ${JSON.stringify({ mutant: name, ...caught })}`)
  }
  if (kept.length < MUTANTS.length) return 1
  writeFileSync(SEEDS, `[\n${kept.join(',\n')}\n]\n`)
  return 0
}

async function firstCatch(simulator: Simulator, focus: Focus | undefined) {
  for (let i = 0; i < histories; i++) {
    const { violation } = await simulator.run(seed + i, focus)
    if (violation !== undefined) return { seed: seed + i, property: violation.property }
  }
  return undefined
}
