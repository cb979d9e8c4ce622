// Answers the fetches of an evaluation with the copies that an earlier evaluation recorded. Each evaluation
// needs a new fetch function, because `createFetchCache` makes a cache for each fetch function. If two
// evaluations used one fetch function, the second could get cached results that are not in its own record.

import type { FetchedCopy, FetchResource } from '../../net/guarded-fetch.ts'
import { mediaType } from '../../net/recorded-fetch.ts'
import { err, ok } from '../../result.ts'

/**
 * Returns `fetchResource`, a fetch function that answers from a record only. A URL without a recorded copy
 * gives `unavailable`. The returned function `asked` lists these URLs.
 */
export function replayFetches(record: readonly FetchedCopy[]) {
  const asked = new Set<string>()
  const fetchResource: FetchResource = async ({ url, accept, limit }) => {
    const found = record.filter((copy) => copy.url === url)
    const copy = found.find(({ media_type }) => media_type === mediaType(accept)) ?? found[0]
    if (copy === undefined) {
      asked.add(url)
      return err('unavailable')
    }
    const { body, media_type } = copy
    return body.length > limit ? err('too_large') : ok({ body, contentType: media_type })
  }
  return { fetchResource, asked: (): readonly string[] => [...asked] }
}
