// Scopes `age_over_NN`, and the proof of an age by a birthdate (api/result). Days are calendar days in UTC.
// In a common year, a person born on 29 Feb reaches an age on 1 Mar.

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
 * Returns true if a birthdate proves that the person has reached an age at `now` (Unix seconds). The
 * birthdate must be a complete calendar date `YYYY-MM-DD` at most 150 years ago, or the map of ISO/IEC
 * 23220-2 §6.3.1.1.3. For a map, the latest date that its mask allows is used.
 */
export function provesAge(birthdate: Json, age: number, now: number): boolean {
  const birth = parseDate(birthdate) ?? parseMaskedDate(birthdate)
  if (birth === undefined) return false
  const today = dayNumber(new Date(now * 1000))
  if (today - birth > OLDEST * DAYS_OF_A_YEAR) return false
  // A common year has no day between 28 Feb (228) and 1 Mar (301). So an anniversary of 29 Feb (229) is
  // reached on 1 Mar.
  return birth + age * DAYS_OF_A_YEAR <= today
}

// Limit of the age in years. The limit rejects placeholders such as 0001-01-01, and the year 0000, which
// stands for a withheld year (OpenID Connect Core §5.1).
const OLDEST = 150

// One year as a number. A calendar day is the number year * 10000 + month * 100 + day. So years can be added
// to a day, and days can be compared.
const DAYS_OF_A_YEAR = 10_000

function parseDate(value: Json): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined
  const date = new Date(`${value}T00:00:00Z`)
  const real = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) // 30 Feb would roll over
  return real ? dayNumber(date) : undefined
}

/**
 * Parses the map with `birth_date` and `approximate_mask`. The mask marks the uncertain digits of YYYYMMDD.
 * Returns the latest possible day; `undefined` if the map is malformed.
 */
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

/**
 * Returns the highest two-digit number up to `limit` that fits the masked digits. The resulting date is only
 * a bound, and need not exist in the calendar.
 */
function latest(masked: string, limit: number): string {
  const numbers = Array.from({ length: limit }, (_, i) => String(limit - i).padStart(2, '0'))
  return numbers.find((number) => new RegExp(`^${masked}$`).test(number)) ?? String(limit)
}

function dayNumber(date: Date): number {
  return date.getUTCFullYear() * DAYS_OF_A_YEAR + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
}
