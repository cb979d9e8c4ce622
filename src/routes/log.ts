// One line of JSON for each request but polls and probes: enough to count it, to time it, and to find it by the id its caller was given. The route
// stands there as it was mounted: addresses hold ids, tokens and capabilities, and none of them belongs in a log.

import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { AppEnv } from './context.ts'

/** Writes the line once the request is answered. Mount it right after `requestId`. */
export const logRequests: MiddlewareHandler<AppEnv> = async (c, next) => {
  const begun = Date.now()
  await next()
  const { status } = c.res
  const route = routeOf(c)
  if (status === 200 && REPEATED.has(route)) return
  const { method } = c.req // one of those the platform knows: it refuses others before us
  const ms = Date.now() - begun
  const entry = { event: 'request', request_id: c.get('requestId'), method, route, status, ms }
  console.log(JSON.stringify(entry))
}

/** Asked again and again: a probe or a poll that is answered says nothing, and its line would cost a tenth of the answer. */
const REPEATED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/v1/verify/:id'])

/** The pattern that the address matched; one that ends in `*`, the longest, only where no other did. */
function routeOf(c: Context<AppEnv>): string {
  const paths = matchedRoutes(c).map(({ path }) => path)
  return paths.findLast((path) => !path.endsWith('*')) ?? paths.sort((a, b) => b.length - a.length)[0] ?? '/*'
}
