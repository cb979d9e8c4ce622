// Marks of days whose list cannot be read (api/lists), which `/readyz` names.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { callDay, damagedDays } from '../../src/relying-party/index/damaged-days.ts'

const DAY_MS = 86_400_000

let days = 0
let stub: Parameters<typeof callDay>[0]

beforeEach(() => {
  stub = { id: `day ${++days}` } as unknown as typeof stub
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.spyOn(console, 'error').mockReturnValue()
})

afterEach(() => {
  vi.advanceTimersByTime(DAY_MS)
  damagedDays()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const fails = async () => {
  throw new TypeError('cannot be decoded')
}
const succeeds = async () => 'done'

it('the damage mark of a failed read is removed by a successful read, but not by a successful write', async () => {
  await callDay(stub, 'read', fails)
  await callDay(stub, 'write', succeeds)
  expect(damagedDays()).toEqual([stub.id])
  await callDay(stub, 'read', succeeds)
  expect(damagedDays()).toEqual([])
})

it('the damage mark of a failed write is removed by any successful call', async () => {
  await callDay(stub, 'write', fails)
  await callDay(stub, 'write', succeeds)
  expect(damagedDays()).toEqual([])
})

it('a damage mark is removed 24 hours after the last call that found damage, if nobody reads the damaged day again', async () => {
  await callDay(stub, 'read', fails)
  vi.advanceTimersByTime(DAY_MS / 2)
  await callDay(stub, 'write', fails)
  vi.advanceTimersByTime(DAY_MS - 1)
  expect(damagedDays()).toEqual([stub.id])
  vi.advanceTimersByTime(1)
  expect(damagedDays()).toEqual([])
})
