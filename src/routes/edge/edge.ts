// Middleware of every route: request ids, HEAD without effect, 404 and 405 as problems, and the handler of
// every thrown error.

import type { ErrorHandler, Hono, MiddlewareHandler, NotFoundHandler } from 'hono'
import { encodeBase64url } from '../../codec/base64url.ts'
import { randomBytes } from '../../crypto/random.ts'
import { logLine } from '../../metrics/log-line.ts'
import { isInternal, isTemporary, loggedError } from '../../metrics/platform-error.ts'
import { UNREADABLE } from '../../session/document/document.ts'
import type { AppContext, AppEnv } from './context.ts'
import { problem } from './problems.ts'

/**
 * Gives each request an id. Sets `X-Request-Id` and the security headers for browsers on responses. This
 * middleware must be mounted first. An id from the caller is ignored, because such an id would let callers
 * write into our logs.
 */
export const requestId: MiddlewareHandler<AppEnv> = async (c, next) => {
  const id = `req_${encodeBase64url(randomBytes(16))}`
  c.set('requestId', id)
  await next()
  // A Durable Object's response to a WebSocket upgrade is immutable, so `c.header` puts it into a new
  // response. Other responses are changed directly, because a new response would copy their body.
  if (c.res.webSocket) c.header('X-Request-Id', id)
  else {
    c.res.headers.set('X-Request-Id', id)
    c.res.headers.set('X-Content-Type-Options', 'nosniff')
    // If a browser shows a response that is not a page, this policy allows no script and no loading.
    if (!c.res.headers.has('Content-Security-Policy'))
      c.res.headers.set(
        'Content-Security-Policy',
        "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      )
    // RFC 6797. `BASE_URL` is read without `loadConfig`, because `/healthz` works without a valid
    // configuration.
    if (`${c.env.BASE_URL}`.startsWith('https:'))
      c.res.headers.set('Strict-Transport-Security', 'max-age=31536000')
  }
}

/**
 * Refuses HEAD, except below `safePrefixes`. Sends 405 if the path has other methods, else 404. Hono runs the
 * GET handler for HEAD. A GET of an authorization request or a QR code has effects, and HEAD must have none
 * (RFC 9110 §9.2.1).
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

/** Handles every thrown error: 503 if a Durable Object was unreachable (safe to try again), else 500. */
export const onError: ErrorHandler<AppEnv> = (error, c) =>
  logError(error, c) === 'unreachable' ? problem(c, 'temporarily_unavailable') : problem(c, 'internal_error')

/**
 * Logs a thrown error. Returns `unreachable` if a Durable Object could not be reached, and `internal` for any
 * other error.
 */
export function logError(error: unknown, c: AppContext): 'unreachable' | 'internal' {
  const unreachable = isUnreachableObject(error)
  const { message, stack = '' } = error instanceof Error ? error : new Error()
  // The message of the error may quote input, even lines that look like stack frames.
  const frames = stack
    .replace(message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
  logLine('error', 'fault', {
    request_id: c.get('requestId'),
    ...loggedError(error),
    unreachable,
    frames,
  })
  return unreachable ? 'unreachable' : 'internal'
}

/**
 * Returns true if the platform could not reach a Durable Object, or had an internal error. Also returns true
 * if a newer version of this service stored the document of the object. This version must not change such a
 * document. The caller can try again, because the newer version will soon respond.
 */
export function isUnreachableObject(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return isTemporary(error) || isInternal(error) || error.message.startsWith(UNREADABLE)
}

function refuseMethod(app: Hono<AppEnv>, c: AppContext): Response {
  const allowed = listMethods(app, c.req.path)
  if (allowed.length === 0) return problem(c, 'not_found')
  return problem(c, 'method_not_allowed', { headers: { Allow: allowed.join(', ') } })
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * Returns the methods that have a handler for this path. Middleware is registered for `ALL`, and is left out.
 */
function listMethods(app: Hono<AppEnv>, path: string): readonly string[] {
  return METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method),
  )
}
