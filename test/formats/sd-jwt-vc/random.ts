// A seeded generator (Marsaglia's xorshift, 32 bits): the same seed gives the same cases on every machine.

export type Random = {
  /** An integer from 0 to `bound` - 1. */
  readonly below: (bound: number) => number
  readonly pick: <T>(values: readonly T[]) => T
}

export function seededRandom(seed: number): Random {
  let state = seed | 0 || 1
  const below = (bound: number) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % bound
  }
  return { below, pick: (values) => values[below(values.length)] as (typeof values)[number] }
}
