// `npm run proof -- load`: the load table. `--seconds` is the length of each part, `--rates` the new sessions
// a second, `--callers` those of the last part. `--peers` adds the verifiers of bench/peers, and `--targets`
// picks. `--json` names a file for the figures. The exit code is 1 where a call failed.

import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cpuPriceOfAMillion, priceOfAMillion, totalOf } from '../price.ts'
import { describeMachine, rounded } from '../report.ts'
import { makeIssuer } from './issuer.ts'
import { arePeersInstalled, HOW_TO_INSTALL, PEERS, startPeer } from './peers.ts'
import { assertTrusts, type Measured, runArrivals, runRepeated, runSaturated, STEPS } from './run.ts'
import { startOurs, type Target } from './target.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rates: { type: 'string', default: '5,20,50' },
    callers: { type: 'string', default: '16' },
    peers: { type: 'boolean', default: false },
    targets: { type: 'string' },
    json: { type: 'string' },
  },
})
const seconds = Number(values.seconds)
/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
const WARM_UP_SECONDS = 3
/** Part of the time that one call alone gets. More creations would need more file descriptors. */
const SHARE_OF_A_CALL = 12

const issuer = await makeIssuer()
const stranger = await makeIssuer()
const ours: Readonly<Record<string, () => Promise<Target>>> = {
  disk: () => startOurs('ours, disk', issuer.authority),
  ...(existsSync(MEMORY) && {
    memory: () => startOurs('ours, memory', issuer.authority, mkdtempSync(join(MEMORY, 'verifier-'))),
  }),
}
const peers = Object.fromEntries(Object.keys(PEERS).map((peer) => [peer, () => startPeer(peer, issuer)]))
const starts: Readonly<Record<string, () => Promise<Target>>> = { ...ours, ...peers }
const names = values.targets?.split(',') ?? Object.keys(values.peers ? starts : ours)
const unknown = names.find((name) => starts[name] === undefined)
if (unknown !== undefined) fail(`--targets: ${unknown} is none of ${Object.keys(starts).join(', ')}`)
if (!arePeersInstalled()) {
  const install = `The peers are not installed. Run: ${HOW_TO_INSTALL}`
  if (names.some((name) => name in PEERS)) fail(install)
  console.log(`${install}\nThen add --peers to this command.\n`)
}

const machine = describeMachine(process.env.TMPDIR ?? '/tmp')
for (const line of machine) console.log(line)
const bill = priceOfAMillion('default')
const rows = bill.find(({ name }) => name === 'rows written')?.uses
console.log(
  `Ours on Cloudflare: ${rows} rows written for a verification, $${totalOf(bill).toFixed(2)} a million by list prices.\n`,
)
const COLUMNS = [
  'target',
  'load',
  'sessions',
  'errors',
  ...STEPS,
  'CPU ms',
  'callers CPU ms',
  'MiB',
  '$ a million',
]
console.log(`| ${COLUMNS.join(' | ')} |\n|${COLUMNS.map(() => '---').join('|')}|`)

const results: object[] = []
for (const name of names) {
  const target = await starts[name]!()
  try {
    await assertTrusts(target, stranger.wallet)
    await runSaturated(target, issuer.wallet, { callers: 4, seconds: WARM_UP_SECONDS })
    for (const perSecond of values.rates.split(',').map(Number)) {
      row(target, `${perSecond}/s`, await runArrivals(target, issuer.wallet, { perSecond, seconds }))
    }
    const callers = Number(values.callers)
    const saturated = await runSaturated(target, issuer.wallet, { callers, seconds })
    row(target, `${callers} callers: ${rounded(saturated.perSecond)}/s`, saturated)
    for (const step of ['request', 'poll', 'create'] as const) {
      const repeated = await runRepeated(target, step, { callers, seconds: seconds / SHARE_OF_A_CALL })
      row(target, `${step} alone: ${rounded(repeated.perSecond)}/s`, repeated)
    }
  } finally {
    await target.stop()
  }
}

function row({ name }: Target, load: string, measured: Measured): void {
  const times = STEPS.map((step) =>
    Number.isNaN(measured.times[step][0]) ? '–' : measured.times[step].map(rounded).join(' / '),
  )
  const errors = Object.entries(measured.errors).map(([error, count]) => `${count} × ${error}`)
  if (errors.length > 0) process.exitCode = 1
  const cpuDollars = cpuPriceOfAMillion(measured.cpuMs)
  const used = [rounded(measured.cpuMs), rounded(measured.callersCpuMs), Math.round(measured.memoryMiB)]
  const cells = [
    name,
    load,
    measured.sessions,
    errors.join('; ') || 0,
    ...times,
    ...used,
    cpuDollars.toFixed(2),
  ]
  console.log(`| ${cells.join(' | ')} |`)
  results.push({ target: name, load, ...measured, cpuDollars })
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ machine, seconds, results }, null, 2)}\n`)
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
