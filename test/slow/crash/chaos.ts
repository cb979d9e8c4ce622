// `npm run proof -- chaos`: rounds of kills under mixed load, each on a state of its own, until the wanted
// number is reached. Prints the ledger of all rounds, and ends with 1 if a rule is broken.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { prepareFaults } from './faults.ts'
import { addLedgers, faultsIn, type Ledger, ledgerOf, tableOf } from './ledger.ts'
import { runCrashes } from './run.ts'

const KILLS_OF_A_ROUND = 10
const OUTCOMES_OF_A_KILL = 20
const SILENT = 4
/** Kills of a round that fall while sessions are deleted. A build without lists removes no entry. */
const DELETIONS = { clocks: 4, builds: 0 }
/** Rounds at a time. A round mostly waits for the schedule of its webhooks. */
const AT_A_TIME = 2
/** Time for events whose attempts were cut off twice, or three times by kills over more than 80 s. */
const patience = (killedForMs: number) => (killedForMs < 80_000 ? 210_000 : 960_000)

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
})
const rounds = Math.ceil(Number(values.kills) / KILLS_OF_A_ROUND)
const faults = prepareFaults()
let total: Ledger | undefined

try {
  const numbers = Array.from({ length: rounds }, (_, i) => i).values()
  await Promise.all(Array.from({ length: AT_A_TIME }, () => runRounds(numbers)))
} finally {
  faults.remove()
}
if (total !== undefined) console.log(`\n${tableOf(total)}`)
process.exit(total !== undefined && faultsIn(total) === 0 ? 0 : 1) // callers of a broken round may still wait

async function runRounds(numbers: Iterable<number>): Promise<void> {
  for (const round of numbers) {
    const seed = Number(values.seed) + round
    const lives = round % 2 === 0 ? 'clocks' : 'builds'
    const size = { kills: KILLS_OF_A_ROUND, outcomes: KILLS_OF_A_ROUND * OUTCOMES_OF_A_KILL, silent: SILENT }
    const deletions = DELETIONS[lives]
    const run = await runCrashes({ ...size, deletions, seed, lives, faults, patience })
    const ledger = ledgerOf(run)
    total = total === undefined ? ledger : addLedgers(total, ledger)
    const found = faultsIn(ledger) === 0 ? 'no rule broken' : `BROKEN: ${JSON.stringify(ledger.findings)}`
    console.log(`round ${round + 1} of ${rounds}, seed ${seed}, ${lives}: ${found}`)
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(total, null, 2)}\n`)
  }
}
