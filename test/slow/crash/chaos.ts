// `npm run proof -- chaos`: rounds of kills under mixed load, each on a state of its own, until the wanted
// number is reached. At the end of a round every rule is judged for every session. Prints the ledger of all
// rounds, and ends with 1 if a rule is broken or a round fails. Options:
//   --kills, --seed
//   --form   own: each session has its own object; shared: sessions share objects. Without it, both
//   --lives  clocks: no rounds beside the previous build, which have no logins and no evidence
//            builds: only these rounds
//   --json   file for the ledger

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { prepareFaults } from './faults.ts'
import { addLedgers, faultsIn, type Ledger, ledgerOf, tableOf } from './ledger.ts'
import { type Run, runCrashes } from './run.ts'
import { openTurns } from './turns.ts'

/** On idle cores, kills of a round last less than 80 s. The round then waits for 210 s at most. */
const KILLS_OF_A_ROUND = 25
const OUTCOMES_OF_A_KILL = 8
const SILENT = 4
/** Part of the kills that fall while sessions are deleted. A build without lists removes no entry. */
const DELETIONS = { clocks: 0.4, builds: 0 }
/** Rounds that kill at the same time. */
const KILLING = 3
/** Rounds at a time, with those that only wait for the schedule of their webhooks. */
const AT_A_TIME = 10
/** Time for events whose attempts were cut off twice, or three times by kills over more than 80 s. */
const patience = (killedForMs: number) => (killedForMs < 80_000 ? 210_000 : 960_000)

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    form: { type: 'string' },
    lives: { type: 'string' },
    json: { type: 'string' },
  },
})
const wanted = Number(values.kills)
/** Kinds of rounds, in turn. The previous build cannot read sessions that share objects. */
const KINDS = [
  { form: 'shared', lives: 'clocks' },
  { form: 'own', lives: 'builds' },
  { form: 'own', lives: 'clocks' },
] as const
const kinds = KINDS.filter(
  ({ form, lives }) => (values.form ?? form) === form && (values.lives ?? lives) === lives,
)
if (kinds.length === 0) {
  throw new Error('--form must be `own` or `shared`, and --lives `clocks`, or `builds` with --form own')
}
/** At least one of each kind. */
const rounds = Math.max(kinds.length, Math.ceil(wanted / KILLS_OF_A_ROUND))
const turns = openTurns(KILLING)
const faults = prepareFaults()
const begun = Date.now()
let killed = 0
let failed = 0
let total: Ledger | undefined

const numbers = Array.from({ length: rounds }, (_, i) => i).values()
await Promise.all(Array.from({ length: AT_A_TIME }, () => runRounds(numbers)))
faults.remove()
if (total !== undefined) console.log(`\n${tableOf(total)}\n\n${pace()}`)
const isGood = total !== undefined && faultsIn(total) === 0 && failed === 0
process.exit(isGood ? 0 : 1) // callers of a broken round may still wait

async function runRounds(numbers: Iterable<number>): Promise<void> {
  for (const round of numbers) {
    const seed = Number(values.seed) + round
    const { form, lives } = kinds[round % kinds.length] ?? KINDS[0]
    const kills = shareOf(round + 1) - shareOf(round)
    const name = `round ${round + 1} of ${rounds}, seed ${seed}, ${form}, ${lives}, ${kills} kills`
    const size = { kills, outcomes: kills * OUTCOMES_OF_A_KILL, silent: SILENT }
    const deletions = Math.ceil(kills * DELETIONS[lives])
    const plan = {
      ...size,
      deletions,
      seed,
      form,
      lives,
      faults,
      patience,
      turns,
      keepsBroken: true,
    } as const
    try {
      report(name, await runCrashes(plan))
    } catch (error) {
      failed++
      console.error(`${name}: FAILED, not in the ledger:`, error)
    }
  }
}

function report(name: string, run: Run): void {
  killed += run.kills.length
  const ledger = ledgerOf(run)
  total = total === undefined ? ledger : addLedgers(total, ledger)
  const found = faultsIn(ledger) === 0 ? 'no rule broken' : `BROKEN: ${JSON.stringify(ledger.findings)}`
  console.log(`${name} in ${Math.round(run.killedForMs / 1000)} s: ${found}`)
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(total, null, 2)}\n`)
}

/** Number of kills of the first `count` rounds. */
function shareOf(count: number): number {
  return Math.floor((count * wanted) / rounds)
}

function pace(): string {
  const minutes = (Date.now() - begun) / 60_000
  return `${killed} kills in ${minutes.toFixed(1)} min: ${(killed / minutes).toFixed(1)} a minute`
}
