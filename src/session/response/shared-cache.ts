// The platform's cache (Cache API) as the core wants it: what one isolate fetched spares the others of the same place a fetch.
// It is only ever an advantage: where there is none, or it fails, it is an empty one.

import { encodeHex, utf8 } from '../../codec/bytes.ts'
import { sha256 } from '../../crypto/digest.ts'
import { cancelBody, readAtMost } from '../../net/bounded-read.ts'
import type { SharedCache } from '../../net/shared-cache.ts'

/** When a copy was fetched, in Unix seconds. */
const FETCHED_AT = 'X-Fetched-At'

/** `place` is a URL of ours below which nothing is served: the cache wants its names to be URLs. */
export function createSharedCache(place: string): SharedCache {
  return {
    get: async (name, limit) => {
      const cached = await orNothing(async () => caches.default.match(await addressOf(place, name)))
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
      const address = await addressOf(place, name)
      await orNothing(() => caches.default.put(address, new Response(body, { headers })))
    },
  }
}

/** Only the digest: what the name says (a credential's list) is nothing to be stored. */
async function addressOf(place: string, name: string): Promise<string> {
  return `${place}/${encodeHex(await sha256(utf8(name)))}`
}

/** `workerd serve` has no cache and throws; the network is asked then. */
async function orNothing<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}
