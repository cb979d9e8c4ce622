// Network access during the evaluation of a response: a guarded fetch, and a cache for several isolates.

import { type Config, loadConfig, outboundRule } from '../../config.ts'
import type { Env } from '../../env.ts'
import { record } from '../../metrics/record.ts'
import {
  createFetchResource,
  type FetchLimit,
  type FetchResource,
  fetchUntil,
} from '../../net/guarded-fetch.ts'
import { mediaType } from '../../net/recorded-fetch.ts'
import type { SharedCache } from '../../net/shared-cache.ts'
import { SANDBOX_ORIGIN } from '../../trust/anchors/sandbox-anchor.ts'
import { createSharedCache } from './shared-cache.ts'

export type Network = { readonly fetchResource: FetchResource; readonly sharedCache: SharedCache }

/**
 * Returns the network access for a configuration and a mode. The same configuration and mode always get the
 * same network access, because each fetch function has its own caches.
 */
export function openNetwork(env: Env, livemode: boolean): Network {
  const config = loadConfig(env)
  const network = networks.get(config) ?? {
    live: makeNetwork(config, 'live', undefined),
    test: makeNetwork(config, 'test', env.SANDBOX),
  }
  networks.set(config, network)
  return livemode ? network.live : network.test
}

/**
 * Returns the network for one evaluation, with one deadline (Unix milliseconds) for all its look-ups
 * together. At the deadline a look-up fails as if its server were down. `keep` receives a copy of each
 * resource that the evaluation uses.
 */
export function untilDeadline(
  { fetchResource, sharedCache }: Network,
  deadline: number,
  keep?: FetchLimit['keep'],
): Network {
  return { fetchResource: fetchUntil(fetchResource, deadline, keep), sharedCache }
}

const networks = new WeakMap<Config, Readonly<Record<'live' | 'test', Network>>>()

/** Time limit of one fetch of a resource that a trust anchor or a verified credential names. */
const FETCH_TIMEOUT_MS = 5_000

/**
 * Makes the network of one mode. Each mode has its own cache, because only test mode may reach loopback and
 * the sandbox.
 */
function makeNetwork(config: Config, mode: 'live' | 'test', sandbox: Fetcher | undefined): Network {
  return {
    fetchResource: counted(
      createFetchResource({
        fetch: (input, init) => fetch(input, init),
        ...outboundRule(config, mode === 'live'),
        timeoutMs: FETCH_TIMEOUT_MS,
        ...(sandbox && { bound: { origin: SANDBOX_ORIGIN, fetch: (url, init) => sandbox.fetch(url, init) } }),
      }),
    ),
    sharedCache: createSharedCache(`${config.baseUrl}/fetched/${mode}`),
  }
}

/** Records each fetch with its first requested media type. Each kind of resource has its own media type. */
function counted(fetchResource: FetchResource): FetchResource {
  return async (request) => {
    const begun = Date.now()
    const resource = await fetchResource(request)
    const labels = { media_type: mediaType(request.accept), result: resource.ok ? 'ok' : resource.error }
    record('fetches', labels, { ms: Date.now() - begun })
    return resource
  }
}
