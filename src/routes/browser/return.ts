// The way of one browser (CONTRACT 5): the page asks for a link for it, it comes back from the wallet with a response code, and
// the relying party's server redeems the return code it is sent on with. A GET of the return page has no part in this.

import { Hono } from 'hono/tiny'
import { sessionStub } from '../../session/identifier.ts'
import type { CodeFault } from '../../session/return/same-device.ts'
import type { AppContext, AppEnv } from '../context.ts'
import { authenticate, authenticateForSession, openerOf } from '../edge/authenticate.ts'
import { type ProblemCode, problem } from '../edge/problems.ts'
import { sendView, sessionProblem } from '../edge/session-view.ts'
import { readJson } from '../edge/validate.ts'
import { comingBack, redemption } from '../verifications/schemas.ts'
import { isOwnPage, keepSecret, secretOf } from './browser.ts'

/** The routes of binding. */
export function returnRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .post('/v1/verify/:id/link', makeLink)
    .post('/v1/verify/:id/response_code', comeBack)
    .post('/v1/verify/:id/return', redeem)
}

const CODE_LIMIT = 1024

/** A request for this browser alone, and the cookie that knows it again. */
async function makeLink(c: AppContext): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const caller = await authenticateForSession(c, id, 'verify:request')
  if (!caller.ok) return caller.error
  if (!isOwnPage(c)) return problem(c, 'cross_site_request')
  // A relying party's server is not the browser that the wallet comes back to.
  if (caller.value.kind !== 'client_token') return problem(c, 'insufficient_scope')
  const session = sessionStub(c.env, id)
  if (session === undefined) return problem(c, 'verification_not_found')
  const link = await session.link(openerOf(caller.value), secretOf(c))
  if (!link.ok) return sessionProblem(c, link.error)
  keepSecret(c, link.value.secret)
  return c.body(link.value.json, 200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
}

/** The browser is back. The code comes in the body of a request that only our own page can send, never in an address. */
async function comeBack(c: AppContext): Promise<Response> {
  if (!isOwnPage(c)) return problem(c, 'cross_site_request')
  const body = await readJson(c, comingBack, CODE_LIMIT)
  if (!body.ok) return body.error
  const session = sessionStub(c.env, c.req.param('id') ?? '')
  if (session === undefined) return problem(c, 'verification_not_found')
  const came = await session.comeBack({ responseCode: body.value.response_code, secret: secretOf(c) })
  if (!came.ok) return problem(c, CODE_FAULTS[came.error])
  return c.json({ return_url: came.value.returnUrl }, 200, { 'Cache-Control': 'no-store' })
}

/** The relying party's server redeems a return code out of its own user's session. */
async function redeem(c: AppContext): Promise<Response> {
  const caller = await authenticate(c, 'verify:read')
  if (!caller.ok) return caller.error
  const body = await readJson(c, redemption, CODE_LIMIT) // before the id is looked at, as everywhere
  if (!body.ok) return body.error
  const session = sessionStub(c.env, c.req.param('id') ?? '')
  if (session === undefined) return problem(c, 'verification_not_found')
  const { relying_party_id } = caller.value.settings
  const redeemed = await session.redeem(relying_party_id, body.value.return_code)
  if (redeemed.ok) return sendView(c, redeemed)
  const fault = redeemed.error
  return fault === 'invalid_code' || fault === 'other_browser'
    ? problem(c, CODE_FAULTS[fault])
    : sessionProblem(c, fault)
}

const CODE_FAULTS: Readonly<Record<CodeFault, ProblemCode>> = {
  not_found: 'verification_not_found',
  invalid_code: 'invalid_code',
  other_browser: 'other_browser',
}
