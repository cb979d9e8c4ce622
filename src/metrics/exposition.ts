// Text of counters, histograms and gauges for Prometheus and compatible readers. The format is OpenMetrics
// 1.0, or the Prometheus text format 0.0.4 if the reader prefers plain text.

import { EVENTS, type EventKind, type EventName } from './events.ts'
import { BOUNDS, type Counter, type EventCounts, type Histogram } from './record.ts'

export type Format = 'openmetrics' | 'prometheus'

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
}

/**
 * A value that can rise and fall. A name that ends with `_seconds` or `_bytes` states the unit. A name that
 * begins with `process_` is a name of the Prometheus client libraries, and is written without our prefix.
 */
export type Gauge = {
  readonly name: string
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]
}

/** Writes all counters, histograms and gauges. */
export function writeMetrics(
  format: Format,
  {
    counted,
    gauges,
    help,
  }: {
    readonly counted: (name: EventName) => EventCounts
    readonly gauges: readonly Gauge[]
    /** Help texts. The key is the name of the counter or gauge. */
    readonly help: Readonly<Record<string, string>>
  },
): string {
  const names = Object.keys(EVENTS) as EventName[]
  const head =
    (name: string): Head =>
    (family, type) =>
      HEADS[format](family, type, help[name] ?? name)
  const lines = [
    ...names.flatMap((name) => writeKind(name, counted(name), head(name))),
    ...gauges.flatMap((gauge) => writeGauge(gauge, head(gauge.name))),
  ]
  return `${lines.join('\n')}\n${format === 'openmetrics' ? '# EOF\n' : ''}`
}

/** Returns the format that an `Accept` header prefers. The default is OpenMetrics. */
export function formatFor(accept: string | undefined): Format {
  const ranges = (accept ?? '').split(',').map(parseRange)
  const qualityOf = (...types: readonly string[]) =>
    Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ quality }) => quality))
  const openMetrics = qualityOf('application/openmetrics-text')
  return qualityOf('text/plain', 'text/*') > openMetrics ? 'prometheus' : 'openmetrics'
}

function parseRange(range: string): { readonly type: string; readonly quality: number } {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  return { type, quality: /^[01](\.\d{0,3})?$/.test(quality) ? Number(quality) : 0 }
}

const PREFIX = 'wallet_verifier_'

function writeKind(name: EventName, { counters, histograms }: EventCounts, head: Head): readonly string[] {
  const { labels, timedBy }: EventKind = EVENTS[name]
  const family = PREFIX + name
  const total = ({ values, count }: Counter) => `${family}_total${labelled(labels, values)} ${count}`
  const counts = [...head(family, 'counter'), ...[...counters.values()].map(total)]
  if (timedBy === undefined) return counts
  const timed = `${family}_duration_seconds`
  const times = [...histograms.values()].flatMap((histogram) => writeHistogram(timed, timedBy, histogram))
  return [...counts, ...head(timed, 'histogram'), ...times]
}

/**
 * Writes the lines of one histogram. Each bucket includes the counts of the lower buckets. The last bucket is
 * the total count.
 */
function writeHistogram(name: string, timedBy: readonly string[], { values, buckets, sum }: Histogram) {
  let count = 0
  const lines = buckets.map((of, i) => {
    count += of
    return `${name}_bucket${labelled([...timedBy, 'le'], [...values, bound(BOUNDS[i])])} ${count}`
  })
  const labels = labelled(timedBy, values)
  return [...lines, `${name}_count${labels} ${count}`, `${name}_sum${labels} ${sum}`]
}

/**
 * Returns the upper bound of a bucket as text; `+Inf` without a bound. OpenMetrics requires `.0` after a
 * whole number.
 */
function bound(seconds: number | undefined): string {
  if (seconds === undefined) return '+Inf'
  return Number.isInteger(seconds) ? `${seconds}.0` : String(seconds)
}

function writeGauge({ name, samples }: Gauge, head: Head): readonly string[] {
  const family = name.startsWith('process_') ? name : PREFIX + name
  const line = ({ labels, value }: Gauge['samples'][number]) =>
    `${family}${labelled(Object.keys(labels), Object.values(labels))} ${value}`
  return [...head(family, 'gauge'), ...samples.map(line)]
}

type Head = (family: string, type: string) => readonly string[]

const HEADS: Readonly<Record<Format, (family: string, type: string, help: string) => readonly string[]>> = {
  openmetrics: (family, type, help) => {
    const unit = ['seconds', 'bytes'].filter((unit) => family.endsWith(`_${unit}`))
    return [
      `# TYPE ${family} ${type}`,
      ...unit.map((unit) => `# UNIT ${family} ${unit}`),
      `# HELP ${family} ${help}`,
    ]
  },
  // In this format, the lines HELP and TYPE of a counter have the same name as the counter's samples, which
  // ends with `_total`.
  prometheus: (family, type, help) => {
    const name = type === 'counter' ? `${family}_total` : family
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
  },
}

function labelled(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return ''
  return `{${names.map((name, i) => `${name}="${escaped(values[i] ?? '')}"`).join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
