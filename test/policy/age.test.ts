import { describe, expect, test } from 'vitest'
import { parseAgeScope, provesAge } from '../../src/policy/age.ts'

const at = (iso: string) => Date.parse(iso) / 1000

describe('parseAgeScope', () => {
  test.each([
    ['age_over_01', 1],
    ['age_over_18', 18],
    ['age_over_99', 99],
  ])('reads %s as an age of %i years', (scope, years) => {
    expect(parseAgeScope(scope)?.years).toBe(years)
  })

  test.each([
    'age_over_00',
    'age_over_5',
    'age_over_100',
    'age_over_NN',
    'age_over_1８',
    'xage_over_18',
    'age_over_18\n',
    'AGE_OVER_18',
    '',
  ])('finds no age scope in %j', (scope) => {
    expect(parseAgeScope(scope)).toBeUndefined()
  })
})

describe('provesAge', () => {
  test.each([
    ['on the birthday', '2008-06-15', '2026-06-15T00:00:00Z', true],
    ['in the last second before the birthday', '2008-06-15', '2026-06-14T23:59:59Z', false],
    ['late on the birthday', '2008-06-15', '2026-06-15T23:59:59Z', true],
    ['at the turn of the year', '2008-01-01', '2025-12-31T23:59:59Z', false],
    ['on New Year', '2008-01-01', '2026-01-01T00:00:00Z', true],
    ['one day before a birthday on 31 December', '2008-12-31', '2026-12-30T23:59:59Z', false],
    [
      'on 28 February of a common year, if the birthday is 29 February',
      '2008-02-29',
      '2026-02-28T23:59:59Z',
      false,
    ],
    [
      'on 1 March of a common year, if the birthday is 29 February',
      '2008-02-29',
      '2026-03-01T00:00:00Z',
      true,
    ],
    ['on 28 February, if the birthday is 28 February', '2008-02-28', '2026-02-28T00:00:00Z', true],
    ['on 28 February, if the birthday is 1 March', '2008-03-01', '2026-02-28T23:59:59Z', false],
  ])('returns the right result for an age of 18 years: %s', (_, birthdate, now, proven) => {
    expect(provesAge(birthdate, 18, at(now))).toBe(proven)
  })

  test.each([
    ['2008-02-29', 20, '2028-02-28T23:59:59Z', false],
    ['2008-02-29', 20, '2028-02-29T00:00:00Z', true],
    // 2100 is no leap year
    ['2084-02-29', 16, '2100-02-28T23:59:59Z', false],
    ['2084-02-29', 16, '2100-03-01T00:00:00Z', true],
  ])('returns for the birthdate %s, age %i and time %s the result %s', (birthdate, age, now, proven) => {
    expect(provesAge(birthdate, age, at(now))).toBe(proven)
  })

  test.each([
    '2007-02-29',
    '1900-02-29',
    '1990-02-30',
    '1990-04-31',
    '1990-13-01',
    '1990-00-10',
    '1990-01-00',
    '1990-01-32',
    '1990-1-1',
    '1990',
    '1990-06',
    '19900615',
    '1990-06-15T00:00:00Z',
    ' 1990-06-15',
    '1990-06-15 ',
    '1990-06-15\n',
    '15.06.1990',
    '１９９０-06-15',
    '-1990-06-15',
    '+001990-06-15',
    '',
    'garbage',
    19900615,
    645408000,
    true,
    null,
    ['1990-06-15'],
    { birth_date: null },
    { birth_date: '1990' },
    { birth_date: '1990-06-15', approximate_mask: null },
    { birth_date: '1990-06-15', approximate_mask: 0 },
    { birth_date: '1990-06-15', approximate_mask: '0000000' },
    { birth_date: '1990-06-15', approximate_mask: '00000002' },
    { birth_date: '1990-06-15', approximate_mask: '000000000' },
    { birth_date: '1990-06-15', other: 1 },
    { birthdate: '1990-06-15' },
    { birth_date: { birth_date: '1990-06-15' } },
  ])('proves no age if the birthdate is %j', (birthdate) => {
    expect(provesAge(birthdate, 1, at('2026-06-15T12:00:00Z'))).toBe(false)
  })

  test.each([
    ['a birthdate with a withheld year', '0000-06-15'],
    ['a placeholder in place of the birthdate', '0001-01-01'],
    ['the birthdate of a person of 151 years', '1875-06-14'],
    ['a birthdate after today', '2026-06-16'],
    ['a birthdate in the year 9999', '9999-12-31'],
  ])('proves no age from %s', (_, birthdate) => {
    expect(provesAge(birthdate, 1, at('2026-06-15T12:00:00Z'))).toBe(false)
  })

  // ISO/IEC 23220-2 §6.3.1.1.3. On 15 June 2026.
  test.each<[string, string | undefined, number, boolean]>([
    ['2008-06-15', undefined, 18, true],
    ['2008-06-16', undefined, 18, false],
    ['2008-06-15', '00000000', 18, true],
    ['2008-06-15', '00000001', 18, false],
    ['2008-06-01', '00000010', 18, false],
    ['2008-05-31', '00000011', 18, true],
    ['2008-05-01', '00000011', 18, true],
    ['2008-06-01', '00000011', 18, false],
    ['2008-01-01', '00001111', 18, false],
    ['2007-01-01', '00001111', 18, true],
    ['2007-12-31', '00001100', 18, true],
    ['2008-02-01', '00001000', 18, false],
    ['2008-05-10', '00001000', 18, true],
    ['2008-06-15', '00001000', 18, true],
    ['2008-01-10', '00000100', 18, false],
    ['1990-01-01', '00010000', 18, true],
    ['2000-01-01', '00010000', 18, false],
    ['2000-01-01', '00010000', 16, true],
    ['1990-01-01', '00100000', 18, true],
    ['1990-01-01', '01000000', 18, true],
    ['1990-01-01', '11111111', 1, false],
  ])(
    'returns, for the `birth_date` %s, the `approximate_mask` %s and the age %i, the result %s',
    (birth_date, approximate_mask, age, proven) => {
      const map = { birth_date, ...(approximate_mask !== undefined && { approximate_mask }) }
      expect(provesAge(map, age, at('2026-06-15T12:00:00Z'))).toBe(proven)
    },
  )

  test('proves an age from a masked birth_date only if every possible date proves the age', () => {
    const now = at('2026-06-15T12:00:00Z')
    const days = Array.from({ length: 366 }, (_, i) =>
      new Date(Date.UTC(2008, 0, 1 + i)).toISOString().slice(0, 10),
    )
    const digits = new Map(days.map((day) => [day, digitsOf(day)]))
    for (const mask of ['00000001', '00000010', '00000011', '00000100', '00001000', '00001100', '00001111']) {
      for (const day of days) {
        const fits = (other: string) =>
          Array.from(mask).every((bit, i) => bit === '1' || digits.get(other)?.[i] === digits.get(day)?.[i])
        const certain = days.filter(fits).every((other) => provesAge(other, 18, now))
        const proven = provesAge({ birth_date: day, approximate_mask: mask }, 18, now)
        // Never proven if a date that fits is too late.
        if (proven) expect(certain, `${day} ${mask}`).toBe(true)
      }
    }
  })

  test('accepts a person who is 110 years old', () => {
    expect(provesAge('1916-06-15', 99, at('2026-06-15T12:00:00Z'))).toBe(true)
  })

  test('proves nothing if the current time is invalid', () => {
    expect(provesAge('1990-06-15', 18, Number.NaN)).toBe(false)
  })

  test('agrees with a count of birthdays year by year, on every day of five years', () => {
    const day = 86_400
    const start = at('2023-01-01T12:00:00Z')
    for (const birthdate of ['2004-02-29', '2005-02-28', '2005-03-01', '2004-12-31', '2005-01-01']) {
      for (let now = start; now < start + 5 * 366 * day; now += day) {
        expect(provesAge(birthdate, 21, now), `${birthdate} at ${now}`).toBe(birthdays(birthdate, now) >= 21)
      }
    }
  })
})

/** Counts past birthdays with dates of the platform's calendar; 29 Feb becomes 1 Mar in a common year. */
function birthdays(birthdate: string, now: number): number {
  const [year = 0, month = 0, day = 0] = birthdate.split('-').map(Number)
  let count = 0
  while (Date.UTC(year + count + 1, month - 1, day) <= now * 1000) count += 1
  return count
}

const digitsOf = (date: string) => date.replaceAll('-', '')
