// `age_over_NN` scopes, and their proof by a birthdate (api/result: calendar days in UTC, 29 Feb -> 1 Mar).

import { isJsonObject, type Json } from '../codec/json.ts'

/**
 * Returns the age of an `age_over_NN` scope, NN from 01 to 99 (ISO/IEC 18013-5 §7.2.5); else `undefined`.
 *
 * @example
 * parseAgeScope('age_over_18') // { digits: '18', years: 18 }
 */
export function parseAgeScope(
  scope: string,
): { readonly digits: string; readonly years: number } | undefined {
  const digits = /^age_over_(\d\d)$/.exec(scope)?.[1]
  return digits === undefined || digits === '00' ? undefined : { digits, years: Number(digits) }
}

/**
 * True if a birthdate proves that its holder has reached an age at `now` (Unix seconds). It must be a
 * complete calendar date `YYYY-MM-DD` of a person who can be alive, or the map of ISO/IEC 23220-2
 * §6.3.1.1.3. In that map the latest date that the mask allows counts.
 */
export function provesAge(birthdate: Json, age: number, now: number): boolean {
  const birth = parseDate(birthdate) ?? parseMaskedDate(birthdate)
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

/** `birth_date` and, for an uncertain or approximate date, the digits of YYYYMMDD that are masked. */
function parseMaskedDate(value: Json): number | undefined {
  if (!isJsonObject(value)) return undefined
  const { birth_date = null, approximate_mask: mask = '00000000', ...others } = value
  const date = parseDate(birth_date)
  if (date === undefined || Object.keys(others).length > 0) return undefined
  if (typeof mask !== 'string' || !/^[01]{8}$/.test(mask)) return undefined
  const digits = String(date).padStart(8, '0')
  const masked = Array.from(digits, (digit, place) => (mask[place] === '1' ? '.' : digit)).join('')
  const [year, month, day] = [masked.slice(0, 4), masked.slice(4, 6), masked.slice(6)]
  return Number(year.replaceAll('.', '9') + latest(month, 12) + latest(day, 31))
}

/** The highest number of two digits up to `limit` that fits. The date need not exist: it is a bound. */
function latest(masked: string, limit: number): string {
  const numbers = Array.from({ length: limit }, (_, i) => String(limit - i).padStart(2, '0'))
  return numbers.find((number) => new RegExp(`^${masked}$`).test(number)) ?? String(limit)
}

function dayNumber(date: Date): number {
  return date.getUTCFullYear() * DAYS_OF_A_YEAR + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
}
