// Binding to one browser (api/binding). Our page requests a link to the wallet. The browser returns from the
// wallet with a response code, and our page posts this code. Then the browser brings a return code to the
// relying party, whose server redeems it. A GET of the return page changes nothing.

import { Hono } from 'hono/tiny'
import { browserReturnRequest, linkOptions, redemption } from '../../api/requests.ts'
import { sessionStub } from '../../relying-party/document/session-stub.ts'
import { ok } from '../../result.ts'
import type { ReturnCodeError } from '../../session/return/same-device.ts'
import { authenticate, authenticateForSession, toAccess } from '../edge/authenticate.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { type ProblemCode, problem } from '../edge/problems.ts'
import { sendJsonText, sendView, sessionProblem } from '../edge/session-view.ts'
import { readJson } from '../edge/validate.ts'
import { getBrowserCookie, isOwnPage, setBrowserCookie } from './browser.ts'

/** Builds the routes that bind a session to one browser. All are POST requests. */
export function returnRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .post('/v1/verify/:id/link', createLink)
    .post('/v1/verify/:id/response_code', completeReturn)
    .post('/v1/verify/:id/return', redeem)
}

const CODE_LIMIT = 1024

/** Creates a request for this browser alone, and sets the cookie that identifies the browser. */
async function createLink(c: AppContext): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const caller = await authenticateForSession(c, id, 'verify:request')
  if (!caller.ok) return caller.error
  if (!isOwnPage(c)) return problem(c, 'cross_site_request')
  // A relying party's server is not the browser that the wallet returns to.
  if (caller.value.kind !== 'client_token') return problem(c, 'insufficient_scope')
  const body = hasBody(c) ? await readJson(c, linkOptions, CODE_LIMIT) : ok({ wallet: undefined })
  if (!body.ok) return body.error
  const session = sessionStub(c.env, id)
  if (session === undefined) return problem(c, 'verification_not_found')
  const options = { secret: await getBrowserCookie(c), wallet: body.value.wallet ?? null }
  const link = await session.createLink(toAccess(caller.value), options)
  if (!link.ok) return sessionProblem(c, link.error)
  await setBrowserCookie(c, link.value.secret)
  return sendJsonText(c, link.value.json)
}

function hasBody(c: AppContext): boolean {
  return c.req.header('Content-Type') !== undefined
}

/**
 * Completes the return of a browser. Only our own page can post the response code. The code is never in an
 * address that is sent to the service.
 */
async function completeReturn(c: AppContext): Promise<Response> {
  if (!isOwnPage(c)) return problem(c, 'cross_site_request')
  const body = await readJson(c, browserReturnRequest, CODE_LIMIT, 'anyone')
  if (!body.ok) return body.error
  const session = sessionStub(c.env, c.req.param('id') ?? '')
  if (session === undefined) return problem(c, 'verification_not_found')
  const returned = await session.completeReturn({
    responseCode: body.value.response_code,
    secret: await getBrowserCookie(c),
  })
  if (!returned.ok) return problem(c, CODE_PROBLEMS[returned.error])
  return c.json({ object: 'browser_return', return_url: returned.value.returnUrl }, 200, {
    'Cache-Control': 'no-store',
  })
}

/**
 * Redeems a return code for the relying party's server. The server got the code from the browser of its user.
 */
async function redeem(c: AppContext): Promise<Response> {
  const caller = await authenticate(c, 'verify:read')
  if (!caller.ok) return caller.error
  const body = await readJson(c, redemption, CODE_LIMIT) // checked before the id, as on every route
  if (!body.ok) return body.error
  const session = sessionStub(c.env, c.req.param('id') ?? '')
  if (session === undefined) return problem(c, 'verification_not_found')
  const { relying_party_id } = caller.value.settings
  const redeemed = await session.redeem(relying_party_id, body.value.return_code)
  if (redeemed.ok) return sendView(c, redeemed)
  const { error } = redeemed
  return error === 'invalid_code' || error === 'other_browser'
    ? problem(c, CODE_PROBLEMS[error])
    : sessionProblem(c, error)
}

const CODE_PROBLEMS: Readonly<Record<ReturnCodeError, ProblemCode>> = {
  not_found: 'verification_not_found',
  invalid_code: 'invalid_code',
  other_browser: 'other_browser',
}
