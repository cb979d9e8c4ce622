// `npm run proof -- simulate`: runs histories, or looks for the histories that catch mutants.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { FORMS } from './form.ts'
import {
  type CaughtMutant,
  catchMutant,
  findMutant,
  MUTANTS,
  optionsOf,
  readSeeds,
  SEEDS,
} from './mutants/index.ts'
import { commandOf, openSimulator, traceOf } from './simulator.ts'

const TRACE_LINES = 60
const USAGE = `npm run proof -- simulate [--seed N] [--histories N] [--form FORM] [--mutant NAME | --mutants]
  --seed N        the first seed (1)
  --histories N   histories, each with the next seed (1000)
  --form FORM     own: each session has its own object; shared: sessions share objects.
                  Without it, each history draws its form
  --mutant NAME   plants the mutant whose name contains this text, and stops where it is caught
  --mutants       finds the first history that catches each mutant, and writes mutants/seeds.json.
                  A mutant must be caught by the property that the file has for it`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '1000' },
    form: { type: 'string' },
    mutant: { type: 'string' },
    mutants: { type: 'boolean', default: false },
  },
})
const [seed, histories] = [Number(values.seed), Number(values.histories)]
const form = FORMS.find((one) => one === values.form)
const isForm = values.form === undefined || form !== undefined
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(histories) || seed < 0 || histories < 1 || !isForm) {
  console.error(USAGE)
  process.exit(2)
}
process.exitCode = values.mutants ? await catchMutants() : await simulate()

async function simulate(): Promise<number> {
  const wanted = values.mutant
  const mutant = wanted === undefined ? undefined : findMutant(wanted)
  if (wanted !== undefined && mutant === undefined) {
    console.error(
      `No mutant has "${wanted}" in its name:\n${MUTANTS.map(({ name }) => `  ${name}`).join('\n')}`,
    )
    return 2
  }
  const simulator = await openSimulator(mutant?.changes)
  const options = mutant === undefined ? { form } : optionsOf(mutant)
  const begun = process.cpuUsage()
  let steps = 0
  for (let i = 0; i < histories; i++) {
    const result = await simulator.run(seed + i, options)
    steps += result.steps
    if (result.violation !== undefined) {
      const lines = await traceOf(simulator, seed + i, { lines: TRACE_LINES, ...options })
      for (const line of lines) console.error(line)
      console.error(`\n${result.violation.property}: ${result.violation.text}`)
      console.error(
        `Run it again: ${commandOf(seed + i, { mutant: mutant?.name, form: mutant ? undefined : form })}`,
      )
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

/** A mutant that had a seed must be caught by the same property again. */
async function catchMutants(): Promise<number> {
  const known = readSeeds()
  const caught: CaughtMutant[] = []
  for (const mutant of MUTANTS) {
    const property = known.find((one) => one.mutant === mutant.name)?.property
    const simulator = await openSimulator(mutant.changes)
    const found = await catchMutant(simulator, mutant, { seed, histories, property })
    console.log(
      found === undefined
        ? `not caught: ${mutant.name} (${property ?? 'any property'})`
        : `${found.seed}: ${mutant.name} (${found.property})`,
    )
    if (found !== undefined) caught.push(found)
  }
  if (caught.length < MUTANTS.length) return 1
  writeFileSync(SEEDS, `${JSON.stringify(caught, null, 2)}\n`)
  return 0
}
