// End of the process (self-hosted): the launcher asks the service to finish over a private socket. New
// requests get 503 then, and long polls are answered. The service is one isolate there, so its memory has the
// state.

import type { MiddlewareHandler } from 'hono'
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

/** The launcher's entry. `POST /drain` begins the end, and returns how many requests are still open. */
export const control = {
  fetch: (request) => {
    if (request.method !== 'POST' || new URL(request.url).pathname !== '/drain') {
      return new Response(null, { status: 404 })
    }
    draining = true
    return Response.json({ open_requests: openRequests })
  },
} satisfies ExportedHandler
