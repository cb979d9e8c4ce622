import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EVENTS } from '../../src/metrics/events.ts'
import { formatFor, type Gauge, writeMetrics } from '../../src/metrics/exposition.ts'
import { HELP } from '../../src/metrics/help.ts'
import { readCounts, record } from '../../src/metrics/record.ts'
import { readOpenMetrics, type Sample } from '../support/reading/open-metrics.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const REQUEST = { audience: 'wallet', method: 'GET', route: '/r/:capability', status: '200' }

/** The samples of one name, as the strict reader parses them. */
function samples(name: string, gauges: readonly Gauge[] = []): readonly Sample[] {
  const families = readOpenMetrics(writeMetrics('openmetrics', { counted: readCounts, gauges, help: HELP }))
  return families.flatMap((family) => family.samples).filter((sample) => sample.name === name)
}

function totalOf(labels: Readonly<Record<string, string>>): number {
  const alike = ({ labels: found }: Sample) =>
    Object.entries(labels).every(([name, value]) => found[name] === value)
  return samples('wallet_verifier_requests_total').find(alike)?.value ?? 0
}

describe('the function record', () => {
  it('adds up events with the same labels', () => {
    const status = '207'
    record('requests', { ...REQUEST, status })
    record('requests', { ...REQUEST, status })
    record('requests', { ...REQUEST, status, method: 'POST' })
    expect(totalOf({ status, method: 'GET' })).toBe(2)
    expect(totalOf({ status, method: 'POST' })).toBe(1)
  })

  it.each([
    [5, '0.005'],
    [6, '0.01'],
    [1000, '1.0'],
    [10_001, '+Inf'],
  ])(
    'counts a duration of %d ms in the first bucket that is large enough, and in all larger buckets',
    (ms, le) => {
      const audience = `took ${ms}`
      record('requests', { ...REQUEST, audience }, { ms })
      const name = 'wallet_verifier_requests_duration_seconds'
      const buckets = samples(`${name}_bucket`).filter(({ labels }) => labels.audience === audience)
      expect(buckets.find(({ value }) => value === 1)?.labels.le).toBe(le)
      const sum = samples(`${name}_sum`).find(({ labels }) => labels.audience === audience)
      expect(sum?.value).toBe(ms / 1000)
    },
  )

  it('sends the kind of the event, each label at its position, and the duration in seconds to Analytics Engine', () => {
    const write = vi.spyOn(env.METRICS!, 'writeDataPoint')
    record(
      'answers',
      {
        verdict: 'refused',
        reason: 'nonce_mismatch',
        protocol: 'haip-1.0',
        channel: null,
        mode: 'live',
      },
      { ms: 250 },
    )
    expect(write.mock.calls).toEqual([
      [
        {
          indexes: ['answers'],
          blobs: ['answers', 'refused', 'nonce_mismatch', 'haip-1.0', '', 'live'],
          doubles: [0.25],
        },
      ],
    ])
    // A data set has 20 columns of text.
    for (const { labels } of Object.values(EVENTS)) expect(labels.length).toBeLessThan(20)
  })

  it('counts a local event without sending it to Analytics Engine', () => {
    const write = vi.spyOn(env.METRICS!, 'writeDataPoint')
    record('requests', { ...REQUEST, status: '218' }, { local: true })
    expect(write).not.toHaveBeenCalled()
    expect(totalOf({ status: '218' })).toBe(1)
  })

  it('does not throw if Analytics Engine fails', () => {
    vi.spyOn(env.METRICS!, 'writeDataPoint').mockImplementation(() => {
      throw new Error('too many data points')
    })
    expect(() => record('requests', { ...REQUEST, status: '226' })).not.toThrow()
    expect(totalOf({ status: '226' })).toBe(1)
  })
})

describe('writeMetrics', () => {
  it('writes a complete exposition even without counters and gauges', () => {
    const nothing = () => ({ counters: new Map(), histograms: new Map() })
    const families = readOpenMetrics(
      writeMetrics('openmetrics', { counted: nothing, gauges: [], help: HELP }),
    )
    expect(families.every((family) => family.samples.length === 0)).toBe(true)
  })

  it('has a HELP line for every counter', () => {
    expect(Object.keys(HELP)).toEqual(expect.arrayContaining(Object.keys(EVENTS)))
  })

  it('escapes characters that would end a label', () => {
    const gauge = { name: 'odd', samples: [{ labels: { text: 'a"b\\c\nd' }, value: -1.5 }] }
    expect(samples('wallet_verifier_odd', [gauge])).toEqual([
      { name: 'wallet_verifier_odd', labels: { text: 'a\\"b\\\\c\\nd' }, value: -1.5 },
    ])
  })
})

describe('the text format of Prometheus', () => {
  const nothing = () => ({ counters: new Map(), histograms: new Map() })

  it('gives a counter the same name as its samples, and has no UNIT line and no EOF line', () => {
    record('requests', { ...REQUEST, status: '209' }, { ms: 3 })
    const gauge = { name: 'state_bytes', samples: [{ labels: {}, value: 4096 }] }
    const lines = writeMetrics('prometheus', {
      counted: readCounts,
      gauges: [gauge],
      help: { state_bytes: 'Space.' },
    }).split('\n')
    expect(lines).toContain('# TYPE wallet_verifier_requests_total counter')
    expect(lines).toContain('# TYPE wallet_verifier_requests_duration_seconds histogram')
    expect(lines.slice(-4)).toEqual([
      '# HELP wallet_verifier_state_bytes Space.',
      '# TYPE wallet_verifier_state_bytes gauge',
      'wallet_verifier_state_bytes 4096',
      '',
    ])
    expect(lines.filter((line) => /^# (UNIT|EOF)/.test(line))).toEqual([])
  })

  it('gives the process metrics the names that Prometheus uses, in both formats', () => {
    const gauge = { name: 'process_open_fds', samples: [{ labels: {}, value: 7 }] }
    for (const format of ['openmetrics', 'prometheus'] as const)
      expect(writeMetrics(format, { counted: nothing, gauges: [gauge], help: HELP })).toContain(
        '\nprocess_open_fds 7\n',
      )
  })
})

describe('formatFor', () => {
  // The header of Prometheus 3, and of its releases without OpenMetrics.
  const PROMETHEUS =
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'
  it.each([
    [undefined, 'openmetrics'],
    ['*/*', 'openmetrics'],
    [PROMETHEUS, 'openmetrics'],
    ['text/plain;version=0.0.4;q=1,*/*;q=0.1', 'prometheus'],
    ['text/plain', 'prometheus'],
    ['text/plain;q=0.5, application/openmetrics-text;q=0.4', 'prometheus'],
    ['text/plain;q=0, */*', 'openmetrics'],
    ['text/html, application/xhtml+xml', 'openmetrics'],
    ['text/plain;q=high', 'openmetrics'],
  ])('chooses for Accept: %s the format %s', (accept, format) => {
    expect(formatFor(accept)).toBe(format)
  })
})

describe('the strict parser of OpenMetrics', () => {
  const GOOD = '# TYPE a counter\n# HELP a Things.\na_total{b="c"} 1\n# EOF\n'
  it.each<[string, (text: string) => string]>([
    ['a missing EOF line', (text) => text.replace('# EOF\n', '')],
    ['a counter without its suffix', (text) => text.replace('a_total', 'a')],
    ['a label without quotes', (text) => text.replace('"c"', 'c')],
    ['a label twice', (text) => text.replace('b="c"', 'b="c",b="d"')],
    ['a sample twice', (text) => text.replace('# EOF', 'a_total{b="c"} 2\n# EOF')],
    ['an unknown type', (text) => text.replace('counter', 'number')],
    ['an empty line', (text) => text.replace('# EOF', '\n# EOF')],
    [
      'a metric family that occurs again later',
      (text) => text.replace('# EOF', '# TYPE b gauge\n# TYPE a counter\n# EOF'),
    ],
  ])('rejects %s', (_, spoil) => {
    expect(readOpenMetrics(GOOD)).toHaveLength(1)
    expect(() => readOpenMetrics(spoil(GOOD))).toThrow()
  })
})
