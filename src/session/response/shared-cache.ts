// The platform's cache (Cache API) for fetched resources. Isolates at the same location share this cache. A
// missing or failing cache is treated as empty.

import { encodeHex, utf8 } from '../../codec/bytes.ts'
import { sha256 } from '../../crypto/digest.ts'
import { cancelBody, readAtMost } from '../../net/bounded-read.ts'
import type { SharedCache } from '../../net/shared-cache.ts'

/** Header with the time of the fetch, in Unix seconds. */
const FETCHED_AT = 'X-Fetched-At'

/**
 * Opens the cache. Cache keys must be URLs. `place`: prefix of these URLs. Our service has no route below
 * this prefix.
 */
export function createSharedCache(place: string): SharedCache {
  return {
    get: async (name, limit) => {
      const cached = await orNothing(async () => caches.default.match(await buildAddress(place, name)))
      const fetchedAt = Number(cached?.headers.get(FETCHED_AT) ?? Number.NaN)
      if (cached === undefined || !Number.isFinite(fetchedAt)) {
        cancelBody(cached?.body ?? null)
        return undefined
      }
      const body = await orNothing(() => readAtMost(cached, limit))
      return body && { body, fetchedAt }
    },
    put: async (name, { body, fetchedAt }, seconds) => {
      const headers = { [FETCHED_AT]: String(fetchedAt), 'Cache-Control': `max-age=${seconds}` }
      const address = await buildAddress(place, name)
      await orNothing(() => caches.default.put(address, new Response(body, { headers })))
    },
  }
}

/**
 * Returns the cache key. The key has a digest of the name, because the name may reveal which credential's
 * list was fetched.
 */
async function buildAddress(place: string, name: string): Promise<string> {
  return `${place}/${encodeHex(await sha256(utf8(name)))}`
}

/**
 * Returns the result of `work`; `undefined` if `work` throws. `workerd serve` may have no cache. Then the
 * network is used.
 */
async function orNothing<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}
