// Sizes of the tests that repeat one thing many times.

import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Set in the project `slow`. */
    fullSize: boolean
  }
}

/** True in the project `slow`, whose folder full-size runs such tests a second time. */
export const IS_FULL_SIZE = inject('fullSize') === true

/** True in `npm run proof -- sizes`, for sizes that take many minutes. */
export const IS_HUGE_SIZE = process.env.SIZES === 'full'

/** Returns the size that is given, and a tenth of it outside of the project `slow`. */
export function sizeOf(full: number): number {
  return IS_FULL_SIZE ? full : full / 10
}

/** Returns a hundredth of the size that is given; all of it in `npm run proof -- sizes`. */
export function hugeSizeOf(full: number): number {
  return IS_HUGE_SIZE ? full : full / 100
}

/** Returns all entries, and every eleventh entry outside of the project `slow`. */
export function someOf<T>(entries: readonly T[]): readonly T[] {
  return IS_FULL_SIZE || IS_HUGE_SIZE ? entries : entries.filter((_, i) => i % 11 === 0)
}

/** Returns `someOf` the places of a text or of bytes. */
export function placesIn({ length }: { readonly length: number }): readonly number[] {
  return someOf(Array.from({ length }, (_, i) => i))
}
