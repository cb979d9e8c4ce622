// `npm run load`: the load table. `--seconds` is the length of each part, `--rates` the new sessions a
// second. `--targets` picks from disk and memory.

import { existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeAuthority } from '../../test/support/people/person.ts'
import { makeLeanWallet } from '../../test/system/lean-wallet.ts'
import { priceOfAMillion } from '../price.ts'
import { describeMachine, rounded } from '../report.ts'
import { type Measured, runArrivals, runSaturated, STEPS } from './run.ts'
import { startOurs, type Target } from './target.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rates: { type: 'string', default: '5,20,50' },
    callers: { type: 'string', default: '16' },
    targets: { type: 'string' },
  },
})
const seconds = Number(values.seconds)
/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
const WARM_UP_SECONDS = 3

const authority = await makeAuthority()
const wallet = await makeLeanWallet(authority)
const starts: Readonly<Record<string, () => Promise<Target>>> = {
  disk: () => startOurs('ours, disk', undefined, authority),
  ...(existsSync(MEMORY) && {
    memory: () => startOurs('ours, memory', mkdtempSync(join(MEMORY, 'verifier-')), authority),
  }),
}
const names = values.targets?.split(',') ?? Object.keys(starts)

for (const line of describeMachine(process.env.TMPDIR ?? '/tmp')) console.log(line)
const dollars = priceOfAMillion().reduce((sum, item) => sum + item.dollars, 0)
const rows = priceOfAMillion().find(({ name }) => name === 'rows written')?.uses
console.log(
  `Ours: ${rows} rows written for a verification, $${dollars.toFixed(2)} a million by list prices.\n`,
)
console.log(`| target | load | sessions | errors | ${STEPS.join(' | ')} | CPU ms | MiB |`)
console.log(`|---|---|---|---|${STEPS.map(() => '---').join('|')}|---|---|`)
for (const name of names) {
  const start = starts[name]
  if (start === undefined) throw new Error(`--targets: ${name} is none of ${Object.keys(starts).join(', ')}`)
  const target = await start()
  try {
    await runSaturated(target, wallet, { callers: 4, seconds: WARM_UP_SECONDS })
    for (const perSecond of values.rates.split(',').map(Number)) {
      row(target, `${perSecond}/s`, await runArrivals(target, wallet, { perSecond, seconds }))
    }
    const callers = Number(values.callers)
    const saturated = await runSaturated(target, wallet, { callers, seconds })
    row(target, `${callers} callers: ${rounded(saturated.perSecond)}/s`, saturated)
  } finally {
    await target.stop()
  }
}

function row({ name }: Target, load: string, measured: Measured): void {
  const times = STEPS.map((step) => measured.times[step].map(rounded).join(' / '))
  const errors = Object.entries(measured.errors).map(([error, count]) => `${count} × ${error}`)
  const cells = [measured.sessions, errors.join('; ') || 0, ...times]
  console.log(
    `| ${[name, load, ...cells, rounded(measured.cpuMs), Math.round(measured.memoryMiB)].join(' | ')} |`,
  )
}
