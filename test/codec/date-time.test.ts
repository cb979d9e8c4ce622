import { describe, expect, it } from 'vitest'
import { readDateTime } from '../../src/codec/date-time.ts'

describe('readDateTime', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['2026-11-21T12:00:00Z', 1_795_262_400],
    ['2026-11-21T12:00:00.999Z', 1_795_262_400],
    ['2026-11-21T13:30:00+01:30', 1_795_262_400],
    ['2028-02-29T00:00:00Z', 1_835_395_200],
  ])('reads %s', (text, seconds) => expect(readDateTime(text)).toBe(seconds))

  it.each([
    '',
    '2026-11-21',
    '2026-11-21T12:00:00',
    '2026-11-21 12:00:00Z',
    '2026-11-21T12:00Z',
    '2026-11-21T12:00:00z',
    '2026-11-21T24:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-11-21T12:00:00.Z',
    '2026-11-21T12:00:00+99:00',
    ' 2026-11-21T12:00:00Z',
  ])('rejects %j', (text) => expect(readDateTime(text)).toBeUndefined())
})
