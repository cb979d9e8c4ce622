// Records the fetched resources: the bytes of each resource, its address and the time of the fetch.

import type { FetchedCopy, FetchResource } from './guarded-fetch.ts'

/**
 * Returns two functions. `fetchResource` fetches with `fetchIt`, and records a copy of each fetched resource.
 * `fetched` returns the recorded copies. If a resource was fetched several times, only its last copy is
 * recorded. `now` is the time of all fetches in Unix seconds.
 */
export function recordFetches(fetchIt: FetchResource, now: number) {
  const copies = createCopies()
  const fetchResource: FetchResource = async (request) => {
    const response = await fetchIt(request)
    const { url, accept } = request
    if (response.ok)
      copies.add({ url, media_type: mediaType(accept), body: response.value.body, fetched_at: now })
    return response
  }
  return { fetchResource, fetched: copies.all }
}

/** Collects copies. Only the last copy of each resource is kept. */
export function createCopies() {
  const copies = new Map<string, FetchedCopy>()
  return {
    add: (...added: readonly FetchedCopy[]): void => {
      for (const copy of added) copies.set(`${copy.media_type} ${copy.url}`, copy)
    },
    all: (): readonly FetchedCopy[] => [...copies.values()],
  }
}

/** Returns the first media type of an `Accept`. */
export function mediaType(accept: string): string {
  return accept.split(/[,;]/, 1)[0] ?? ''
}
