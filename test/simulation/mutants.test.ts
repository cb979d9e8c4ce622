// Planted mistakes. Each is caught by the property that caught it first, from the same seed on. The present
// service holds every property with that seed.

import { beforeAll, describe, expect, it } from 'vitest'
import { IS_FULL_SIZE } from '../support/runner/size.ts'
import { buildService, changedSources } from './build.ts'
import { catchMutant, findMutant, MUTANTS, optionsOf, readSeeds } from './mutants/index.ts'
import { PROPERTIES } from './properties/index.ts'
import { commandOf, openSimulator, type Simulator } from './simulator.ts'

/**
 * Histories from the kept seed on. A change of the service can move the history that catches a mutant.
 * `npm run proof -- simulate --mutants --histories 10000` writes the seeds anew.
 */
const HISTORIES = 800

/** Mutants that are built: each one in `slow`, and every fortieth elsewhere. */
const BUILT = MUTANTS.filter((_, i) => IS_FULL_SIZE || i % 40 === 0)

const KEPT = readSeeds()

describe('mistakes that are planted in the code', () => {
  let service: Simulator
  beforeAll(async () => {
    service = await openSimulator()
  })

  it.each(BUILT)('are detected by the simulation: $name', async (mutant) => {
    const { seed, property } = KEPT.find((one) => one.mutant === mutant.name) ?? { seed: 1 }
    const simulator = await openSimulator(mutant.changes)
    const caught = await catchMutant(simulator, mutant, { seed, histories: HISTORIES, property })
    if (caught === undefined) {
      expect.fail(
        `no history from ${seed} on breaks "${property}" ${mutant.clause ?? ''}: npm run proof -- simulate --mutants --histories 10000`,
      )
    }
    expect((await service.run(caught.seed, optionsOf(mutant))).violation).toBeUndefined()
  })

  it('each have one stored seed, and together violate every property', () => {
    expect(KEPT.map(({ mutant }) => mutant)).toEqual(MUTANTS.map(({ name }) => name))
    const broken = new Set(KEPT.map(({ property }) => property))
    expect(PROPERTIES.filter(({ name }) => !broken.has(name))).toEqual([])
  })

  it('are planted again by the command that repeats a history', () => {
    for (const { name } of MUTANTS) {
      expect(findMutant(name)?.name).toBe(name)
      expect(commandOf(7, { mutant: name })).toBe(
        `npm run proof -- simulate --seed 7 --histories 1 --mutant "${name}"`,
      )
    }
    expect(commandOf(7)).toBe('npm run proof -- simulate --seed 7 --histories 1')
    expect(commandOf(7, { form: 'shared' })).toBe(
      'npm run proof -- simulate --seed 7 --histories 1 --form shared',
    )
  })

  it.each(MUTANTS)('still fit the current source code: $name', ({ changes }) => {
    expect(changedSources(changes).size).toBeGreaterThan(0)
  })

  it('are rejected if the text that they replace is not in the source', async () => {
    const change = { path: 'src/session/store/store.ts', replaced: 'a text that is not there', by: '' }
    await expect(buildService(() => expect.fail('nothing runs'), [change])).rejects.toThrow(
      'src/session/store/store.ts must contain this text once',
    )
  })
})
