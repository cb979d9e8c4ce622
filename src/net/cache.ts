// Cache in the memory of an isolate. It is bounded, and one read serves all callers that need the same value
// at the same time.

import { FETCH_CACHE } from '../limits.ts'
import type { Result } from '../result.ts'
import type { FetchResource } from './guarded-fetch.ts'
import type { FetchSource } from './shared-cache.ts'

/** Values by name. The least recently used value is dropped first. */
export type Cache<Value> = {
  /** Returns the stored value while it is fresh, else the result of `read`. */
  readonly get: (name: string, lookup: Lookup<Value>) => Promise<Value>
  /** Drops a value. A read that is under way is not stored: it may be older than the change. */
  readonly forget: (name: string) => void
}

type Lookup<Value> = {
  /** Unix milliseconds. */
  readonly now: number
  readonly isFresh: (value: Value, ageMs: number) => boolean
  /** Reads the value. `last` is the stored value that is no longer fresh. */
  readonly read: (last: Value | undefined) => Promise<Value>
}

export type CacheRules<Value> = {
  /** Values stored at most. */
  readonly names: number
  /** Most stored bytes, and the function that returns the bytes of a value. */
  readonly bytes?: { readonly limit: number; readonly of: (value: Value) => number }
  /** Milliseconds a caller waits for a read that another caller started. */
  readonly waitMs: number
  /** Value returned after `waitMs`. Without this value the caller starts another read. */
  readonly late?: Value
  readonly mayStore?: (value: Value) => boolean
  /** Keeps a read running when the request that started it has ended. */
  readonly inBackground?: (work: Promise<unknown>) => void
}

/** Makes a cache. */
export function createCache<Value>(rules: CacheRules<Value>): Cache<Value> {
  const { names, waitMs, mayStore = () => true } = rules
  const { limit, of: bytesOf } = rules.bytes ?? { limit: 0, of: () => 0 }
  const entries = new Map<string, Entry<Value>>()
  const reads = new Map<string, PendingRead<Value>>()

  const store = (name: string, entry: Entry<Value>) => {
    entries.delete(name)
    entries.set(name, entry) // a Map keeps the order of insertion
    let bytes = 0
    if (limit > 0) for (const other of entries.values()) bytes += other.bytes
    for (const [oldest, other] of entries) {
      if ((entries.size <= names && bytes <= limit) || entries.size === 1) return
      entries.delete(oldest)
      bytes -= other.bytes
    }
  }
  const finish = (name: string, read: PendingRead<Value>, value?: Value) => {
    read.result = { value }
    if (reads.get(name) !== read) return
    reads.delete(name)
    if (value !== undefined && mayStore(value))
      store(name, { readAt: read.startedAt, bytes: bytesOf(value), value })
  }
  return {
    get: async (name, { now, isFresh, read }) => {
      const entry = entries.get(name)
      // If the clock stepped back, the age is the absolute difference.
      if (entry !== undefined && isFresh(entry.value, Math.abs(now - entry.readAt))) {
        store(name, entry)
        return entry.value
      }
      const pending = reads.get(name)
      if (pending !== undefined && Math.abs(now - pending.startedAt) <= waitMs) {
        // If the request that started the read was cancelled, the read never ends.
        const value = await awaitResult(pending, waitMs, rules.late)
        if (value !== undefined) return value
      }
      const started: PendingRead<Value> = { startedAt: now, result: undefined }
      reads.set(name, started)
      const reading = read(entry?.value)
      const finished = reading.then(
        (value) => finish(name, started, value),
        () => finish(name, started),
      )
      rules.inBackground?.(finished)
      await finished
      return reading
    },
    forget: (name) => {
      entries.delete(name)
      reads.delete(name)
    },
  }
}

type Entry<Value> = { readonly readAt: number; readonly bytes: number; readonly value: Value }
/** `result` has no value if the read failed. */
type PendingRead<Value> = {
  readonly startedAt: number
  result: { readonly value: Value | undefined } | undefined
}

/**
 * Waits for a read of another request, with timers of its own: after a promise of another request the
 * platform may go on in the context of that request. Returns `undefined` for a failed read, and `late` after
 * `waitMs`.
 */
async function awaitResult<Value>(
  read: PendingRead<Value>,
  waitMs: number,
  late: Value | undefined,
): Promise<Value | undefined> {
  let waited = 0
  for (let pause = FIRST_PAUSE_MS; waited < waitMs; pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
    if (read.result !== undefined) return read.result.value
    const rest = Math.min(pause, waitMs - waited)
    await new Promise((resolve) => setTimeout(resolve, rest))
    waited += rest
  }
  return read.result === undefined ? late : read.result.value
}

const [FIRST_PAUSE_MS, LAST_PAUSE_MS] = [2, 64]

/** Returns the cached result for a name while it is younger than `maximumAge` seconds, else a new result. */
export type FetchCache<Fetch, Source extends FetchSource = FetchSource> = (
  name: string,
  source: Source,
  maximumAge: number,
) => Promise<Fetch>

type FetchCacheRules<Fetch, Source extends FetchSource = FetchSource> = {
  /** Fetches the resource of a name. `last` is the cached result that is no longer fresh. */
  readonly read: (name: string, source: Source, last: Fetch | undefined) => Promise<Fetch>
  /** Freshness rule of a success, in addition to `maximumAge`. `age` is in seconds. */
  readonly isFresh?: (found: Fetch, at: { readonly now: number; readonly age: number }) => boolean
  /** Bytes of a result. Without it only the names are counted. */
  readonly bytesOf?: (found: Fetch) => number
  /** The result at the deadline of a caller. */
  readonly late: Fetch
}

/**
 * Makes a cache of fetched resources. Failures are cached briefly, so that many posts do not cause many
 * fetches.
 */
export function createFetchCache<
  Fetch extends Result<unknown, unknown>,
  Source extends FetchSource = FetchSource,
>({
  read,
  isFresh = () => true,
  bytesOf = () => 0,
  late,
}: FetchCacheRules<Fetch, Source>): FetchCache<Fetch, Source> {
  const { names, bytes, failedSeconds, pendingSeconds } = FETCH_CACHE
  const rules = { names, bytes: { limit: bytes, of: bytesOf }, waitMs: pendingSeconds * 1000 }
  // One cache for each fetch function: its results must not reach a caller that may not fetch them
  // (loopback).
  const caches = new WeakMap<FetchResource, Cache<Fetch>>()
  return (name, source, maximumAge) => {
    const { now, fetchResource } = source
    const { base, inTime } = fetchResource.limited ?? { base: fetchResource, inTime: (work) => work }
    const cache = caches.get(base) ?? createCache<Fetch>(rules)
    caches.set(base, cache)
    const found = cache.get(name, {
      now: now * 1000,
      isFresh: (found, ageMs) => {
        const age = ageMs / 1000
        if (!found.ok) return age < Math.min(maximumAge, failedSeconds)
        return age < maximumAge && isFresh(found, { now, age })
      },
      // The caller's deadline does not end this read. Other callers may wait for it, and later callers find
      // its result in the cache.
      read: (last) => read(name, { ...source, fetchResource: base }, last),
    })
    return inTime(found, late)
  }
}
