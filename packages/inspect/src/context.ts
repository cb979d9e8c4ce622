// Facts that every reader of an input gets.

import type { GivenKey } from './keys.ts'

/** `now`: Unix seconds at which dates are compared. `keys`: keys that the caller gave. */
export type Context = { readonly now: number; readonly keys: readonly GivenKey[] }
