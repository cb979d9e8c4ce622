// Planted mistakes. Each is caught from the seed that caught it first, and the present service holds every
// property with that seed.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildService } from './build.ts'
import { MUTANTS } from './mutants/index.ts'
import { PROPERTIES } from './properties/index.ts'
import { openSimulator, type Simulator } from './simulator.ts'

/**
 * Histories from the kept seed on. A change of the service can move the history that catches a mutant.
 * `npm run simulate -- --mutants --histories 10000` writes the seeds anew.
 */
const HISTORIES = 800

type CaughtMutant = { readonly mutant: string; readonly seed: number; readonly property: string }

const KEPT = JSON.parse(
  readFileSync(join(import.meta.dirname, 'mutants', 'seeds.json'), 'utf8'),
) as readonly CaughtMutant[]

describe('planted mistakes', () => {
  let service: Simulator
  beforeAll(async () => {
    service = await openSimulator()
  })

  it.each(MUTANTS)(
    'are caught: $name',
    async ({ name, changes, focus }) => {
      const first = KEPT.find(({ mutant }) => mutant === name)?.seed ?? 1
      const simulator = await openSimulator(changes)
      let caught: number | undefined
      for (let seed = first; caught === undefined && seed < first + HISTORIES; seed++) {
        if ((await simulator.run(seed, focus)).violation !== undefined) caught = seed
      }
      if (caught === undefined) {
        expect.fail(`no history from ${first} on catches it: npm run simulate -- --mutants --histories 10000`)
      }
      expect((await service.run(caught, focus)).violation).toBeUndefined()
    },
    120_000,
  )

  it('have a kept seed each, and break each property', () => {
    expect(KEPT.map(({ mutant }) => mutant)).toEqual(MUTANTS.map(({ name }) => name))
    const broken = new Set(KEPT.map(({ property }) => property))
    expect(PROPERTIES.filter(({ name }) => !broken.has(name))).toEqual([])
  })

  it('must fit their sources', async () => {
    const change = { path: 'src/session/store.ts', replaced: 'a text that is not there', by: '' }
    await expect(buildService(() => expect.fail('nothing runs'), [change])).rejects.toThrow(
      'src/session/store.ts must contain this text once',
    )
  })
})
