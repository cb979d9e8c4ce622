// Admission of requests while the process has little capacity (self-hosted). A request waits for capacity
// before its first step, and is refused with 503 and `Retry-After` after five seconds.

import type { MiddlewareHandler } from 'hono'
import { mayBegin, type WorkKind } from '../../metrics/capacity.ts'
import type { AppEnv } from './context.ts'
import { isForWallet } from './drain.ts'
import { problem } from './problems.ts'

/** Longest time that a request waits for capacity. */
const LONGEST_WAIT_MS = 5_000
/** Interval at which a waiting request looks for capacity: that of the launcher's reports. */
const LOOK_MS = 250

/** Paths of monitors, which must learn that the process is running. */
const MONITORED: readonly string[] = ['/healthz', '/readyz', '/metrics']

/** Paths of requests that begin a session. */
const BEGINS_SESSION = /^\/v1\/verify$|^\/oidc\/[^/]+\/(?:authorize|par)$/

/** Lets a request in if there is capacity. Routes of wallets do that themselves, with their own refusal. */
export const admission: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { path } = c.req
  const kind = BEGINS_SESSION.test(path) ? 'new' : 'begun'
  if (MONITORED.includes(path) || isForWallet(path) || (await isAdmitted(kind))) return next()
  return problem(c, 'temporarily_unavailable', { retryAfter: LONGEST_WAIT_MS / 1_000 })
}

/** Waits until there is capacity. Resolves to false if there was none for five seconds. */
export async function isAdmitted(kind: WorkKind): Promise<boolean> {
  const until = Date.now() + LONGEST_WAIT_MS
  while (!mayBegin(kind, Date.now())) {
    if (Date.now() >= until) return false
    await scheduler.wait(LOOK_MS)
  }
  return true
}
