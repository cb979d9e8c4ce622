// What was fetched for a name, remembered for a while and within bounds: one reading for all who need it at the same time,
// and a failure is remembered for a moment only, long enough that junk posts do not become a flood of fetches.

import { FETCH_MEMORY } from '../limits.ts'
import type { Result } from '../result.ts'
import type { FetchResource } from './fetch-resource.ts'
import type { SharedCache } from './shared-cache.ts'

/** What reading needs of the world: Unix seconds, a guarded fetch, and perhaps what others have fetched. */
export type FetchSource = {
  readonly now: number
  readonly fetchResource: FetchResource
  readonly sharedCache?: SharedCache | undefined
}

/** Reads through the memory: what is less than `maximumAge` seconds old, or else what `read` finds. */
export type FetchMemory<Found, Source extends FetchSource = FetchSource> = (
  name: string,
  source: Source,
  maximumAge: number,
) => Promise<Found>

/** How one kind of thing is read and remembered. */
export type MemoryRules<Found, Source extends FetchSource = FetchSource> = {
  /** Reads what stands under a name; `last` is what was found there before, fresh no more. Never rejects. */
  readonly read: (name: string, source: Source, last: Found | undefined) => Promise<Found>
  /** Whether what was found so many seconds ago is still good, beside `maximumAge`. */
  readonly isGood?: (found: Found, at: { readonly now: number; readonly age: number }) => boolean
  /** Bytes it takes; without this only the names are counted. */
  readonly bytesOf?: (found: Found) => number
}

/** Makes a memory. */
export function createFetchMemory<
  Found extends Result<unknown, unknown>,
  Source extends FetchSource = FetchSource,
>(rules: MemoryRules<Found, Source>): FetchMemory<Found, Source> {
  /** Per fetcher: what one may not reach (loopback, say) must not be had from another's memory. */
  const memories = new WeakMap<FetchResource, Memory<Found>>()
  return async (name, source, maximumAge) => {
    const { now, fetchResource } = source
    const memory = memories.get(fetchResource) ?? { kept: new Map(), underWay: new Map() }
    memories.set(fetchResource, memory)
    const kept = memory.kept.get(name)
    if (kept !== undefined && isFresh(kept, { now, maximumAge }, rules)) return kept.found
    const underWay = memory.underWay.get(name)
    if (underWay !== undefined && ageOf(underWay.begunAt, now) <= FETCH_MEMORY.underWaySeconds) {
      const shared = await inTime(underWay.found)
      if (shared !== undefined) return shared
    }
    const begun = { begunAt: now, found: rules.read(name, source, kept?.found) }
    memory.underWay.set(name, begun)
    try {
      const found = await begun.found
      keep(memory.kept, name, { readAt: now, bytes: rules.bytesOf?.(found) ?? 0, found })
      return found
    } finally {
      if (memory.underWay.get(name) === begun) memory.underWay.delete(name)
    }
  }
}

type Kept<Found> = { readonly readAt: number; readonly bytes: number; readonly found: Found }
type UnderWay<Found> = { readonly begunAt: number; readonly found: Promise<Found> }
type Memory<Found> = {
  readonly kept: Map<string, Kept<Found>>
  readonly underWay: Map<string, UnderWay<Found>>
}

function isFresh<Found extends Result<unknown, unknown>>(
  { readAt, found }: Kept<Found>,
  { now, maximumAge }: { readonly now: number; readonly maximumAge: number },
  { isGood = () => true }: Pick<MemoryRules<Found>, 'isGood'>,
): boolean {
  const age = ageOf(readAt, now)
  if (!found.ok) return age < Math.min(maximumAge, FETCH_MEMORY.failedSeconds)
  return age < maximumAge && isGood(found, { now, age })
}

/** Clocks may step back: what was read "later" than now is as old as it is far away. */
function ageOf(moment: number, now: number): number {
  return Math.abs(now - moment)
}

/** Another's reading, where it ends in time: whoever began it may be gone, and his promise with him. */
async function inTime<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), FETCH_MEMORY.underWaySeconds * 1000)
  })
  try {
    return await Promise.race([reading, patience])
  } finally {
    clearTimeout(timer)
  }
}

/** Forgets the oldest until there is room. */
function keep<Found>(kept: Map<string, Kept<Found>>, name: string, entry: Kept<Found>): void {
  kept.delete(name)
  let bytes = entry.bytes
  for (const other of kept.values()) bytes += other.bytes
  for (const [oldest, other] of kept) {
    if (kept.size < FETCH_MEMORY.names && bytes <= FETCH_MEMORY.bytes) break
    kept.delete(oldest)
    bytes -= other.bytes
  }
  kept.set(name, entry)
}
