import { afterEach, expect, it } from 'vitest'
import { reportCapacity } from '../../../src/metrics/capacity.ts'
import { beginWork, endWork, isCrowded, isFree, mayBeginWork } from '../../../src/session/alarm/work-limit.ts'

const NOW = 1_800_000_000_000

afterEach(() => {
  isFree(Number.POSITIVE_INFINITY) // everything is older than the limit
  reportCapacity(null, 0, Number.NEGATIVE_INFINITY)
})

/** Begins this many pieces of work. */
function begin(count: number): readonly object[] {
  const works = Array.from({ length: count }, () => ({}))
  for (const work of works) beginWork(work, NOW)
  return works
}

it('eight pieces of work may run, and the next begins when one has ended', () => {
  const [first = {}] = begin(7)
  expect(mayBeginWork(NOW)).toBe(true)
  begin(1)
  expect([isFree(NOW), mayBeginWork(NOW)]).toEqual([false, false])
  endWork(first)
  expect(mayBeginWork(NOW)).toBe(true)
})

it('an object lets other objects work first while four or more pieces of work run', () => {
  const [first = {}] = begin(4)
  expect(isCrowded(NOW)).toBe(true)
  endWork(first)
  expect(isCrowded(NOW)).toBe(false)
})

it('work is no longer counted five seconds after it began, or if the clock was set back by five seconds', () => {
  begin(8)
  expect(isFree(NOW + 4_999)).toBe(false)
  expect(isFree(NOW + 5_000)).toBe(true)
  begin(8)
  expect(isFree(NOW - 4_999)).toBe(false)
  expect(isFree(NOW - 5_000)).toBe(true)
})

it('no work begins while too few file descriptors are free', () => {
  reportCapacity({ open: 950, limit: 1_000 }, 0, NOW)
  expect([isFree(NOW), mayBeginWork(NOW)]).toEqual([true, false])
})
