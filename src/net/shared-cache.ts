// Cache that several isolates share, if the platform has such a cache. A copy from the cache is not trusted:
// the copy is decoded and verified as if it came from the network. The age of a copy is counted from its
// fetch, not from the time at which it is read from the cache.

import { err, type Result } from '../result.ts'
import type { FetchError, FetchResource, ResourceRequest } from './guarded-fetch.ts'

/**
 * A cache that may drop anything at any time. Neither function rejects: a cache that fails acts as an empty
 * cache.
 */
export type SharedCache = {
  readonly get: (name: string, limit: number) => Promise<SharedCopy | undefined>
  /** Stores a copy for at most `seconds`. */
  readonly put: (name: string, copy: SharedCopy, seconds: number) => Promise<void>
}

/** The fetched bytes, and the time of the fetch in Unix seconds. */
export type SharedCopy = { readonly body: Uint8Array<ArrayBuffer>; readonly fetchedAt: number }

/**
 * Dependencies of a fetch: the time in Unix seconds, the guarded fetch, and the shared cache of the isolates.
 */
export type FetchSource = {
  readonly now: number
  /** Tolerated difference between clocks in seconds, for the checks of fetched resources. */
  readonly clockSkew?: number | undefined
  readonly fetchResource: FetchResource
  readonly sharedCache?: SharedCache | undefined
}

/** Rules for reading one resource through the cache. */
type CopyRules<T, E> = {
  readonly name: string
  readonly request: ResourceRequest
  /**
   * Fetch time of the caller's own copy; `undefined` if the caller has no copy. A shared copy is used only if
   * the shared copy is newer.
   */
  readonly known: number | undefined
  /**
   * Decodes a copy. `share` stores a fetched copy in the shared cache for at most `seconds`. For a copy from
   * the shared cache, `share` does nothing.
   */
  readonly open: (copy: SharedCopy, share: (seconds: number) => void) => Promise<Result<T, E>> | Result<T, E>
  /** Returns whether a shared copy is still fresh. */
  readonly isFresh: (opened: T) => boolean
}

/**
 * Returns the shared copy if that copy is newer than `known` and fresh. Otherwise the resource is fetched.
 */
export async function readCopy<T, E>(
  { now, fetchResource, sharedCache }: FetchSource,
  { name, request, known = Number.NEGATIVE_INFINITY, open, isFresh }: CopyRules<T, E>,
): Promise<Result<T, E | UnfetchedError>> {
  const copy = await sharedCache?.get(name, request.limit)
  if (copy !== undefined && copy.fetchedAt > known) {
    const opened = await open(copy, () => undefined)
    if (opened.ok && isFresh(opened.value)) return opened
  }
  const response = await fetchResource(request)
  if (!response.ok) return err(UNFETCHED[response.error])
  const fetched = { body: response.value.body, fetchedAt: now }
  return open(fetched, (time) => {
    const seconds = Math.floor(time)
    if (seconds > 0) void sharedCache?.put(name, fetched, seconds)
  })
}

/** Reasons why no copy could be fetched. */
export type UnfetchedError = 'address_forbidden' | 'not_fetched' | 'too_large'

const UNFETCHED: Readonly<Record<FetchError, UnfetchedError>> = {
  forbidden: 'address_forbidden',
  unavailable: 'not_fetched',
  too_large: 'too_large',
}
