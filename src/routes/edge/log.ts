// Each request is counted, and has one line of JSON in the log but for polls and probes: enough to time it, and to find it by the id its caller
// was given or by its trace. The route stands there as it was mounted: addresses hold ids, tokens and capabilities, and none of them belongs in a log.

import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { record } from '../../metrics/record.ts'
import type { AppEnv } from '../context.ts'
import { traceOf } from './trace.ts'

/** Counts the request, and writes the line once the request is answered. Mount it right after `requestId`. */
export const logRequests: MiddlewareHandler<AppEnv> = async (c, next) => {
  const begun = Date.now()
  await next()
  const { status } = c.res
  const route = routeOf(c)
  const { method } = c.req // one of those the platform knows: it refuses others before us
  const ms = Date.now() - begun
  const isRepeated = status === 200 && REPEATED.has(route)
  const labels = { audience: audienceOf(c, route), method, route, status: String(status) }
  record('requests', labels, { ms, local: isRepeated })
  if (isRepeated) return
  const { trace_id } = traceOf(c)
  console.log(
    JSON.stringify({ event: 'request', request_id: c.get('requestId'), trace_id, method, route, status, ms }),
  )
}

/** Whom the route is for. A poll that waits takes as long as it was told to, so its time is told apart. */
function audienceOf(c: Context<AppEnv>, route: string): string {
  if (c.req.query('wait') !== undefined) return 'waiting'
  if (/^\/r\/|\/callback$/.test(route)) return 'wallet'
  if (/^\/(v1\/admin|metrics)/.test(route)) return 'operator'
  return /^\/(v1|oauth)\//.test(route) ? 'api' : 'public'
}

/** Asked again and again: a probe or a poll that is answered says nothing, and its line would cost a tenth of the answer. */
const REPEATED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/v1/verify/:id'])

/** The pattern that the address matched; one that ends in `*`, the longest, only where no other did. */
function routeOf(c: Context<AppEnv>): string {
  const paths = matchedRoutes(c).map(({ path }) => path)
  return paths.findLast((path) => !path.endsWith('*')) ?? paths.sort((a, b) => b.length - a.length)[0] ?? '/*'
}
