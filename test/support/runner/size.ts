// Sizes of the tests that repeat one thing many times.

import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Set in the project `slow`. */
    fullSize: boolean
  }
}

/** True in the project `slow`, whose full-size.test.ts runs such tests a second time. */
export const IS_FULL_SIZE = inject('fullSize') === true

/** Returns the size that is given, and a tenth of it outside of the project `slow`. */
export function sizeOf(full: number): number {
  return IS_FULL_SIZE ? full : full / 10
}
