// `age_over_NN` scopes, and their proof by a birthdate (CONTRACT 4: calendar days in UTC, 29 Feb -> 1 Mar).

import type { Json } from '../codec/json.ts'

/** Returns the age of an `age_over_NN` scope, NN from 01 to 99 (ISO/IEC 18013-5 §7.2.5); else `undefined`. */
export function parseAgeScope(
  scope: string,
): { readonly digits: string; readonly years: number } | undefined {
  const digits = /^age_over_(\d\d)$/.exec(scope)?.[1]
  return digits === undefined || digits === '00' ? undefined : { digits, years: Number(digits) }
}

/**
 * True if a birthdate proves that its holder has reached an age at `now` (Unix seconds). It must be a
 * complete calendar date `YYYY-MM-DD` of a person who can be alive.
 */
export function provesAge(birthdate: Json, age: number, now: number): boolean {
  const birth = parseDate(birthdate)
  if (birth === undefined) return false
  const today = dayNumber(new Date(now * 1000))
  if (today - birth > OLDEST * DAYS_OF_A_YEAR) return false
  // In a common year no day lies between 28 Feb (228) and 1 Mar (301), so 29 Feb (229) is first reached on 1
  // Mar.
  return birth + age * DAYS_OF_A_YEAR <= today
}

// Rejects placeholders such as 0001-01-01, and 0000 for a withheld year (OpenID Connect Core §5.1).
const OLDEST = 150

// A calendar day is one number, year * 10000 + month * 100 + day, so that years can be added and days
// compared.
const DAYS_OF_A_YEAR = 10_000

function parseDate(value: Json): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined
  const date = new Date(`${value}T00:00:00Z`)
  const real = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) // 30 Feb would roll over
  return real ? dayNumber(date) : undefined
}

function dayNumber(date: Date): number {
  return date.getUTCFullYear() * DAYS_OF_A_YEAR + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
}
