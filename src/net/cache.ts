// Cache in the memory of an isolate. The cache has a size limit. Callers that need the same value at the same
// time share one read.

import { FETCH_CACHE } from '../limits.ts'
import type { Result } from '../result.ts'
import type { FetchedCopy, FetchLimit, FetchResource } from './guarded-fetch.ts'
import { recordFetches } from './recorded-fetch.ts'
import type { FetchSource } from './shared-cache.ts'

/** Values by name. The least recently used value is dropped first. */
export type Cache<Value> = {
  /** Returns the stored value if it is fresh. Otherwise returns the result of `read`. */
  readonly get: (name: string, lookup: Lookup<Value>) => Promise<Value>
  /**
   * Drops the value of a name. The result of a read that has already started is not stored, because the
   * result may be outdated.
   */
  readonly forget: (name: string) => void
}

type Lookup<Value> = {
  /** Unix milliseconds. */
  readonly now: number
  readonly isFresh: (value: Value, ageMs: number) => boolean
  /**
   * Reads the value. `last` is the stored value that is no longer fresh; `undefined` if no value is stored.
   */
  readonly read: (last: Value | undefined) => Promise<Value>
}

export type CacheRules<Value> = {
  /** Limit of the number of stored values. */
  readonly names: number
  /**
   * Limit of the stored bytes, and the function that returns the number of bytes of a value. The newest value
   * is stored even if it alone exceeds the limit.
   */
  readonly bytes?: { readonly limit: number; readonly of: (value: Value) => number }
  /** Time in milliseconds that a caller waits for a read that another caller started. */
  readonly waitMs: number
  /**
   * Value for a caller that has waited `waitMs` for the read of another caller. If `late` is absent, the
   * waiting caller then starts its own read.
   */
  readonly late?: Value
  readonly mayStore?: (value: Value) => boolean
  /** Lets a read continue after the end of the request that started it. */
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
      // The absolute difference is used, because the clock may have been set back.
      if (entry !== undefined && isFresh(entry.value, Math.abs(now - entry.readAt))) {
        store(name, entry)
        return entry.value
      }
      const pending = reads.get(name)
      if (pending !== undefined && Math.abs(now - pending.startedAt) <= waitMs) {
        // The wait is limited: if the request that started the read was cancelled, the read never ends.
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
/**
 * A started read. `result` is `undefined` until the read ends. `result.value` is `undefined` if the read
 * failed.
 */
type PendingRead<Value> = {
  readonly startedAt: number
  result: { readonly value: Value | undefined } | undefined
}

/**
 * Waits for a read that another request started, and polls its result with timers. The promise of that read
 * is not awaited, because the platform could then run the code after `await` in the context of the other
 * request. Returns `undefined` if the read failed, and `late` after `waitMs`.
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

/**
 * Returns the cached result for a name if the result is younger than `maximumAge` seconds, else a new result.
 */
export type FetchCache<Fetch, Source extends FetchSource = FetchSource> = (
  name: string,
  source: Source,
  maximumAge: number,
) => Promise<Fetch>

type FetchCacheRules<Fetch, Source extends FetchSource = FetchSource> = {
  /**
   * Fetches the resource of a name. `last` is the cached result that is no longer fresh; `undefined` if none
   * is cached.
   */
  readonly read: (name: string, source: Source, last: Fetch | undefined) => Promise<Fetch>
  /**
   * Returns whether a successful result is still fresh. `maximumAge` applies as well. `now` is Unix seconds,
   * `age` is seconds.
   */
  readonly isFresh?: (found: Fetch, at: { readonly now: number; readonly age: number }) => boolean
  /** Returns the number of bytes of a result. Without this function only the number of results is limited. */
  readonly bytesOf?: (found: Fetch) => number
  /** Result for a caller whose deadline passes before the fetch ends. */
  readonly late: Fetch
}

/**
 * Makes a cache of fetched resources. Failures are cached for a short time, so that many wallet responses do
 * not cause many fetches. If the fetch function of a caller has `keep` (`FetchLimit`), `keep` receives the
 * copies from which the caller's result was made. The results for such callers are cached separately,
 * together with the copies, and never come from the shared cache.
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
  const kept = new WeakMap<object, readonly FetchedCopy[]>()
  const copiesOf = (found: Fetch) => (found.ok && kept.get(found.value as object)) || []
  const size = (found: Fetch) => copiesOf(found).reduce((sum, { body }) => sum + body.length, bytesOf(found))
  const rules = { names, bytes: { limit: bytes, of: size }, waitMs: pendingSeconds * 1000 }
  const readAndKeep: typeof read = async (name, source, last) => {
    const { fetchResource, fetched } = recordFetches(source.fetchResource, source.now)
    // The shared cache is not used, so that every copy is fetched and recorded here.
    const reading = await read(name, { ...source, fetchResource, sharedCache: undefined }, last)
    // If `read` returns the earlier value again, its copies are already stored.
    if (reading.ok && !kept.has(reading.value as object)) kept.set(reading.value as object, fetched())
    return reading
  }
  // Each fetch function has its own cache, because the functions allow different URLs (loopback). A caller
  // must not get a result from a URL that its own fetch function rejects.
  const caches = new WeakMap<FetchResource, Cache<Fetch>>()
  return async (name, source, maximumAge) => {
    const { now, fetchResource } = source
    const unlimited: FetchLimit = { base: fetchResource, inTime: (work) => work }
    const { base, inTime, keep } = fetchResource.limited ?? unlimited
    const cache = caches.get(base) ?? createCache<Fetch>(rules)
    caches.set(base, cache)
    const reading = cache.get(keep ? `${name} kept` : name, {
      now: now * 1000,
      isFresh: (reading, ageMs) => {
        const age = ageMs / 1000
        if (!reading.ok) return age < Math.min(maximumAge, failedSeconds)
        return age < maximumAge && isFresh(reading, { now, age })
      },
      // The caller's deadline does not end this read. Other callers may wait for the read, and later callers
      // find its result in the cache.
      read: (last) => (keep ? readAndKeep : read)(name, { ...source, fetchResource: base }, last),
    })
    const result = await inTime(reading, late)
    keep?.(...copiesOf(result))
    return result
  }
}
