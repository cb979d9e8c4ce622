// *Do not share* on the session page (api/outcome): a person declines without using a wallet. Only the form
// of our own page can send this request, so a preview, a prefetch or a page of another site declines nothing.

import { Hono } from 'hono/tiny'
import { loadConfig } from '../../config.ts'
import { sessionStub } from '../../relying-party/document/session-stub.ts'
import { verifyClientToken } from '../../session/request/client-token.ts'
import { readLoginCookie } from '../edge/authenticate.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { isUnreachableObject } from '../edge/edge.ts'
import { problem } from '../edge/problems.ts'
import { getBrowserCookie, isOwnPage } from './browser.ts'
import { sendMessage } from './page/document.ts'
import { LEAVE, textsFor } from './session-page.ts'

/** Builds the route. It takes no body. */
export function declineRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/s/:id/decline', async (c) => {
    try {
      return await decline(c)
    } catch (error) {
      if (isUnreachableObject(error)) return sendMessage(c, 503, await textsFor(c, null), 'unavailable')
      throw error
    }
  })
}

/**
 * Declines the session, and opens the page again. The page then goes back to the relying party. If the
 * session had already ended, the page shows that outcome instead.
 */
async function decline(c: AppContext): Promise<Response> {
  if (!isOwnPage(c)) return problem(c, 'cross_site_request')
  const id = c.req.param('id') ?? ''
  const token = c.req.query('token') ?? ''
  const session = sessionStub(c.env, id)
  const createdAt = await verifyClientToken(loadConfig(c.env), id, token)
  if (session === undefined || createdAt === undefined) return sendNotFound(c)
  const login = (await readLoginCookie(c, id))?.browser
  const secret = await getBrowserCookie(c)
  const declined = await session.decline({ createdAt, login }, { secret })
  if (!declined.ok && declined.error === 'not_found') return sendNotFound(c)
  if (!declined.ok && declined.error === 'other_browser')
    return sendMessage(c, 403, await textsFor(c, null), 'otherBrowser')
  const embedder = c.req.query('embed')
  const query = new URLSearchParams({ token, [LEAVE]: '', ...(embedder && { embed: embedder }) })
  const headers = { Location: `${loadConfig(c.env).baseUrl}/s/${id}?${query}`, 'Cache-Control': 'no-store' }
  return c.body(null, 303, headers)
}

async function sendNotFound(c: AppContext): Promise<Response> {
  return sendMessage(c, 404, await textsFor(c, null), 'notFound')
}
