// What other isolates have fetched, where the platform has a cache for that. Nothing in it is believed for being there: a
// copy is decoded and verified as if it had just come from the network, and the time it was fetched at only shortens its life.

import type { Result } from '../result.ts'

/** A cache that may forget anything at any time. Neither function rejects: a cache that fails is an empty one. */
export type SharedCache = {
  readonly get: (name: string, limit: number) => Promise<SharedCopy | undefined>
  /** Keeps a copy for so many seconds at most. */
  readonly put: (name: string, copy: SharedCopy, seconds: number) => Promise<void>
}

/** Bytes as they were fetched, and when: Unix seconds. */
export type SharedCopy = { readonly body: Uint8Array<ArrayBuffer>; readonly fetchedAt: number }

/** How one kind of thing is read through a cache. */
export type CopyRules<T, E> = {
  readonly name: string
  /** Bytes at most. */
  readonly limit: number
  /** When the last copy at hand was fetched, which is no news; `undefined`: there is none. */
  readonly known: number | undefined
  readonly fetch: () => Promise<Result<Uint8Array<ArrayBuffer>, E>>
  /** Decodes a copy. `share` gives it to other isolates for so many seconds; of a copy that came from one it does nothing. */
  readonly open: (copy: SharedCopy, share: (seconds: number) => void) => Promise<Result<T, E>>
  /** Whether what another isolate fetched is still of use. */
  readonly isFresh: (opened: T) => boolean
}

/** What another isolate fetched, if that is news to us and still good; else what the network has. `now` is Unix seconds. */
export async function readCopy<T, E>(
  { now, sharedCache }: { readonly now: number; readonly sharedCache?: SharedCache | undefined },
  { name, limit, known = Number.NEGATIVE_INFINITY, fetch, open, isFresh }: CopyRules<T, E>,
): Promise<Result<T, E>> {
  const copy = await sharedCache?.get(name, limit)
  if (copy !== undefined && copy.fetchedAt > known) {
    const found = await open(copy, () => undefined)
    if (found.ok && isFresh(found.value)) return found
  }
  const body = await fetch()
  if (!body.ok) return body
  const fetched = { body: body.value, fetchedAt: now }
  return open(fetched, (time) => {
    const seconds = Math.floor(time)
    if (seconds > 0) void sharedCache?.put(name, fetched, seconds)
  })
}
