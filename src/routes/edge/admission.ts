// Decides if a request may run now, by the state of the process (self-hosted). Before the launcher
// (scripts/start.mjs) ends the process, it tells the service over a private socket. From then on, new
// requests get 503, and waiting long polls get their response. While the process has little capacity, a
// request waits before it is handled. After five seconds it gets 503 with `Retry-After`. A self-hosted
// service is one isolate, so variables of this module hold the state of the process.

import type { MiddlewareHandler } from 'hono'
import type { Env } from '../../env.ts'
import { mayBegin, reportCapacity, type WorkKind } from '../../metrics/capacity.ts'
import { setProcessMeasures } from '../../metrics/process-measures.ts'
import { inBackground } from '../../session/store/background.ts'
import { storeNotes } from '../../session/store/session-notes.ts'
import type { AppEnv } from './context.ts'
import { problem } from './problems.ts'

let openRequests = 0
let draining = false

/** Returns true if the process is about to end. */
export function isDraining(): boolean {
  return draining
}

/** Returns true for a route of wallets, which sends its refusals in its own format. */
export function isForWallet(path: string): boolean {
  return /^\/r\/|^\/v1\/verify\/[^/]+\/callback$/.test(path)
}

/**
 * Counts open requests, and refuses new requests while the process ends. Routes of wallets send this refusal
 * themselves, in their own format.
 */
export const drainable: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (draining && !isForWallet(c.req.path)) return problem(c, 'temporarily_unavailable')
  openRequests += 1
  try {
    await next()
  } finally {
    openRequests -= 1
  }
}

/** Longest time that a request waits for capacity. */
const LONGEST_WAIT_MS = 5_000
/** Interval at which a waiting request looks for capacity. The launcher reports it at most as often. */
const LOOK_MS = 250

/** Paths that monitors call to learn if the process is running. These calls never wait for capacity. */
const MONITORED: readonly string[] = ['/healthz', '/readyz', '/metrics']

/** Paths of requests that begin a verification or a login. */
const BEGINS_SESSION = /^\/v1\/verify$|^\/oidc\/[^/]+\/(?:authorize|par)$/

/** Lets a request in if there is capacity. Routes of wallets have their own check and their own refusal. */
export const admission: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { path } = c.req
  const kind = BEGINS_SESSION.test(path) ? 'new' : 'begun'
  if (MONITORED.includes(path) || isForWallet(path) || (await isAdmitted(kind))) return next()
  return problem(c, 'temporarily_unavailable', { retryAfter: LONGEST_WAIT_MS / 1_000 })
}

/** Waits until there is capacity. Resolves to false if there was no capacity for five seconds. */
export async function isAdmitted(kind: WorkKind): Promise<boolean> {
  const until = Date.now() + LONGEST_WAIT_MS
  while (!mayBegin(kind, Date.now())) {
    if (Date.now() >= until) return false
    await scheduler.wait(LOOK_MS)
  }
  return true
}

/**
 * Handler for the calls of the launcher (scripts/start.mjs). After `POST /drain`, the service refuses new
 * requests. The response is the number of requests that are still open. `POST /measures` stores measures of
 * the process for `/metrics`. `POST /capacity` stores the number of the process's open file descriptors, and
 * measures the delay of a timer.
 */
export const control = {
  fetch: async (request, env) => {
    const { pathname } = new URL(request.url)
    if (request.method !== 'POST') return new Response(null, { status: 404 })
    if (pathname === '/measures') {
      setProcessMeasures(await request.json())
      return new Response(null, { status: 204 })
    }
    if (pathname === '/capacity') {
      const { open, limit } = (await request.json()) as { readonly open?: number; readonly limit?: number }
      const before = Date.now()
      await scheduler.wait(0)
      const now = Date.now()
      const count = open === undefined || limit === undefined ? null : { open, limit }
      reportCapacity(count, now - before, now)
      return new Response(null, { status: 204 })
    }
    if (pathname !== '/drain') return new Response(null, { status: 404 })
    draining = true
    if (openRequests === 0) await inBackground(() => storeNotes(env))
    return Response.json({ open_requests: openRequests })
  },
} satisfies ExportedHandler<Env>
