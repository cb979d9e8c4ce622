// Public resources: the liveness probe, the public keys, and the pages behind a problem's `type`.

import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import type { Health, KeySet } from '../../../openapi/responses/public.ts'
import { configOf } from '../../config.ts'
import { REASONS, type ReasonCode } from '../../session/response/reasons.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { PROBLEMS, type ProblemCode, type ProblemKind, problem } from '../edge/problems.ts'
import { readiness } from './readiness.ts'

/** Prefixes of paths where HEAD may run GET handlers: these have no effect. */
export const SAFE_PREFIXES = [
  '/openapi.json',
  '/docs',
  '/healthz',
  '/readyz',
  '/.well-known/',
  '/rp/',
  '/problems/',
  '/assets/',
] as const

/** `/healthz`, `/readyz`, `/.well-known/jwks.json`, `/problems/{code}`. */
export function wellKnownRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/healthz', healthOf)
    .get('/readyz', readiness)
    .get('/.well-known/jwks.json', publicKeys)
    .get('/problems/:code', problemPage)
}

function healthOf(c: AppContext): Response {
  const body: Health = { status: 'ok', boot_id: c.env.BOOT_ID ?? null }
  return c.json(body, 200, { 'Cache-Control': 'no-store' })
}

/**
 * Sends the public halves of the keys that sign access tokens, claims and receipts, retired ones included
 * (RFC 7517).
 */
function publicKeys(c: AppContext): Response {
  const keys: KeySet['keys'] = configOf(c.env).accessTokenKeys.keys.map(({ kty, crv, x, y, kid }) => {
    return { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }
  })
  return c.json({ keys }, 200, { 'Cache-Control': 'public, max-age=300' })
}

/** Sends the page of a problem, or of a reason. No code is both. */
function problemPage(c: AppContext): Response | Promise<Response> {
  const code = c.req.param('code') ?? ''
  const words = wordsOf(code)
  if (words === undefined) return problem(c, 'not_found')
  const { title, kind, meaning, again } = words
  c.header('Content-Security-Policy', "default-src 'none'")
  c.header('Cache-Control', 'public, max-age=300')
  return c.html(html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${code}</title></head>
<body>
<h1>${title}</h1>
<p><code>${code}</code>, ${kind}</p>
<p>${meaning}</p>
<p>${again}</p>
</body>
</html>
`)
}

/** Returns the texts of a code's page. */
function wordsOf(code: string) {
  if (Object.hasOwn(PROBLEMS, code)) {
    const { status, title, retryable, meaning }: ProblemKind = PROBLEMS[code as ProblemCode]
    const again = retryable ? 'The same request may succeed later.' : 'The same request will fail again.'
    return { title, kind: `HTTP status ${status}`, meaning, again }
  }
  if (!Object.hasOwn(REASONS, code)) return undefined
  const { family, message, retryable } = REASONS[code as ReasonCode]
  const again = retryable ? 'Asking again may end differently.' : 'Asking again will end the same.'
  return { title: 'Why a verification did not succeed', kind: `a reason: ${family}`, meaning: message, again }
}
