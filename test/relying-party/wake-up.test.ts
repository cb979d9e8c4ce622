import { expect, it } from 'vitest'
import { writeWithAlarm } from '../../src/relying-party/wake-up.ts'

const AT = Date.UTC(2026, 10, 30)
const TEN_MINUTES = 600_000

/** Returns a storage with this alarm, and the calls of it. An alarm that is set resolves after `finish`. */
function openStorage(alarm: number | null) {
  const calls: string[] = []
  const { promise, resolve: finish } = Promise.withResolvers<void>()
  const storage = {
    getAlarm: async () => alarm,
    setAlarm: (at: number | Date) => {
      calls.push(`alarm ${Number(at) - AT}`)
      return promise
    },
  }
  return { storage, calls, finish }
}

it('data and its alarm are written in one step, so no alarm can run between them', async () => {
  const { storage, calls, finish } = openStorage(null)
  const written = writeWithAlarm(storage, AT, () => calls.push('data'))
  await storage.getAlarm()
  expect(calls).toEqual(['alarm 0', 'data'])
  finish()
  await written
})

it.each([
  ['earlier than the new alarm stays', -1, ['data']],
  ['ten minutes later than the new alarm stays', TEN_MINUTES, ['data']],
  ['more than ten minutes later than the new alarm is replaced', TEN_MINUTES + 1, ['alarm 0', 'data']],
])('a stored alarm that is %s', async (_, later, expected) => {
  const { storage, calls, finish } = openStorage(AT + later)
  finish()
  expect(await writeWithAlarm(storage, AT, () => calls.push('data'))).toBe(expected.length)
  expect(calls).toEqual(expected)
})

it('if the write throws, writeWithAlarm rejects, and the alarm stays set', async () => {
  const { storage, calls, finish } = openStorage(null)
  finish()
  const fails = () => {
    throw new Error('full')
  }
  await expect(writeWithAlarm(storage, AT, fails)).rejects.toThrow('full')
  expect(calls).toEqual(['alarm 0'])
})
