import { describe, expect, it } from 'vitest'
import { nextAttemptAt, parseRetryAfter } from '../../src/webhook/schedule.ts'

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0)
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const failed = (attempt: number, retryAfter: number | null = null, jitter = 0) =>
  nextAttemptAt({ attempt, now: NOW, retryAfter, jitter })

describe('the schedule of attempts', () => {
  it.each([
    [1, 5000],
    [2, MINUTE],
    [3, 10 * MINUTE],
    [4, 2 * HOUR],
    [5, 24 * HOUR],
  ])('waits after the failed attempt %i for %i ms plus at most a fifth of this time', (attempt, delay) => {
    expect(failed(attempt)).toBe(NOW + delay)
    expect(failed(attempt, null, 0.5)).toBe(NOW + delay * 1.1)
    expect(failed(attempt, null, 1)).toBe(NOW + delay * 1.2)
  })

  it('ends after the sixth attempt, even if Retry-After requests a wait', () => {
    expect(failed(6)).toBeNull()
    expect(failed(6, MINUTE)).toBeNull()
  })

  it('lets the receiver delay an attempt by at most 24 hours, but never lets the receiver make an attempt earlier', () => {
    expect(failed(1, 30 * MINUTE)).toBe(NOW + 30 * MINUTE)
    expect(failed(1, 24 * HOUR)).toBe(NOW + 24 * HOUR)
    expect(failed(1, 25 * HOUR)).toBe(NOW + 24 * HOUR)
    expect(failed(1, Number.POSITIVE_INFINITY)).toBe(NOW + 24 * HOUR)
    expect(failed(3, 1000)).toBe(NOW + 10 * MINUTE)
    expect(failed(5, 24 * HOUR, 1)).toBe(NOW + 28.8 * HOUR)
  })

  it('adds a random time of at most a fifth, and at most one minute, to a delay that the receiver requests', () => {
    expect(failed(1, MINUTE, 0.5)).toBe(NOW + 66_000)
    expect(failed(1, MINUTE, 1)).toBe(NOW + 72_000)
    expect(failed(1, 30 * MINUTE, 1)).toBe(NOW + 31 * MINUTE)
    expect(failed(1, 24 * HOUR, 0.5)).toBe(NOW + 24 * HOUR + MINUTE / 2)
  })
})

describe('the header Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Sat, 21 Nov 2026 12:01:00 GMT', MINUTE],
    ['Sat, 21 Nov 2026 11:59:00 GMT', 0],
  ])('the header Retry-After with %s gives a wait of %i ms', (field, wait) => {
    expect(parseRetryAfter(field, NOW)).toBe(wait)
  })

  it('the header Retry-After with a very large number of seconds gives a long wait', () => {
    expect(failed(1, parseRetryAfter('9'.repeat(400), NOW))).toBe(NOW + 24 * HOUR)
  })

  it.each([
    null,
    '',
    '-5',
    '1.5',
    '1e3',
    '0x10',
    ' 5',
    'soon',
    '2026-11-21T12:01:00Z',
    'Sat, 21 Nov 2026 12:01:00 +0100',
    'Sat, 99 Nov 2026 12:01:00 GMT',
    'Sat Nov 21 12:01:00 2026',
  ])('is ignored if it is %s', (field) => {
    expect(parseRetryAfter(field, NOW)).toBeNull()
  })
})
