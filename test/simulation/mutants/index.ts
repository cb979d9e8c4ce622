// Planted mistakes, as edits of the sources. Each must break a property. A mistake whose text is no longer in
// its source fails the build, and must be adapted.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Change } from '../build.ts'
import type { Form } from '../form.ts'
import type { Focus } from '../history.ts'
import type { RunOptions, Simulator } from '../simulator.ts'
import { DELIVERY_MUTANTS } from './delivery.ts'
import { EVIDENCE_MUTANTS } from './evidence.ts'
import { LIST_MUTANTS } from './lists.ts'
import { LOGIN_MUTANTS } from './logins.ts'
import { REQUEST_MUTANTS } from './requests.ts'
import { ROW_MUTANTS } from './rows.ts'
import { SHARED_MUTANTS } from './shared.ts'
import { STORAGE_MUTANTS } from './storage.ts'
import { TIME_MUTANTS } from './times.ts'

export type Mutant = {
  readonly name: string
  readonly changes: readonly Change[]
  /** Faults that a rare history needs. Without them one in thousands catches the mistake. */
  readonly focus?: Focus
  /** The form of sessions that it is planted in, if not `own`. */
  readonly form?: Form
  /** True if every session has evidence. In the histories of other mutants no session has evidence. */
  readonly hasEvidence?: boolean
  /** Text of the violation, where another clause of the property must not be the one that catches it. */
  readonly clause?: RegExp
}

export const MUTANTS: readonly Mutant[] = [
  ...STORAGE_MUTANTS,
  ...DELIVERY_MUTANTS,
  ...REQUEST_MUTANTS,
  ...LOGIN_MUTANTS,
  ...LIST_MUTANTS,
  ...TIME_MUTANTS,
  ...ROW_MUTANTS,
  ...SHARED_MUTANTS,
  ...EVIDENCE_MUTANTS,
]

/** Returns the mutant with this name, or the first whose name contains it. */
export function findMutant(name: string): Mutant | undefined {
  return MUTANTS.find((one) => one.name === name) ?? MUTANTS.find((one) => one.name.includes(name))
}

/** Returns the options of the histories of a mutant. */
export function optionsOf({ focus, form = 'own', hasEvidence = false }: Mutant): RunOptions {
  return { focus, form, hasEvidence }
}

/** The first history that catches a mutant. */
export type CaughtMutant = { readonly mutant: string; readonly seed: number; readonly property: string }

export const SEEDS = join(import.meta.dirname, 'seeds.json')

/** Reads the history that caught each mutant first. */
export function readSeeds(): readonly CaughtMutant[] {
  return JSON.parse(readFileSync(SEEDS, 'utf8')) as readonly CaughtMutant[]
}

/**
 * Returns the first history from `seed` on that catches the mutant by this property, or by any without one.
 */
export async function catchMutant(
  simulator: Simulator,
  mutant: Mutant,
  {
    seed,
    histories,
    property,
  }: { readonly seed: number; readonly histories: number; readonly property: string | undefined },
): Promise<CaughtMutant | undefined> {
  const { name, clause } = mutant
  for (let one = seed; one < seed + histories; one++) {
    const { violation } = await simulator.run(one, optionsOf(mutant))
    if (violation === undefined || (clause && !clause.test(violation.text))) continue
    if (violation.property === (property ?? violation.property)) {
      return { mutant: name, seed: one, property: violation.property }
    }
  }
  return undefined
}
