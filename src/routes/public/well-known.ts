// Public resources for programs: the probes and the public keys.

import { Hono } from 'hono/tiny'
import type { Health, KeySet } from '../../api/responses/public.ts'
import { loadConfig } from '../../config.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { readiness } from './readiness.ts'

/** Path prefixes below which HEAD may run GET handlers, because these handlers change nothing. */
export const SAFE_PREFIXES = [
  '/openapi.json',
  '/docs',
  '/inspect',
  '/healthz',
  '/readyz',
  '/.well-known/',
  '/rp/',
  '/problems',
  '/assets/',
] as const

/** Builds the routes of `/healthz`, `/readyz` and `/.well-known/jwks.json`. */
export function wellKnownRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/healthz', healthOf)
    .get('/readyz', readiness)
    .get('/.well-known/jwks.json', publicKeys)
}

function healthOf(c: AppContext): Response {
  const body: Health = { status: 'ok', boot_id: c.env.BOOT_ID ?? null }
  return c.json(body, 200, { 'Cache-Control': 'no-store' })
}

/**
 * Sends the public parts of the keys that sign access tokens, claims and receipts, including retired keys
 * (RFC 7517).
 */
function publicKeys(c: AppContext): Response {
  const keys: KeySet['keys'] = loadConfig(c.env).accessTokenKeys.keys.map(({ kty, crv, x, y, kid }) => {
    return { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }
  })
  return c.json({ keys }, 200, { 'Cache-Control': 'public, max-age=300' })
}
