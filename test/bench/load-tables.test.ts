// The pure parts of `npm run proof -- load`: order of the services, ratios, tables, and `--also`.

import { describe, expect, it } from 'vitest'
import { orderOf, ratioOf, showSpread, spreadOf } from '../../bench/load/ratios.ts'
import { type Part, parseAlso } from '../../bench/load/services.ts'
import { absoluteTable, type Base, type Result, ratioTable, shareOfList } from '../../bench/load/tables.ts'
import { targetTable } from '../../bench/load/targets.ts'

describe('ratios of one run', () => {
  it('each round measures the services in the reverse order of the round before', () => {
    const rounds = [0, 1, 2].map((round) => orderOf(['a', 'b', 'c'], round).join(''))
    expect(rounds).toEqual(['abc', 'cba', 'abc'])
  })

  it('a round in which both services are slower changes no ratio', () => {
    expect(ratioOf([1, 10, 3], [2, 20, 6])).toEqual({ median: 0.5, least: 0.5, most: 0.5 })
  })

  it('the ratios have a median, a least and a greatest value', () => {
    expect(ratioOf([5, 1, 3, 2, 4], [1, 1, 1, 1, 1])).toEqual({ median: 3, least: 1, most: 5 })
  })

  it.each([
    ['neither service', undefined, undefined],
    ['only the first service', [1], undefined],
    ['only the second service', undefined, [1]],
  ])('a ratio is undefined if the run measured %s', (_, of, to) => {
    expect(ratioOf(of, to)).toBeUndefined()
  })

  it.each([
    [[0.5], '0.5'],
    [[0.512, 0.498, 0.6], '0.51 (0.5–0.6)'],
    [[12.34, 1.234, 7], '7 (1.23–12.3)'],
    [[], '–'],
  ])('the ratios %j are shown as %s', (values, text) => {
    expect(showSpread(spreadOf(values))).toBe(text)
  })
})

describe('tables of the load', () => {
  const result = (service: string, part: Part, cpuMs: number, round = 0): Result => ({
    ...{ service, part, round, sessions: 10, perSecond: 100 / cpuMs, errors: {}, cpuMs },
    ...{ times: { create: [1, 2, 3] }, launcherCpuMs: 0.5, callersCpuMs: 2, memoryMiB: 100, descriptors: 50 },
  })
  const services = [
    { name: 'memory', place: 'memory' },
    { name: 'disk', place: 'disk' },
    { name: 'credo' },
    { name: 'hello' },
    { name: 'shared' },
    { name: 'old disk', place: 'disk' },
  ]
  const bases: readonly Base[] = [
    { name: 'credo', kind: 'peer', serviceIn: () => 'credo' },
    { name: 'hello', kind: 'floor', serviceIn: () => 'hello' },
    { name: 'shared', kind: 'floor', serviceIn: () => 'shared' },
    { name: 'old', kind: 'ours', serviceIn: (place) => `old ${place}` },
  ]

  it('the tables compare each service with Credo, and this service also with minimal services and with another copy of itself', () => {
    const verified = { memory: 5, disk: 8, credo: 10, shared: 2, 'old disk': 16 }
    const results = Object.entries(verified).map(([name, cpuMs]) => result(name, 'verify', cpuMs))
    expect(ratioTable(results, services, bases)).toEqual([
      '| ratio of | service | × credo | × hello | × shared | × old |',
      '|---|---|---|---|---|---|',
      '| CPU of a verification | memory | 0.5 | – | 2.5 | – |',
      '| CPU of a verification | disk | 0.8 | – | 4 | 0.5 |',
      '| CPU of a verification | shared | 0.2 | – | – | – |',
      '| CPU of a verification | old disk | 1.6 | – | 8 | – |',
      '| verifications a second | memory | 2 | – | – | – |',
      '| verifications a second | disk | 1.25 | – | – | 2 |',
      '| verifications a second | shared | 5 | – | – | – |',
      '| verifications a second | old disk | 0.63 | – | – | – |',
    ])
  })

  it('the tables compare the CPU time of a fetch, a poll and a QR picture with a request to a minimal service', () => {
    const results = [
      result('hello', 'request', 0.1),
      ...(['request', 'poll', 'picture'] as const).map((part, i) => result('memory', part, i + 1)),
    ]
    expect(ratioTable(results, services, bases).slice(2)).toEqual([
      '| CPU of a fetch | memory | – | 10 | – | – |',
      '| CPU of a poll | memory | – | 20 | – | – |',
      '| CPU of a QR picture | memory | – | 30 | – | – |',
    ])
  })

  it('the CPU time of the list of verifications is shown as a percentage of the CPU time of a verification', () => {
    const cpus = { memory: [4, 5, 10], unlisted: [3, 3, 8] }
    const results = Object.entries(cpus).flatMap(([name, rounds]) =>
      rounds.map((cpuMs, round) => result(name, 'verify', cpuMs, round)),
    )
    expect(shareOfList(results)).toBe('List: 25 % (20 to 40) of the CPU of a verification, in memory.')
    expect(shareOfList(results.slice(0, 3))).toBeUndefined()
  })

  it('the tables show the medians of all rounds, the number of sessions in all rounds, and the errors', () => {
    const rounds = [7, 5, 6].map((cpuMs, round) => result('memory', 'verify', cpuMs, round))
    const broken = { ...result('memory', '5/s', 4), errors: { 'poll: HTTP 500': 2 } }
    expect(absoluteTable([...rounds, broken], 16).slice(2)).toEqual([
      '| memory | verify, 16 callers | 30 | 0 | 16.7 | 1 / 2 / 3 | – | – | – | – | 6 | 0.5 | 2 | 100 | 50 |',
      '| memory | 5/s | 10 | 2 × poll: HTTP 500 | 25 | 1 / 2 / 3 | – | – | – | – | 4 | 0.5 | 2 | 100 | 50 |',
    ])
  })
})

describe('the table of targets', () => {
  const result = (service: string, part: Part, cpuMs: number, round = 0): Result => ({
    ...{ service, part, round, sessions: 10, perSecond: 100 / cpuMs, errors: {}, cpuMs },
    ...{ times: { create: [1, 2, 3] }, launcherCpuMs: 0.5, callersCpuMs: 2, memoryMiB: 100, descriptors: 50 },
  })

  it('compares this service with Credo and with each minimal service, and a minimal service with Credo', () => {
    const verified = { memory: [6, 4], disk: [9, 8], credo: [20, 20], own: [3, 4], shared: [2, 2] }
    const requested = { memory: [0.6], hello: [0.2], call: [0.3] }
    const results = [
      ...Object.entries(verified).flatMap(([name, cpus]) =>
        cpus.map((ms, i) => result(name, 'verify', ms, i)),
      ),
      ...Object.entries(requested).map(([name, [ms = 0]]) => result(name, 'request', ms)),
      result('memory', 'poll', 0.9),
    ]
    const rows = targetTable(results, [{ name: 'disk', syncs: 12.34, bytes: 10_900 }])
    expect(rows.slice(0, 2)).toEqual(['| target | at most | measured |', '|---|---|---|'])
    expect(rows.filter((row) => !row.endsWith('| – |'))).toEqual([
      ...rows.slice(0, 2),
      '| CPU of a verification, in memory, against Credo | 0.30 | 0.2 (0.2–0.3) |',
      '| the same on a disk | 0.50 | 0.4 (0.4–0.45) |',
      '| the same of the skeleton on own objects | – | 0.15 (0.15–0.2) |',
      '| the same of the skeleton on shared objects | – | 0.1 |',
      '| CPU of a verification, in memory, against that on shared objects | 3.5 | 2 (2–3) |',
      '| the same against that on own objects | – | 1 (1–2) |',
      '| CPU of a fetch, in memory, against hello world | 3 | 3 |',
      '| the same against a call to an object | – | 2 |',
      '| CPU of a poll, in memory, against hello world | – | 4.5 |',
      '| the same against a call to an object | – | 3 |',
      '| `fsync`s with list and webhook, one of many, shared objects | 5 | 12.3 |',
      '| bytes on the disk with list and webhook | 12,000 | 10,900 |',
    ])
  })
})

describe('the option --also', () => {
  it.each([
    ['SESSION_OBJECTS=64', 'SESSION_OBJECTS=64', undefined, { SESSION_OBJECTS: '64' }],
    ['../earlier', 'earlier', '../earlier', {}],
    ['A=1=2  ../a/b B=', 'A=1=2 b B=', '../a/b', { A: '1=2', B: '' }],
  ])(
    'parses the words %s into the label "%s", the directory and the variables of the service',
    (words, label, directory, variables) => {
      expect(parseAlso(words)).toEqual({ label, directory, variables })
    },
  )

  it('accepts at most one directory', () => {
    expect(() => parseAlso('a b')).toThrow('more than one directory')
  })
})
