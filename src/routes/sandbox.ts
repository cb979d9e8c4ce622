// The sandbox's pages (CONTRACT 1), at this service's address: handed on to the Worker that has them. Where none is bound, nothing
// is there.

import { Hono } from 'hono/tiny'
import type { AppContext, AppEnv } from './context.ts'
import { problem } from './problems.ts'

/** `/test/{page}`. */
export function sandboxRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get('/test/:page', handOn).post('/test/:page', handOn)
}

async function handOn(c: AppContext): Promise<Response> {
  const { SANDBOX } = c.env
  if (SANDBOX === undefined) return problem(c, 'not_found')
  const answer = await SANDBOX.fetch(c.req.raw)
  return new Response(answer.body, answer) // a copy, whose headers can be set
}
