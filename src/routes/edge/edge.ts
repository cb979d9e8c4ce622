// Middleware of every route: request ids, HEAD without effect, 404 and 405 as problems, and the handler of
// every thrown error.

import type { ErrorHandler, Hono, MiddlewareHandler, NotFoundHandler } from 'hono'
import { encodeBase64url } from '../../codec/base64url.ts'
import { randomBytes } from '../../crypto/random.ts'
import { logLine } from '../../metrics/log-line.ts'
import { UNREADABLE } from '../../session/document/document.ts'
import type { AppContext, AppEnv } from './context.ts'
import { problem } from './problems.ts'

/**
 * Gives each request an id, and every response `X-Request-Id` and the rules for browsers. Mount it first. An
 * id from the caller is ignored: it would let callers write into our logs.
 */
export const requestId: MiddlewareHandler<AppEnv> = async (c, next) => {
  const id = `req_${encodeBase64url(randomBytes(16))}`
  c.set('requestId', id)
  await next()
  // The response of an object to an upgrade is immutable and gets wrapped. Wrapping every response would copy
  // its body.
  if (c.res.webSocket) c.header('X-Request-Id', id)
  else {
    c.res.headers.set('X-Request-Id', id)
    c.res.headers.set('X-Content-Type-Options', 'nosniff')
    // If a browser shows a response that is no page, the response runs and loads nothing.
    if (!c.res.headers.has('Content-Security-Policy'))
      c.res.headers.set(
        'Content-Security-Policy',
        "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      )
    // RFC 6797. The environment is read as it is: `/healthz` works without a valid configuration.
    if (`${c.env.BASE_URL}`.startsWith('https:'))
      c.res.headers.set('Strict-Transport-Security', 'max-age=31536000')
  }
}

/**
 * Keeps HEAD from running GET handlers (Hono routes it to them), except below `safePrefixes`. Reading a
 * request or a QR has effects here, and HEAD must have none (RFC 9110 §9.2.1). Elsewhere HEAD is 405.
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

/** Sends 405 with `Allow` if the path has other methods, else 404. */
export function noSuchRoute(app: Hono<AppEnv>): NotFoundHandler<AppEnv> {
  return (c) => refuseMethod(app, c)
}

/** Handles every thrown error: 503 if an object was unreachable (safe to try again), else 500. */
export const onError: ErrorHandler<AppEnv> = (error, c) =>
  logError(error, c) === 'unreachable' ? problem(c, 'temporarily_unavailable') : problem(c, 'internal_error')

/** Logs a thrown error, and separates an unreachable object from an error of our own code. */
export function logError(error: unknown, c: AppContext): 'unreachable' | 'internal' {
  const unreachable = isUnreachableObject(error)
  const { name, message, stack = '' } = error instanceof Error ? error : new Error()
  // Name and frames only: a message may quote what was sent, even lines that look like frames.
  const frames = stack
    .replace(message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
  logLine('error', 'fault', { request_id: c.get('requestId'), error: name, unreachable, frames })
  return unreachable ? 'unreachable' : 'internal'
}

/**
 * True for an object that the platform could not reach, has reset, or reports as overloaded. The platform
 * marks these errors with properties; a failure inside the platform has only its message. A document of a
 * newer version of this service counts, too: this version must not touch it, and the newer version soon
 * responds.
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

/**
 * Returns the methods that have a handler for this path. Middleware is registered for `ALL` and does not
 * count.
 */
function methodsOf(app: Hono<AppEnv>, path: string): readonly string[] {
  return METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method),
  )
}
