// Sums and names of the counters that plots and tables show.

import type { Insights } from '../../packages/client/src/wire.ts'
import { language, localeTag } from '../texts.ts'

export type Step = Insights['steps'][number]
export type Counts = Readonly<Record<string, number>>

/** Terminal statuses, in the order of plots and tables. */
export const ENDS = ['verified', 'rejected', 'declined', 'expired', 'canceled'] as const

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Largest number of steps in one response. */
const STEPS = 750
/** Presets by their number of days. */
export const PERIODS = { day: 1, week: 7, month: 30, quarter: 90 } as const

/** The shown period: a preset, or the days from `from` to `to` (YYYY-MM-DD, in UTC, both inclusive). */
export type Period =
  | { readonly preset: keyof typeof PERIODS }
  | { readonly preset: null; readonly from: string; readonly to: string }

/** Returns the query of a period, with its step. The step is a day if the period has too many hours. */
export function queryOf(period: Period, wanted: 'hour' | 'day', now: number) {
  const { from, to } = rangeOf(period, wanted, now)
  const step = wanted === 'hour' && (to - from) / HOUR_MS > STEPS ? 'day' : wanted
  const query = new URLSearchParams({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    step,
  })
  return { query: query.toString(), step }
}

/** Returns true if the period has few enough hours. */
export function allowsHours(period: Period, now: number): boolean {
  const { from, to } = rangeOf(period, 'hour', now)
  return (to - from) / HOUR_MS <= STEPS
}

/** A preset ends with the present step, so its address stays the same until the next step. */
function rangeOf(period: Period, step: 'hour' | 'day', now: number) {
  if (period.preset === null) {
    const from = Date.parse(period.from)
    return { from, to: Math.max(from, Date.parse(period.to)) + DAY_MS }
  }
  const stepMs = step === 'hour' ? HOUR_MS : DAY_MS
  const to = Math.ceil(now / stepMs) * stepMs
  return { from: to - PERIODS[period.preset] * DAY_MS, to }
}

/** Returns the sum of a counter over all steps. */
export function sum(steps: readonly Step[], of: (step: Step) => number): number {
  return steps.reduce((total, step) => total + of(step), 0)
}

/** Returns the sums of counters by name, the highest first. */
export function totals(
  steps: readonly Step[],
  group: 'reasons' | 'attempt_reasons' | 'channels' | 'protocols',
) {
  const result: Record<string, number> = {}
  for (const step of steps) {
    for (const [name, count] of Object.entries(step[group])) result[name] = (result[name] ?? 0) + count
  }
  return Object.entries(result).sort(([, a], [, b]) => b - a)
}

export function formatCount(count: number): string {
  return new Intl.NumberFormat(language()).format(count)
}

export function formatShare(count: number, total: number): string {
  if (total === 0) return '–'
  return new Intl.NumberFormat(language(), { style: 'percent', maximumFractionDigits: 1 }).format(
    count / total,
  )
}

/** Returns seconds as text, with at most three significant digits. */
export function formatSeconds(seconds: number | null): string {
  if (seconds === null) return '–'
  return new Intl.NumberFormat(language(), {
    style: 'unit',
    unit: 'second',
    maximumSignificantDigits: 3,
  }).format(seconds)
}

/** Start of a step, in UTC as the counters are. */
export function formatStep(at: string, step: string): string {
  return formatUtc(at, { ...DAY, ...(step === 'hour' && TIME) })
}

/** The start of a step in short lines, for the axis of a plot. */
export function formatTick(at: string, step: string): string {
  const parts = step === 'hour' ? [TIME, DAY] : [DAY]
  return parts.map((part) => formatUtc(at, part)).join('\n')
}

const DAY = { day: 'numeric', month: 'short' } as const
const TIME = { hour: '2-digit', minute: '2-digit' } as const

function formatUtc(at: string, parts: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(localeTag(), { timeZone: 'UTC', ...parts }).format(new Date(at))
}
