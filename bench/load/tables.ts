// The tables of a run: ratios first, then absolute values. All are medians of the rounds.

import { median } from '../measure.ts'
import { rounded } from '../report.ts'
import type { DiskUse } from './disk.ts'
import { ratioOf, showSpread } from './ratios.ts'
import { type Measured, STEPS } from './run.ts'
import type { Part } from './services.ts'

/** What one service did in one part of one round. */
export type Result = { readonly service: string; readonly part: Part; readonly round: number } & Measured

type Measure = { readonly name: string; readonly part: Part; readonly of: (result: Result) => number }

/** A column: the service with which one in `place` is compared. The peer is compared with every service. */
export type Base = {
  readonly name: string
  readonly kind: 'peer' | 'floor' | 'ours'
  readonly serviceIn: (place: string | undefined) => string
}

/** Floors of one request. A poll and a picture are compared with them, too. */
const REQUEST_FLOORS = ['hello', 'call']

const cpu = (result: Result) => result.cpuMs
const rate = (result: Result) => result.perSecond

function measuresOf(parts: readonly Part[]): readonly Measure[] {
  const alone: readonly Measure[] = [
    { name: 'CPU of a verification', part: 'verify', of: cpu },
    { name: 'verifications a second', part: 'verify', of: rate },
    { name: 'creations a second', part: 'create', of: rate },
    { name: 'CPU of a creation', part: 'create', of: cpu },
    { name: 'CPU of a fetch', part: 'request', of: cpu },
    { name: 'CPU of a poll', part: 'poll', of: cpu },
    { name: 'CPU of a QR picture', part: 'picture', of: cpu },
  ]
  const arrivals = parts
    .filter((part) => part.endsWith('/s'))
    .flatMap((part): Measure[] => [
      { name: `CPU of a verification, ${part}`, part, of: cpu },
      { name: `p99 of a creation, ${part}`, part, of: ({ times }) => times.create?.[2] ?? Number.NaN },
      { name: `p99 of a poll, ${part}`, part, of: ({ times }) => times.poll?.[2] ?? Number.NaN },
    ])
  return [...alone.filter(({ part }) => parts.includes(part)), ...arrivals]
}

export function ratioTable(
  results: readonly Result[],
  services: readonly { readonly name: string; readonly place?: string }[],
  bases: readonly Base[],
): readonly string[] {
  const values = (service: string, part: Part, of: Measure['of']) =>
    results.filter((result) => result.service === service && result.part === part).map(of)
  const rows = measuresOf([...new Set(results.map(({ part }) => part))]).flatMap((measure) =>
    services.map(({ name, place }) => {
      const own = values(name, measure.part, measure.of)
      const cells = bases.map(({ kind, serviceIn }) => {
        const base = serviceIn(place)
        if (base === name || (kind !== 'peer' && place === undefined)) return '–'
        if (kind === 'floor' && measure.of !== cpu) return '–' // its rate is that of the callers
        const isRequest = REQUEST_FLOORS.includes(base) && ['poll', 'picture'].includes(measure.part)
        return showSpread(ratioOf(own, values(base, isRequest ? 'request' : measure.part, measure.of)))
      })
      return [measure.name, name, ...cells]
    }),
  )
  const filled = rows.filter(([, , ...cells]) => cells.some((cell) => cell !== '–'))
  return table(['ratio of', 'service', ...bases.map(({ name }) => `× ${name}`)], filled)
}

/** Returns what the list takes of the CPU of a verification; undefined if that was not measured. */
export function shareOfList(results: readonly Result[]): string | undefined {
  const of = (service: string) =>
    results.filter((result) => result.service === service && result.part === 'verify').map(cpu)
  const without = ratioOf(of('unlisted'), of('memory'))
  if (without === undefined) return undefined
  const percent = [without.median, without.most, without.least].map((share) => Math.round(100 * (1 - share)))
  return `List: ${percent[0]} % (${percent[1]} to ${percent[2]}) of the CPU of a verification, in memory.`
}

export function absoluteTable(results: readonly Result[], callers: number): readonly string[] {
  const groups = Map.groupBy(results, ({ service, part }) => `${service} ${part}`)
  const rows = [...groups.values()].map((rounds) => {
    const { service, part } = rounds[0]!
    const middle = (of: (result: Result) => number) => rounded(median(rounds.map(of)))
    const load = part.endsWith('/s') ? part : `${part}, ${callers} callers`
    const times = STEPS.map((step) =>
      rounds[0]!.times[step] === undefined
        ? '–'
        : [0, 1, 2].map((at) => middle((result) => result.times[step]?.[at] ?? Number.NaN)).join(' / '),
    )
    const used = [cpu, (result: Result) => result.launcherCpuMs, (result: Result) => result.callersCpuMs]
    const size = [(result: Result) => result.memoryMiB, (result: Result) => result.descriptors]
    const sessions = rounds.reduce((sum, result) => sum + result.sessions, 0)
    return [
      service,
      load,
      String(sessions),
      errorsOf(rounds),
      middle(rate),
      ...times,
      ...[...used, ...size].map(middle),
    ]
  })
  const counted = ['service', 'load', 'done', 'errors', 'a second']
  return table(
    [...counted, ...STEPS, 'CPU ms', 'of it launcher', 'callers CPU ms', 'MiB', 'descriptors'],
    rows,
  )
}

export function diskTable(uses: readonly DiskUse[]): readonly string[] {
  const rows = uses.map(({ name, syncs, bytes }) => [
    name,
    syncs === undefined ? 'strace cannot attach' : rounded(syncs),
    rounded(bytes),
  ])
  return table(['one of many, with list and webhook', 'fsyncs', 'bytes after put-away'], rows)
}

function errorsOf(rounds: readonly Result[]): string {
  const all = rounds.flatMap(({ errors }) => Object.entries(errors))
  return all.length === 0 ? '0' : all.map(([error, count]) => `${count} × ${error}`).join('; ')
}

/** Returns a table in Markdown. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(header), `|${header.map(() => '---').join('|')}|`, ...rows.map(line)]
}
