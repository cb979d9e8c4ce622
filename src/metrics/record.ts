// Counters in the memory of this isolate, for `/metrics`. Cloudflare runs many short-lived isolates, so each
// event is also written to Analytics Engine there. The write is not awaited. Without the binding `METRICS`,
// events are counted in memory only.

import { env } from 'cloudflare:workers'
import type { Env } from '../env.ts'
import { EVENTS, type EventKind, type EventName, type LabelsOf } from './events.ts'

/** Upper bounds of a histogram's buckets, in seconds. One more bucket holds all longer durations. */
export const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Counter of the events that have the same label values. */
export type Counter = { readonly values: readonly string[]; count: number }
/**
 * Durations of events with the same values of the `timedBy` labels. `sum` is in seconds. `buckets` has one
 * element more than `BOUNDS`.
 */
export type Histogram = { readonly values: readonly string[]; readonly buckets: number[]; sum: number }

export type EventCounts = {
  readonly counters: ReadonlyMap<string, Counter>
  readonly histograms: ReadonlyMap<string, Histogram>
}

/**
 * Counts an event. `ms` is the duration in milliseconds, for a kind with `timedBy`. With `local` the event is
 * not written to Analytics Engine, which charges for each event.
 */
export function record<Name extends EventName>(
  name: Name,
  labels: LabelsOf<Name>,
  { ms, local = false }: { readonly ms?: number; readonly local?: boolean } = {},
): void {
  const kind: EventKind = EVENTS[name]
  const valuesOf = (names: readonly string[]) =>
    names.map((label) => (labels as Readonly<Record<string, string | null>>)[label] ?? '')
  const values = valuesOf(kind.labels)
  addTo(name, values)
  if (ms !== undefined && kind.timedBy !== undefined) time(name, valuesOf(kind.timedBy), ms / 1000)
  if (local) return
  try {
    const { METRICS } = env as Env
    METRICS?.writeDataPoint({ indexes: [name], blobs: [name, ...values], doubles: [(ms ?? 0) / 1000] })
  } catch {
    return // a write after 250 points in one invocation fails; the error must not stop the caller
  }
}

/** Returns the counters and histograms of one kind of event in this isolate. */
export function readCounts(name: EventName): EventCounts {
  return { counters: counters[name], histograms: histograms[name] }
}

const counters = perKind<Map<string, Counter>>(() => new Map())
const histograms = perKind<Map<string, Histogram>>(() => new Map())

function perKind<Value>(make: () => Value): Readonly<Record<EventName, Value>> {
  const names = Object.keys(EVENTS) as EventName[]
  return Object.fromEntries(names.map((name) => [name, make()])) as Record<EventName, Value>
}

function addTo(name: EventName, values: readonly string[]): void {
  const key = values.join('\n')
  const counter = counters[name].get(key)
  if (counter === undefined) counters[name].set(key, { values, count: 1 })
  else counter.count++
}

function time(name: EventName, values: readonly string[], seconds: number): void {
  const key = values.join('\n')
  const histogram = histograms[name].get(key) ?? { values, buckets: BUCKETS.map(() => 0), sum: 0 }
  histograms[name].set(key, histogram)
  const bucket = BUCKETS.findIndex((bound) => seconds <= bound)
  histogram.buckets[bucket] = (histogram.buckets[bucket] ?? 0) + 1
  histogram.sum += seconds
}

const BUCKETS = [...BOUNDS, Infinity]
