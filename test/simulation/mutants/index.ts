// Planted mistakes, as edits of the sources. Each must break a property. A mistake whose text is no longer in
// its source fails the build, and must be adapted.

import type { Change } from '../build.ts'
import type { Focus } from '../history.ts'
import { DELIVERY_MUTANTS } from './delivery.ts'
import { LIST_MUTANTS } from './lists.ts'
import { LOGIN_MUTANTS } from './logins.ts'
import { REQUEST_MUTANTS } from './requests.ts'
import { STORAGE_MUTANTS } from './storage.ts'

export type Mutant = {
  readonly name: string
  readonly changes: readonly Change[]
  /** Faults that a rare history needs. Without them one in thousands catches the mistake. */
  readonly focus?: Focus
}

export const MUTANTS: readonly Mutant[] = [
  ...STORAGE_MUTANTS,
  ...DELIVERY_MUTANTS,
  ...REQUEST_MUTANTS,
  ...LOGIN_MUTANTS,
  ...LIST_MUTANTS,
]
