import { afterEach, describe, expect, it } from 'vitest'
import { mayBegin, reportCapacity, type WorkKind } from '../../src/metrics/capacity.ts'

const NOW = 1_795_341_649_446
const LIMIT = 1_000

afterEach(() => {
  reportCapacity(null, 0, Number.NEGATIVE_INFINITY)
})

/** More than a process does in a quarter of a second. */
const MANY = 1_000

/** Returns how much work may begin at a time, up to `MANY`. */
function beginAll(kind: WorkKind, now = NOW): number {
  let begun = 0
  while (begun < MANY && mayBegin(kind, now)) begun++
  return begun
}

it('work may always begin if nothing was reported, or if the last report is older than ten seconds', () => {
  expect(beginAll('new')).toBe(MANY)
  reportCapacity({ open: LIMIT, limit: LIMIT }, 0, NOW)
  expect(mayBegin('begun', NOW + 10_000)).toBe(false)
  expect(mayBegin('begun', NOW + 10_001)).toBe(true)
})

describe('open descriptors', () => {
  it('allow new work up to 80 % of the limit, and work of begun sessions up to 90 %', () => {
    reportCapacity({ open: 797, limit: LIMIT }, 0, NOW)
    expect([mayBegin('new', NOW), mayBegin('begun', NOW)]).toEqual([false, true])
    reportCapacity({ open: 897, limit: LIMIT }, 0, NOW + 10_000)
    expect(mayBegin('begun', NOW + 10_000)).toBe(false)
  })

  it('limit the number of pieces of work that may begin between two reports', () => {
    reportCapacity({ open: 760, limit: LIMIT }, 0, NOW)
    expect(beginAll('new')).toBe(10)
  })

  it('are counted together with the descriptors that we expect recently begun work to open', () => {
    reportCapacity({ open: 760, limit: LIMIT }, 0, NOW)
    beginAll('new')
    reportCapacity({ open: 760, limit: LIMIT }, 0, NOW + 499)
    expect(beginAll('new', NOW + 499)).toBe(0)
    reportCapacity({ open: 760, limit: LIMIT }, 400, NOW + 1_299)
    expect(beginAll('new', NOW + 1_299)).toBe(0)
    reportCapacity({ open: 760, limit: LIMIT }, 0, NOW + 1_300)
    expect(beginAll('new', NOW + 1_300)).toBe(10)
  })

  it('do not limit the work if their number is unknown', () => {
    reportCapacity(null, 0, NOW)
    expect(beginAll('new')).toBe(MANY)
  })
})

describe('a timer delay of a second or more', () => {
  it('halves the work that may begin before the next report, but never stops all work', () => {
    reportCapacity(null, 0, NOW)
    for (let i = 0; i < 100; i++) mayBegin('new', NOW)
    const allowed = [1, 2, 3, 4, 5, 6].map((seconds) => {
      reportCapacity(null, 1_000, NOW + seconds * 1_000)
      return beginAll('new', NOW + seconds * 1_000)
    })
    expect(allowed).toEqual([50, 25, 13, 7, 4, 4])
  })

  it('allows begun sessions as much work as new work, even after new work has reached its limit', () => {
    for (let seconds = 0; seconds < 10; seconds++) reportCapacity(null, 1_000, NOW + seconds * 1_000)
    expect([beginAll('new', NOW + 9_000), beginAll('begun', NOW + 9_000)]).toEqual([4, 4])
  })

  it('no longer has an effect when the timer has been on time for ten seconds', () => {
    for (let seconds = 0; seconds < 10; seconds++) reportCapacity(null, 5_000, NOW + seconds * 1_000)
    for (let seconds = 10; seconds < 20; seconds++) reportCapacity(null, 0, NOW + seconds * 1_000)
    expect(beginAll('new', NOW + 19_000)).toBe(MANY)
  })
})
