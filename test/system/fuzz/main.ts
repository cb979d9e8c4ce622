// `npm run proof -- fuzz`: sends generated requests and changed responses to a service of its own, and prints
// the outcomes. Ends with 1 if a rule is broken, or if an operation is answered with success too seldom.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { tableOf } from './ledger.ts'
import { isFlat } from './memory.ts'
import { runPlanted } from './planted.ts'
import { PLANTED_FAULTS } from './planted-faults.ts'
import { runFuzz } from './run.ts'
import { rarelySuccessful, requiredSuccesses } from './successes.ts'

const USAGE = `npm run proof -- fuzz [--requests N] [--seed N] [--only INDEX] [--json FILE]
  --requests N   requests to send (10000)
  --seed N       decides every request (1)
  --only INDEX   sends the request with this index alone, and prints it
  --json FILE    writes the summary
  --planted ROOM builds the service with a fault in this room, or in each with "all", and looks for it`

/** Runs that are shorter end before the heap of workerd has its usual size. */
const LEAST_FOR_MEMORY = 100_000

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    json: { type: 'string' },
    planted: { type: 'string' },
  },
})
const numbers = [values.requests, values.seed, values.only ?? '0'].map(Number)
if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0)) {
  console.error(USAGE)
  process.exit(2)
}
const [requests = 0, seed = 0, only = 0] = numbers
if (values.planted !== undefined) process.exit(await findPlanted(values.planted))
const stop = new AbortController()
process.once('SIGINT', () => stop.abort()) // what was sent so far is summed up
const summary = await runFuzz({
  seed,
  requests,
  stop: stop.signal,
  ...(values.only !== undefined && { only }),
})
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(summary, null, 2)}\n`)
console.log(tableOf(summary))
for (const { index, error, request, answer } of summary.findings.filter((finding) => finding.request)) {
  console.error(`\n${error}\n${JSON.stringify({ request, answer }, null, 2)}`)
  console.error(`Send it again: npm run proof -- fuzz --seed ${seed} --only ${index}`)
}
const isLong = summary.requests >= LEAST_FOR_MEMORY
// A request alone, or a run that was ended, does not reach every operation.
const isWhole = values.only === undefined && summary.requests >= requests
const rare = isWhole ? rarelySuccessful(summary.routes, requiredSuccesses(requests)) : []
const isGood = summary.findings.length === 0 && rare.length === 0 && (!isLong || isFlat(summary.memory))
process.exit(isGood ? 0 : 1)

/** The negative control: prints the rooms and if their faults were found. Returns the exit code. */
async function findPlanted(name: string): Promise<number> {
  const faults = PLANTED_FAULTS.filter(({ room }) => name === 'all' || room === name)
  if (faults.length === 0) console.error(`There is no fault in ${name}.`)
  const unfound = await runPlanted(faults, { seed, requests })
  for (const { room } of faults) console.log(`${unfound.includes(room) ? 'NOT FOUND' : 'found    '} ${room}`)
  return faults.length > 0 && unfound.length === 0 ? 0 : 1
}
