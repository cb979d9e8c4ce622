// OpenMetrics 1.0 text of counters, histograms and gauges, for Prometheus and compatible readers.

import { EVENTS, type EventKind, type EventName } from './events.ts'
import { BOUNDS, type Counter, type EventCounts, type Histogram } from './record.ts'

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/** A value that can rise and fall. A name that ends in `_seconds` is in seconds. */
export type Gauge = {
  readonly name: string
  readonly help: string
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]
}

/** Writes all counters and the gauges. */
export function writeOpenMetrics(
  counted: (name: EventName) => EventCounts,
  gauges: readonly Gauge[],
): string {
  const names = Object.keys(EVENTS) as EventName[]
  const lines = [...names.flatMap((name) => writeKind(name, counted(name))), ...gauges.flatMap(writeGauge)]
  return `${lines.join('\n')}\n# EOF\n`
}

const PREFIX = 'wallet_verifier_'

function writeKind(name: EventName, { counters, histograms }: EventCounts): readonly string[] {
  const { help, labels, timedBy }: EventKind = EVENTS[name]
  const family = PREFIX + name
  const total = ({ values, count }: Counter) => `${family}_total${labelled(labels, values)} ${count}`
  const counts = [...head(family, 'counter', help), ...[...counters.values()].map(total)]
  if (timedBy === undefined) return counts
  const timed = `${family}_duration_seconds`
  const times = [...histograms.values()].flatMap((histogram) => writeHistogram(timed, timedBy, histogram))
  return [...counts, ...head(timed, 'histogram', help), ...times]
}

/** Each bucket includes the lower ones. The last is the count of all. */
function writeHistogram(name: string, timedBy: readonly string[], { values, buckets, sum }: Histogram) {
  let count = 0
  const lines = buckets.map((of, i) => {
    count += of
    return `${name}_bucket${labelled([...timedBy, 'le'], [...values, bound(BOUNDS[i])])} ${count}`
  })
  const labels = labelled(timedBy, values)
  return [...lines, `${name}_count${labels} ${count}`, `${name}_sum${labels} ${sum}`]
}

/** Whole numbers end with `.0` here: OpenMetrics prescribes one spelling. */
function bound(seconds: number | undefined): string {
  if (seconds === undefined) return '+Inf'
  return Number.isInteger(seconds) ? `${seconds}.0` : String(seconds)
}

function writeGauge({ name, help, samples }: Gauge): readonly string[] {
  const family = PREFIX + name
  const line = ({ labels, value }: Gauge['samples'][number]) =>
    `${family}${labelled(Object.keys(labels), Object.values(labels))} ${value}`
  return [...head(family, 'gauge', help), ...samples.map(line)]
}

function head(family: string, type: string, help: string): readonly string[] {
  const unit = family.endsWith('_seconds') ? [`# UNIT ${family} seconds`] : []
  return [`# TYPE ${family} ${type}`, ...unit, `# HELP ${family} ${help}`]
}

function labelled(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return ''
  return `{${names.map((name, i) => `${name}="${escaped(values[i] ?? '')}"`).join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
