// Where we run, as the request tells it.

/**
 * Whether Cloudflare's edge passed the request on: it names the location that did. `workerd` by itself sets `cf` as well, with no more in it
 * than the address it was called from.
 */
export function cameByCloudflare({ cf }: Request): boolean {
  return typeof cf?.colo === 'string'
}
