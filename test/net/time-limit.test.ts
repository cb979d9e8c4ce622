import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withDeadline, withTimeLimit } from '../../src/net/time-limit.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('the time limit aborts work that takes too long, exactly at the limit', async () => {
  const aborted = vi.fn()
  const work = withTimeLimit(1000, (signal) => {
    signal.addEventListener('abort', aborted)
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve('given up')))
  })
  await vi.advanceTimersByTimeAsync(999)
  expect(aborted).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(await work).toBe('given up')
})

it('the time limit leaves no timer behind, whether the work succeeds or fails', async () => {
  expect(await withTimeLimit(1000, async () => 7)).toBe(7)
  await expect(withTimeLimit(1000, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(vi.getTimerCount()).toBe(0)
})

describe('a deadline', () => {
  it('returns a result that arrives in time, and leaves no timer behind', async () => {
    expect(await withDeadline(Promise.resolve(7), 1000, 'late')).toBe(7)
    await expect(withDeadline(Promise.reject(new Error('no')), 1000, 'late')).rejects.toThrow('no')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('returns the fallback value if the result is late', async () => {
    const result = withDeadline(new Promise(() => undefined), 1000, 'late')
    await vi.advanceTimersByTimeAsync(1000)
    expect(await result).toBe('late')
  })
})
