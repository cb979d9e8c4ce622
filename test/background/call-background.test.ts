// Calls to the Worker for background work. Whatever happens to a call, its caller goes on.

import { afterEach, expect, it, vi } from 'vitest'
import { callBackground } from '../../src/background/call-background.ts'

afterEach(() => vi.useRealTimers())

it('callBackground returns the result of a call', async () => {
  expect(await callBackground(async () => 'verified')).toBe('verified')
})

it('callBackground returns undefined if a call fails, and logs the failure', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(await callBackground(() => Promise.reject(new Error('no binding')))).toBeUndefined()
  expect(logged.mock.lastCall?.[0]).toContain('"event":"background_work_failed"')
})

it('callBackground returns undefined if a call never ends, and logs a timeout', async () => {
  vi.useFakeTimers()
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const result = callBackground(() => new Promise(() => undefined))
  await vi.advanceTimersByTimeAsync(180_000)
  expect(await result).toBeUndefined()
  expect(logged.mock.lastCall?.[0]).toContain('"error":"timeout"')
})
