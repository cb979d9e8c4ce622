// The operator's tokens (api/access), and the log of what the operator changes.

import type { MiddlewareHandler } from 'hono'
import { utf8 } from '../../codec/bytes.ts'
import { type Config, loadConfig } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { timingSafeEqual } from '../../crypto/timing-safe.ts'
import { logLine } from '../../metrics/log-line.ts'
import { CLIENT_TOKEN_PREFIX } from '../../session/request/client-token.ts'
import { presentedToken } from '../edge/authenticate.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { findRoute } from '../edge/log.ts'
import { problem } from '../edge/problems.ts'

/** Accepts `ADMIN_TOKEN`, and nothing else. */
export const operatorOnly = accepting(({ adminToken }) => [adminToken])

/** Accepts `METRICS_TOKEN` and `ADMIN_TOKEN`. `METRICS_TOKEN` is accepted nowhere else. */
export const metricsReaders = accepting(({ metricsToken, adminToken }) => [metricsToken, adminToken])

/**
 * Returns middleware that accepts any of these tokens. If no token is configured, the middleware sends 404.
 */
function accepting(tokensOf: (config: Config) => readonly (string | null)[]): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const tokens = tokensOf(loadConfig(c.env)).filter((token) => token !== null)
    if (tokens.length === 0) return problem(c, 'not_found')
    const token = presentedToken(c)
    if (!token.ok) return problem(c, token.error)
    const presented = await sha256(utf8(token.value))
    // All digests have the same length, so the time of the comparison does not reveal the token's length.
    const expected = await Promise.all(tokens.map((token) => sha256(utf8(token))))
    if (expected.some((digest) => timingSafeEqual(presented, digest))) {
      c.set('caller', { actor: { kind: 'operator', name: operatorName(c.req.header('Operator')) } })
      return next()
    }
    // api/access: a client token gets 403 on every route that does not accept client tokens.
    return problem(c, token.value.startsWith(CLIENT_TOKEN_PREFIX) ? 'insufficient_scope' : 'invalid_token')
  }
}

/**
 * Logs each change by the operator: the action, its target, and who made it. The log shows the name in the
 * header `Operator`. The caller chooses this name, so only the use of `ADMIN_TOKEN` is proven.
 */
export const logOperatorChanges: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  if (c.req.method === 'GET' || c.res.status >= 400) return
  const { rp, key, list } = c.req.param() as Readonly<Record<string, string | undefined>>
  const target = rp ?? list ?? (await createdName(c))
  logLine('info', 'operator_change', {
    request_id: c.get('requestId'),
    action: `${c.req.method} ${findRoute(c)}`,
    target,
    ...(key !== undefined && { key_id: key }),
    status: c.res.status,
    actor: operatorName(c.req.header('Operator')),
    token: 'ADMIN_TOKEN',
  })
}

/** Returns the id or name of what was created. */
async function createdName(c: AppContext): Promise<string | null> {
  const body = (await c.res.clone().json()) as { relying_party_id?: string; name?: string }
  return body.relying_party_id ?? body.name ?? null
}

function operatorName(header: string | undefined): string | null {
  return header !== undefined && /^[\w.@+-]{1,64}$/.test(header) ? header : null
}
