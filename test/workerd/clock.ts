// The clock of tests inside workerd.

import { afterEach, beforeEach, vi } from 'vitest'

/** Noon of a day. */
export const NOON = Date.UTC(2046, 5, 15, 12)

/** Sets the clock, and nothing else. */
export function at(now: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now })
}

/** Starts each test of a file at noon, and restores clock and mocks after it. */
export function startAtNoon(): void {
  beforeEach(() => at(NOON))
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })
}
