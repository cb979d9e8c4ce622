// Platform that a request came through.

/**
 * True where Cloudflare's edge passed the request on: it names its location. `workerd` alone sets `cf` too,
 * but only with the caller's address.
 */
export function cameByCloudflare({ cf }: Request): boolean {
  return typeof cf?.colo === 'string'
}
