// Ratios of services within one run. A ratio is taken in each round, between services that are measured one
// after the other, so that a slower machine affects both.

import { median } from '../measure.ts'

/** Values of one measure by service, a value for each round. */
export type Values = Readonly<Record<string, readonly number[]>>

/** Median of the rounds, with the least and the greatest value. */
export type Spread = { readonly median: number; readonly least: number; readonly most: number }

/** Returns the services in the order of a round: every second round has the reverse order. */
export function orderOf<T>(services: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? services : services.toReversed()
}

/** Returns undefined without a value. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) }
}

/** Returns the ratio of the values of each round; undefined if a service was not measured. */
export function ratioOf(of: readonly number[] = [], to: readonly number[] = []): Spread | undefined {
  return spreadOf(of.slice(0, to.length).map((value, round) => value / (to[round] ?? Number.NaN)))
}

/** Formats a number with three significant digits. */
export function showSpread(spread: Spread | undefined): string {
  if (spread === undefined) return '–'
  const [middle, least, most] = [spread.median, spread.least, spread.most].map(short)
  return least === most ? `${middle}` : `${middle} (${least}–${most})`
}

function short(value: number): string {
  return String(Number(value.toPrecision(value >= 1 ? 3 : 2)))
}
