// What other isolates have fetched, where the platform has a cache for that. Nothing in it is believed for being there: a
// copy is decoded and verified as if it had just come from the network, and the time it was fetched at only shortens its life.

import { err, type Result } from '../result.ts'
import type { FetchError, FetchResource, ResourceRequest } from './guarded-fetch.ts'

/** A cache that may forget anything at any time. Neither function rejects: a cache that fails is an empty one. */
export type SharedCache = {
  readonly get: (name: string, limit: number) => Promise<SharedCopy | undefined>
  /** Keeps a copy for so many seconds at most. */
  readonly put: (name: string, copy: SharedCopy, seconds: number) => Promise<void>
}

/** Bytes as they were fetched, and when: Unix seconds. */
export type SharedCopy = { readonly body: Uint8Array<ArrayBuffer>; readonly fetchedAt: number }

/** Dependencies of a fetch: Unix seconds, a guarded fetch, and the cache that isolates share. */
export type FetchSource = {
  readonly now: number
  readonly fetchResource: FetchResource
  readonly sharedCache?: SharedCache | undefined
}

/** How one kind of thing is read through a cache. */
export type CopyRules<T, E> = {
  readonly name: string
  readonly request: ResourceRequest
  /** When the last copy at hand was fetched, which is no news; `undefined`: there is none. */
  readonly known: number | undefined
  /** Decodes a copy. `share` gives it to other isolates for so many seconds; of a copy that came from one it does nothing. */
  readonly open: (copy: SharedCopy, share: (seconds: number) => void) => Promise<Result<T, E>> | Result<T, E>
  /** Whether what another isolate fetched is still of use. */
  readonly isFresh: (opened: T) => boolean
}

/** What another isolate fetched, if that is news to us and still good; else what the network has. `now` is Unix seconds. */
export async function readCopy<T, E>(
  { now, fetchResource, sharedCache }: FetchSource,
  { name, request, known = Number.NEGATIVE_INFINITY, open, isFresh }: CopyRules<T, E>,
): Promise<Result<T, E | UnfetchedError>> {
  const copy = await sharedCache?.get(name, request.limit)
  if (copy !== undefined && copy.fetchedAt > known) {
    const found = await open(copy, () => undefined)
    if (found.ok && isFresh(found.value)) return found
  }
  const response = await fetchResource(request)
  if (!response.ok) return err(UNFETCHED[response.error])
  const fetched = { body: response.value.body, fetchedAt: now }
  return open(fetched, (time) => {
    const seconds = Math.floor(time)
    if (seconds > 0) void sharedCache?.put(name, fetched, seconds)
  })
}

/** Why there is no copy. */
export type UnfetchedError = 'address_forbidden' | 'not_fetched' | 'too_large'

const UNFETCHED: Readonly<Record<FetchError, UnfetchedError>> = {
  forbidden: 'address_forbidden',
  unavailable: 'not_fetched',
  too_large: 'too_large',
}
