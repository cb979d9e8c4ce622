// Counts and logs requests: one line of JSON for each request except successful polls and probes. The line
// has the request id, the trace and the duration. It has the pattern of the route and not the address,
// because addresses contain ids, tokens and capabilities.

import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { logLine } from '../../metrics/log-line.ts'
import { record } from '../../metrics/record.ts'
import type { AppEnv } from './context.ts'
import { readTrace } from './trace.ts'

/**
 * Counts the request, and logs it after the response. This middleware must be mounted right after
 * `requestId`.
 */
export const logRequests: MiddlewareHandler<AppEnv> = async (c, next) => {
  const begun = Date.now()
  await next()
  const { status } = c.res
  const route = routeOf(c)
  const { method } = c.req // the platform has already rejected unknown methods
  const ms = Date.now() - begun
  const isRepeated = status === 200 && REPEATED.has(route)
  const labels = { audience: audienceOf(c, route), method, route, status: String(status) }
  record('requests', labels, { ms, local: isRepeated })
  if (isRepeated) return
  const { trace_id } = readTrace(c)
  logLine('info', 'request', { request_id: c.get('requestId'), trace_id, method, route, status, ms })
}

/**
 * Returns the audience of a route. A long poll has its own audience, because it lasts as long as the caller
 * asked for.
 */
function audienceOf(c: Context<AppEnv>, route: string): string {
  if (c.req.query('wait') !== undefined) return 'waiting'
  if (/^\/r\/|\/callback$/.test(route)) return 'wallet'
  if (/^\/(v1\/admin|metrics)/.test(route)) return 'operator'
  return /^\/(v1|oauth)\//.test(route) ? 'api' : 'public'
}

/**
 * Routes of polls and probes. Their successful requests are not logged, because writing the line takes a
 * tenth of the time of the response.
 */
const REPEATED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/v1/verify/:id'])

/**
 * Returns the last matched pattern that does not end in `*`. If there is none, returns the longest matched
 * pattern.
 */
export function routeOf(c: Context<AppEnv>): string {
  const paths = matchedRoutes(c).map(({ path }) => path)
  return paths.findLast((path) => !path.endsWith('*')) ?? paths.sort((a, b) => b.length - a.length)[0] ?? '/*'
}
