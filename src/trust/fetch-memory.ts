// What was fetched for a name, remembered for a while: one reading for all who need it at the same time, and a failure is
// remembered for a moment only, long enough that junk posts do not become a flood of fetches.

import type { Result } from '../result.ts'
import type { FetchResource } from './fetch-resource.ts'

/** What reading needs of the world: Unix seconds, and a guarded fetch. */
export type FetchSource = { readonly now: number; readonly fetchResource: FetchResource }

/** Reads through the memory: what is at most `maximumAge` seconds old, or else what `read` finds. */
export type FetchMemory<Found extends Result<unknown, unknown>> = (
  name: string,
  source: FetchSource,
  maximumAge: number,
) => Promise<Found>

const FAILED_SECONDS = 3
/** A reading that has not ended by then is not waited for by newcomers: whoever began it may be gone. */
const UNDER_WAY_SECONDS = 10
const KEPT_NAMES = 64

type Kept<Found> = { readonly readAt: number; readonly found: Found }
type UnderWay<Found> = { readonly begunAt: number; readonly found: Promise<Found> }
type Memory<Found> = {
  readonly kept: Map<string, Kept<Found>>
  readonly underWay: Map<string, UnderWay<Found>>
}

/** Makes a memory of what `read` finds. */
export function createFetchMemory<Found extends Result<unknown, unknown>>(
  read: (name: string, fetchResource: FetchResource) => Promise<Found>,
): FetchMemory<Found> {
  /** Per fetcher: what one may not reach (loopback, say) must not be had from another's memory. */
  const memories = new WeakMap<FetchResource, Memory<Found>>()
  return async (name, { now, fetchResource }, maximumAge) => {
    const memory = memories.get(fetchResource) ?? { kept: new Map(), underWay: new Map() }
    memories.set(fetchResource, memory)
    const kept = memory.kept.get(name)
    if (kept !== undefined && Math.abs(now - kept.readAt) <= lifetimeOf(kept, maximumAge)) return kept.found
    const underWay = memory.underWay.get(name)
    if (underWay !== undefined && Math.abs(now - underWay.begunAt) <= UNDER_WAY_SECONDS) return underWay.found
    const begun = { begunAt: now, found: read(name, fetchResource) }
    memory.underWay.set(name, begun)
    try {
      const found = await begun.found
      keep(memory.kept, name, { readAt: now, found })
      return found
    } finally {
      if (memory.underWay.get(name) === begun) memory.underWay.delete(name)
    }
  }
}

function lifetimeOf({ found }: Kept<Result<unknown, unknown>>, maximumAge: number): number {
  return found.ok ? maximumAge : Math.min(maximumAge, FAILED_SECONDS)
}

function keep<Found>(kept: Map<string, Kept<Found>>, name: string, entry: Kept<Found>): void {
  kept.delete(name)
  const [oldest] = kept.keys()
  if (kept.size >= KEPT_NAMES && oldest !== undefined) kept.delete(oldest)
  kept.set(name, entry)
}
