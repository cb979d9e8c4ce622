// End of the process (self-hosted): the launcher asks the service to finish over a private socket. New
// requests get 503 then, and long polls are answered. The service is one isolate there, so its memory has the
// state.

import type { MiddlewareHandler } from 'hono'
import type { Env } from '../../env.ts'
import { setProcessMeasures } from '../../metrics/process-measures.ts'
import { inBackground } from '../../session/store/background.ts'
import { storeNotes } from '../../session/store/session-notes.ts'
import type { AppEnv } from './context.ts'
import { problem } from './problems.ts'

let openRequests = 0
let draining = false

/** Returns true once the process is about to end. */
export function isDraining(): boolean {
  return draining
}

/**
 * Counts open requests, and refuses new ones while the process ends. Routes of wallets refuse in their own
 * format.
 */
export const drainable: MiddlewareHandler<AppEnv> = async (c, next) => {
  const isForWallet = /^\/r\/|\/callback$/.test(c.req.path)
  if (draining && !isForWallet) return problem(c, 'temporarily_unavailable')
  openRequests += 1
  try {
    await next()
  } finally {
    openRequests -= 1
  }
}

/**
 * The launcher's entry. `POST /drain` begins the end, and returns how many requests are still open.
 * `POST /measures` stores measures of the process for `/metrics`.
 */
export const control = {
  fetch: async (request, env) => {
    const { pathname } = new URL(request.url)
    if (request.method !== 'POST') return new Response(null, { status: 404 })
    if (pathname === '/measures') {
      setProcessMeasures(await request.json())
      return new Response(null, { status: 204 })
    }
    if (pathname !== '/drain') return new Response(null, { status: 404 })
    draining = true
    if (openRequests === 0) await inBackground(() => storeNotes(env))
    return Response.json({ open_requests: openRequests })
  },
} satisfies ExportedHandler<Env>
