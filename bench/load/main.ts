// `npm run proof -- load`: services alternate in rounds, and the tables have medians. Options:
//   --seconds  length of the verifications and arrivals of a round; a call alone gets a quarter
//   --rounds, --callers, --rates (new sessions a second)
//   --parts    some of verify,create,request,poll,picture,disk; `disk` counts fsyncs and bytes
//   --peers    adds the verifiers of bench/peers; --targets picks services by name
//   --also     one more service, with variables or from another copy of the project, or both:
//              --also 'SESSION_OBJECTS=64' --also '../earlier LOG_REQUESTS=0'
//   --json     file for all figures
// The exit code is 1 if a call failed.

import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { priceOfAMillion, totalOf } from '../price.ts'
import { describeMachine } from '../report.ts'
import { countOnDisk, type DiskUse } from './disk.ts'
import { makeIssuer } from './issuer.ts'
import { arePeersInstalled, HOW_TO_INSTALL, PEERS } from './peers.ts'
import { orderOf } from './ratios.ts'
import { assertTrusts, PUT_AWAY_MS, type Running, runArrivals, runRepeated, runSaturated } from './run.ts'
import { allServices, type OurService, type Part, parseAlso, type Service } from './services.ts'
import { absoluteTable, type Base, diskTable, type Result, ratioTable, shareOfList } from './tables.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '5' },
    callers: { type: 'string', default: '16' },
    rates: { type: 'string', default: '50' },
    parts: { type: 'string', default: 'verify,create,request,poll,picture,disk' },
    peers: { type: 'boolean', default: false },
    targets: { type: 'string' },
    also: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
  },
})
const [seconds, rounds, callers] = [values.seconds, values.rounds, values.callers].map(Number) as [
  number,
  number,
  number,
]
const WARM_UP_SECONDS = 3
/** Part of the time that one call alone gets. More creations would need more file descriptors. */
const SHARE_OF_A_CALL = 4

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
if (!arePeersInstalled() && names.some((name) => PEERS.includes(name))) {
  fail(`The peers are not installed. Run: ${HOW_TO_INSTALL}`)
}
const services = all.filter(({ name }) => names.includes(name))
const chosen = values.parts.split(',')
const isCounted = chosen.includes('disk')
const rates = values.rates.split(',').filter((text) => text !== '')
const parts = [...rates.map((text) => `${text}/s`), ...chosen.filter((part) => part !== 'disk')] as Part[]

const machine = describeMachine(tmpdir())
const results: Result[] = []
const disk: DiskUse[] = []
if (parts.length > 0) await runRounds()
if (isCounted) {
  for (const service of services) {
    if (service.place !== 'disk') continue
    disk.push(await countOnDisk(service as OurService, callers))
    save()
  }
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
        for (const [service, each] of orderOf(measured, round)) {
          console.error(`round ${round + 1} of ${rounds}: ${part}, ${service.name}`)
          results.push({ service: service.name, part, round, ...(await run(part, each)) })
          save()
        }
      }
    }
  } finally {
    for (const { target } of running.values()) await target.stop()
  }
}

async function warmUp(service: Service, running: Running): Promise<void> {
  const size = { callers: 4, seconds: Math.min(seconds, WARM_UP_SECONDS) }
  if (service.measures('verify')) await runSaturated(running, size, 0)
  else await runRepeated(running, 'request', size)
}

function run(part: Part, running: Running) {
  if (part === 'verify') return runSaturated(running, { callers, seconds })
  if (part === 'create' || part === 'request' || part === 'poll' || part === 'picture') {
    return runRepeated(running, part, { callers, seconds: seconds / SHARE_OF_A_CALL })
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
