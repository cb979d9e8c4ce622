// Counts and logs requests: one line of JSON for each request except successful polls, probes, and
// authorization requests that open the page of a login. The line has the request id, the trace, the duration,
// and the id of the API key that was used. The line has the pattern of the route and not the address, because
// addresses contain ids, tokens and other secrets.

import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { encodeHex } from '../../codec/bytes.ts'
import { parseTraceparent, type Trace } from '../../codec/traceparent.ts'
import { randomBytes } from '../../crypto/random.ts'
import { logLine } from '../../metrics/log-line.ts'
import { record } from '../../metrics/record.ts'
import type { AppContext, AppEnv } from './context.ts'

/**
 * Counts the request, and logs it after the response. This middleware must be mounted right after
 * `requestId`.
 */
export const logRequests: MiddlewareHandler<AppEnv> = async (c, next) => {
  const begun = Date.now()
  await next()
  const { status } = c.res
  const route = findRoute(c)
  const { method } = c.req // the platform has already rejected unknown methods
  const ms = Date.now() - begun
  const isRepeated = status === 200 && REPEATED.has(route)
  const labels = { audience: chooseAudience(c, route), method, route, status: String(status) }
  record('requests', labels, { ms, local: isRepeated })
  if (isRepeated || opensLogin(c, route, status) || !isLogged(c, status)) return
  const { trace_id } = readTrace(c)
  const request = { request_id: c.get('requestId'), trace_id, method, route, status, ms }
  logLine('info', 'request', { ...request, ...describeCaller(c) })
}

/**
 * Returns false for a request without an error if `LOG_REQUESTS` is `problems`. The variable is read without
 * `loadConfig`, because `/healthz` works without a valid configuration.
 */
function isLogged(c: Context<AppEnv>, status: number): boolean {
  return c.env.LOG_REQUESTS !== 'problems' || status >= 400 || c.get('sendsError') === true
}

/**
 * Returns true for an authorization request that opens the page of a login. Anybody may send such a request,
 * and it creates no session, so it is not logged. The request that creates the session has a line.
 */
function opensLogin(c: Context<AppEnv>, route: string, status: number): boolean {
  return route === '/oidc/:rp/authorize' && status === 303 && c.get('sendsError') !== true
}

/** Returns the members of the line that name an authenticated relying party and its API key. */
function describeCaller(c: Context<AppEnv>): Readonly<Record<string, string>> {
  const { actor, relyingPartyId } = c.get('caller') ?? {}
  return {
    ...(relyingPartyId !== undefined && { relying_party_id: relyingPartyId }),
    ...(actor?.kind === 'api_key' && { key_id: actor.key_id }),
  }
}

/**
 * Returns the audience of a route. The metrics have the durations of requests for each audience. A long poll
 * lasts as long as the caller wants. So long polls have their own audience, and the durations of the other
 * API calls do not include them.
 */
function chooseAudience(c: Context<AppEnv>, route: string): string {
  if (/^\/r\/|\/callback$/.test(route)) return 'wallet'
  if (/^\/(v1\/admin|metrics)/.test(route)) return 'operator'
  if (!/^\/(v1|oauth)\//.test(route)) return 'public'
  return c.req.query('wait') === undefined ? 'api' : 'waiting'
}

/**
 * Routes of polls and probes. Their successful requests are not logged, because writing the line takes a
 * tenth of the time of the response.
 */
const REPEATED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/v1/verify/:id'])

/**
 * Returns the pattern of the request's route: the last matched pattern that does not end in `*`. If there is
 * none, returns the longest matched pattern.
 */
export function findRoute(c: Context<AppEnv>): string {
  const paths = matchedRoutes(c).map(({ path }) => path)
  return paths.findLast((path) => !path.endsWith('*')) ?? paths.sort((a, b) => b.length - a.length)[0] ?? '/*'
}

/**
 * Returns the request's trace (W3C Trace Context): the caller's trace, or else a new trace. The log and the
 * webhooks of a session contain the trace. The trace is computed at the first call, because most polls never
 * need a trace.
 */
export function readTrace(c: AppContext): Trace {
  const trace = c.get('trace') ?? parseTraceparent(c.req.header('traceparent') ?? '') ?? newTrace()
  c.set('trace', trace)
  return trace
}

/** Returns a new trace. This service records no traces, so `sampled` is false (W3C Trace Context §4.2). */
function newTrace(): Trace {
  return { trace_id: encodeHex(randomBytes(16)), sampled: false }
}
