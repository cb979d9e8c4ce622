// `npm run proof -- load`: services alternate in rounds, and the tables have medians. Options:
//   --seconds  length of the arrivals of a round; verifications get a half, and a call alone a quarter
//   --rounds, --callers, --rates (new sessions a second)
//   --parts    some of verify,create,request,poll,picture,disk; `disk` counts fsyncs and bytes
//   --peers    adds the verifiers of bench/peers; --targets picks services by name
//   --also     one more service, with variables or from another copy of the project, or both:
//              --also 'SESSION_OBJECTS=64' --also '../earlier LOG_REQUESTS=0'
//   --json     file for all figures
//   --read     prints the tables of such a file, and runs nothing
// The exit code is 1 if a call failed.

import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openTurns } from '../../test/slow/crash/turns.ts'
import { priceOfAMillion, totalOf } from '../price.ts'
import { describeMachine } from '../report.ts'
import { countOnDisk, type DiskUse } from './disk.ts'
import { makeIssuer } from './issuer.ts'
import { arePeersInstalled, HOW_TO_INSTALL, PEERS } from './peers.ts'
import { orderOf } from './ratios.ts'
import { assertTrusts, type Done, type Running, runArrivals, runRepeated, runSaturated } from './run.ts'
import { allServices, type OurService, type Part, parseAlso, type Service } from './services.ts'
import { absoluteTable, type Base, diskTable, type Result, ratioTable, shareOfList } from './tables.ts'
import { PUT_AWAY_MS } from './target.ts'
import { targetTable } from './targets.ts'

const { values: given } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '5' },
    callers: { type: 'string', default: '16' },
    rates: { type: 'string', default: '50' },
    parts: { type: 'string', default: 'verify,create,request,poll,picture,disk' },
    peers: { type: 'boolean', default: false },
    targets: { type: 'string' },
    also: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    read: { type: 'string' },
  },
})
type Saved = {
  readonly machine: readonly string[]
  readonly options: typeof given
  readonly results: readonly Result[]
  readonly disk: readonly DiskUse[]
}
const saved: Saved | undefined =
  given.read === undefined ? undefined : JSON.parse(readFileSync(given.read, 'utf8'))
const values = saved?.options ?? given
const [seconds, rounds, callers] = [values.seconds, values.rounds, values.callers].map(Number) as [
  number,
  number,
  number,
]
const WARM_UP_SECONDS = 3
/** Parts of the time of arrivals. More creations would need more file descriptors. */
const SHARE_OF_VERIFICATIONS = 2
const SHARE_OF_A_CALL = 4
/** No object is put away in this time after the first request. */
const BEFORE_PUT_AWAY_MS = 9_500
/** Time for the sessions of a call alone. */
const SET_UP_MS = 500

const issuer = await makeIssuer()
const stranger = await makeIssuer()
const all = allServices(values.also, issuer)
const names =
  values.targets?.split(',') ??
  all.map(({ name }) => name).filter((name) => values.peers || !PEERS.includes(name))
const unknown = names.find((name) => !all.some((service) => service.name === name))
if (unknown !== undefined) {
  fail(`--targets: ${unknown} is none of ${all.map(({ name }) => name).join(', ')}`)
}
if (saved === undefined && !arePeersInstalled() && names.some((name) => PEERS.includes(name))) {
  fail(`The peers are not installed. Run: ${HOW_TO_INSTALL}`)
}
const services = all.filter(({ name }) => names.includes(name))
const chosen = values.parts.split(',')
const isCounted = chosen.includes('disk')
const rates = values.rates.split(',').filter((text) => text !== '')
const parts = [...rates.map((text) => `${text}/s`), ...chosen.filter((part) => part !== 'disk')] as Part[]

const machine = saved?.machine ?? describeMachine(tmpdir())
const results: Result[] = [...(saved?.results ?? [])]
const disk: DiskUse[] = [...(saved?.disk ?? [])]
if (saved === undefined) {
  if (parts.length > 0) await runRounds()
  if (isCounted) await countAll()
}
print()
if (results.some(({ errors }) => Object.keys(errors).length > 0)) process.exitCode = 1

/** Starts all services, and has each part of each round measured on one after the other. */
async function runRounds(): Promise<void> {
  const running = new Map<Service, Running>()
  try {
    for (const service of services) {
      const target = await service.start()
      running.set(service, { target, answer: service.answer })
      if (service.isVerifier) await assertTrusts(target, stranger.wallet)
    }
    for (const [service, each] of running) await warmUp(service, each)
    await sleep(PUT_AWAY_MS)
    for (let round = 0; round < rounds; round++) {
      for (const part of parts) {
        const measured = [...running].filter(([service]) => service.measures(part))
        await runInTurn(part, round, orderOf(measured, round))
      }
    }
  } finally {
    for (const { target } of running.values()) await target.stop()
  }
}

/**
 * Measures the services one after the other. Each is measured until its objects are put away. Several wait
 * for that together, if the last is done before the first object of the first service is put away.
 */
async function runInTurn(
  part: Part,
  round: number,
  measured: readonly (readonly [Service, Running])[],
): Promise<void> {
  let begun = Date.now()
  let open: (Done & { readonly service: string })[] = []
  const close = async () => {
    for (const { service, measured } of open) results.push({ service, part, round, ...(await measured) })
    open = []
    save()
  }
  for (const [service, each] of measured) {
    const end = Date.now() + SET_UP_MS + 1000 * secondsOf(part)
    if (open.length > 0 && end > begun + BEFORE_PUT_AWAY_MS) await close()
    if (open.length === 0) begun = Date.now()
    console.error(`round ${round + 1} of ${rounds}: ${part}, ${service.name}`)
    open.push({ service: service.name, ...(await run(part, each)) })
  }
  await close()
}

/** Counts all services on a disk. */
async function countAll(): Promise<void> {
  const turns = openTurns(1)
  const counted = services.filter(({ place }) => place === 'disk')
  disk.push(
    ...(await Promise.all(counted.map((service) => countOnDisk(service as OurService, callers, turns)))),
  )
  save()
}

async function warmUp(service: Service, running: Running): Promise<void> {
  const size = { callers: 4, seconds: Math.min(seconds, WARM_UP_SECONDS) }
  if (service.measures('verify')) await runSaturated(running, size, 0)
  else await runRepeated(running, 'request', size)
}

/** Returns the length of a part, without the person and the polls of arrivals. */
function secondsOf(part: Part): number {
  if (part.endsWith('/s')) return seconds
  return seconds / (part === 'verify' ? SHARE_OF_VERIFICATIONS : SHARE_OF_A_CALL)
}

function run(part: Part, running: Running): Promise<Done> {
  const size = { callers, seconds: secondsOf(part) }
  if (part === 'verify') return runSaturated(running, size)
  if (part === 'create' || part === 'request' || part === 'poll' || part === 'picture') {
    return runRepeated(running, part, size)
  }
  return runArrivals(running, { perSecond: Number.parseFloat(part), seconds })
}

function print(): void {
  const print = (lines: readonly string[]) => console.log(`${lines.join('\n')}\n`)
  print(machine)
  print(ratioTable(results, services, bases()))
  const bill = priceOfAMillion('default')
  const rows = bill.find(({ name }) => name === 'rows written')?.uses
  const price = totalOf(bill).toFixed(2)
  const share = shareOfList(results)
  print(targetTable(results, disk))
  print([
    ...(share === undefined ? [] : [share]),
    `Ours on Cloudflare: ${rows} rows written for a verification, $${price} a million by list prices.`,
  ])
  if (disk.length > 0) print(diskTable(disk))
  print(absoluteTable(results, callers))
}

/** Credo, the floors, and what `--also` adds: the latter is compared in memory and on a disk. */
function bases(): readonly Base[] {
  const fixed = services
    .filter(({ name, place }) => place === undefined && name !== 'libraries')
    .map(({ name, isVerifier }) => {
      return { name, kind: isVerifier ? 'peer' : 'floor', serviceIn: () => name } as const
    })
  const also = values.also.map((words) => {
    const { label } = parseAlso(words)
    return {
      name: label,
      kind: 'ours',
      serviceIn: (place: string | undefined) => `${label} ${place}`,
    } as const
  })
  return [...fixed, ...also]
}

function save(): void {
  if (values.json === undefined) return
  writeFileSync(values.json, `${JSON.stringify({ machine, options: values, results, disk }, null, 2)}\n`)
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
