// What holds on every route: a request id, HEAD without effect, 404 and 405 as problems, and the one place where a throw ends.

import type { ErrorHandler, Hono, MiddlewareHandler, NotFoundHandler } from 'hono'
import { encodeBase64url } from '../../codec/base64url.ts'
import { randomBytes } from '../../crypto/random.ts'
import { UNREADABLE } from '../../session/document.ts'
import type { AppContext, AppEnv } from '../context.ts'
import { problem } from './problems.ts'

/** Gives each request an id, and every response `X-Request-Id`. Mount it first. An id sent along is not trusted with our logs. */
export const requestId: MiddlewareHandler<AppEnv> = async (c, next) => {
  const id = `req_${encodeBase64url(randomBytes(16))}`
  c.set('requestId', id)
  await next()
  // What an object answered to an upgrade cannot be changed and is wrapped; doing that to all would cost each body a copy.
  if (c.res.webSocket) c.header('X-Request-Id', id)
  else c.res.headers.set('X-Request-Id', id)
}

/**
 * Keeps HEAD from running GET handlers (Hono routes it to them), except below `safePrefixes`: reading a request or a QR
 * has effects here, and HEAD must have none (RFC 9110 §9.2.1). Elsewhere HEAD is 405.
 */
export function headWithoutEffect(
  app: Hono<AppEnv>,
  safePrefixes: readonly string[],
): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (c.req.method !== 'HEAD' || safePrefixes.some((prefix) => c.req.path.startsWith(prefix))) {
      return next()
    }
    return refuseMethod(app, c)
  }
}

/** Answers what no route answered: 405 with `Allow` where the path has other methods, else 404. */
export function noSuchRoute(app: Hono<AppEnv>): NotFoundHandler<AppEnv> {
  return (c) => refuseMethod(app, c)
}

/** The end of every throw: 503 where an object could not be reached (safe to try again), else 500. */
export const onFault: ErrorHandler<AppEnv> = (error, c) =>
  recordFault(error, c) === 'unreachable'
    ? problem(c, 'temporarily_unavailable')
    : problem(c, 'internal_error')

/** Logs what was thrown, and tells an object that could not be reached from a fault of our own. */
export function recordFault(error: unknown, c: AppContext): 'unreachable' | 'internal' {
  const unreachable = isUnreachableObject(error)
  const { name, message, stack = '' } = error instanceof Error ? error : new Error()
  // Name and frames only: a message may quote what was sent, even lines that look like frames.
  const frames = stack
    .replace(message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
  const entry = { event: 'fault', request_id: c.get('requestId'), error: name, unreachable, frames }
  console.error(JSON.stringify(entry))
  return unreachable ? 'unreachable' : 'internal'
}

/**
 * Tells a Durable Object that the platform could not reach, reset or overloaded from a fault in our own code. The
 * platform marks the first kinds with properties; a failure inside the platform itself has only its message. So has a
 * document that a newer version of this service wrote: this one must not touch it, and the newer one soon answers.
 */
export function isUnreachableObject(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const marks = error as { retryable?: unknown; overloaded?: unknown; durableObjectReset?: unknown }
  if (marks.retryable === true || marks.overloaded === true || marks.durableObjectReset === true) return true
  return error.message.startsWith('internal error; reference = ') || error.message.startsWith(UNREADABLE)
}

function refuseMethod(app: Hono<AppEnv>, c: AppContext): Response {
  const allowed = methodsOf(app, c.req.path)
  if (allowed.length === 0) return problem(c, 'not_found')
  return problem(c, 'method_not_allowed', { headers: { Allow: allowed.join(', ') } })
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The methods that have a handler for this path. Middleware is registered for `ALL` and does not count. */
function methodsOf(app: Hono<AppEnv>, path: string): readonly string[] {
  return METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method),
  )
}
