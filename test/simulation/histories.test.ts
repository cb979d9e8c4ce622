// The service's objects under simulated faults (docs/decisions/proofs.md).

import { beforeAll, describe, expect, it } from 'vitest'
import { IS_FULL_SIZE, IS_HUGE_SIZE } from '../support/runner/size.ts'
import { HANG_MS } from '../support/wait.ts'
import { openSimulator, type Simulator, traceOf } from './simulator.ts'

const HISTORIES = IS_HUGE_SIZE ? 2_000 : IS_FULL_SIZE ? 300 : 40
const TRACE_LINES = 40

describe('the simulation', () => {
  let simulator: Simulator
  beforeAll(async () => {
    simulator = await openSimulator()
  })

  it(
    `finds no violated property in ${HISTORIES} histories`,
    async () => {
      for (let seed = 1; seed <= HISTORIES; seed++) {
        const { violation } = await simulator.run(seed)
        if (violation === undefined) continue
        const trace = (await traceOf(simulator, seed, { lines: TRACE_LINES })).join('\n')
        expect.fail(`seed ${seed} breaks "${violation.property}": ${violation.text}\n${trace}`)
      }
    },
    (IS_HUGE_SIZE ? 20 : 4) * HANG_MS, // a slow machine needs minutes
  )

  it('gives the same history for the same seed, whatever history ran before', async () => {
    const seeds = Array.from({ length: IS_FULL_SIZE ? 20 : 6 }, (_, i) => 500 + i)
    const digests = async (order: readonly number[]) => {
      const all = new Map<number, string>()
      for (const seed of order) all.set(seed, (await simulator.run(seed)).digest)
      return seeds.map((seed) => all.get(seed))
    }
    expect(await digests(seeds.toReversed())).toEqual(await digests(seeds))
    expect(new Set(await digests(seeds)).size).toBe(seeds.length)
  })
})
