// The table of targets in docs/decisions/speed.md, from the figures of one run.

import { rounded } from '../report.ts'
import type { DiskUse } from './disk.ts'
import { ratioOf, showSpread } from './ratios.ts'
import type { Part } from './services.ts'
import { type Result, shareOfList, table } from './tables.ts'

type Measure = (result: Result) => number

const cpu: Measure = ({ cpuMs }) => cpuMs
const rate: Measure = ({ perSecond }) => perSecond
const p99 =
  (step: 'create' | 'poll'): Measure =>
  ({ times }) =>
    times[step]?.[2] ?? Number.NaN

/** A ratio of two services: its name, its bound, part, measure, service, and what it is compared with. */
type Target = readonly [
  name: string,
  bound: string,
  part: Part,
  of: Measure,
  service: string,
  base: string,
  basePart?: Part,
]

const TARGETS: readonly Target[] = [
  ['CPU of a verification, in memory, against Credo', '0.30', 'verify', cpu, 'memory', 'credo'],
  ['the same on a disk', '0.50', 'verify', cpu, 'disk', 'credo'],
  ['the same of the skeleton on own objects', '–', 'verify', cpu, 'own', 'credo'],
  ['the same of the skeleton on shared objects', '–', 'verify', cpu, 'shared', 'credo'],
  [
    'CPU of a verification, in memory, against that on shared objects',
    '3.5',
    'verify',
    cpu,
    'memory',
    'shared',
  ],
  ['the same against that on own objects', '–', 'verify', cpu, 'memory', 'own'],
  ['creations a second, in memory, against Credo', 'at least 1.5', 'create', rate, 'memory', 'credo'],
  [
    'CPU of a creation, in memory, against the skeleton on shared objects',
    '–',
    'create',
    cpu,
    'memory',
    'shared',
  ],
  ['the same against that on own objects', '–', 'create', cpu, 'memory', 'own'],
  [
    'p99 of creations at 50 a second, in memory, against Credo',
    '3',
    '50/s',
    p99('create'),
    'memory',
    'credo',
  ],
  ['p99 of polls, the same', '3', '50/s', p99('poll'), 'memory', 'credo'],
  ['CPU of a fetch, in memory, against hello world', '3', 'request', cpu, 'memory', 'hello'],
  ['the same against a call to an object', '–', 'request', cpu, 'memory', 'call'],
  ['CPU of a poll, in memory, against hello world', '–', 'poll', cpu, 'memory', 'hello', 'request'],
  ['the same against a call to an object', '–', 'poll', cpu, 'memory', 'call', 'request'],
  ['CPU of a QR picture, in memory, against 45ade0f', '1.0', 'picture', cpu, 'memory', '45ade0f memory'],
  [
    'verifications a second on a disk, against 3957face',
    'at least 2',
    'verify',
    rate,
    'disk',
    '3957face disk',
  ],
]

/** Returns the table. A target that the run did not measure is `–`. */
export function targetTable(results: readonly Result[], disk: readonly DiskUse[]): readonly string[] {
  const valuesOf = (service: string, part: Part, of: Measure) =>
    results.filter((result) => result.service === service && result.part === part).map(of)
  const ratios = TARGETS.map(([name, bound, part, of, service, base, basePart = part]) => [
    name,
    bound,
    showSpread(ratioOf(valuesOf(service, part, of), valuesOf(base, basePart, of))),
  ])
  const ours = disk.find(({ name }) => name === 'disk')
  const [, share = '–'] = /^List: (.+?) of/.exec(shareOfList(results) ?? '') ?? []
  return table(
    ['target', 'at most', 'measured'],
    [
      ...ratios,
      ['list, share of the CPU of a verification', '8 %', share],
      ['`fsync`s with list and webhook, one of many, shared objects', '5', shown(ours?.syncs)],
      ['bytes on the disk with list and webhook', '12,000', shown(ours?.bytes)],
    ],
  )
}

function shown(value: number | undefined): string {
  return value === undefined ? '–' : rounded(value)
}
