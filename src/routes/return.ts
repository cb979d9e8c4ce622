// The way of one browser (CONTRACT 5): the page asks for a link for it, it comes back from the wallet with a response code, and
// the relying party's server redeems the return code it is sent on with. A GET of the return page has no part in this.

import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { Hono } from 'hono/tiny'
import * as z from 'zod/mini'
import { text } from '../codec/schema.ts'
import { configOf } from '../env.ts'
import { BROWSER_SECRET_BYTES, HOLD_MS } from '../session/binding.ts'
import type { CodeFault } from '../session/same-device.ts'
import { authenticate, authenticateForSession, openerOf } from './authenticate.ts'
import type { AppContext, AppEnv } from './context.ts'
import { type ProblemCode, problem } from './problems.ts'
import { answer, faultProblem, stubOf } from './relying-party.ts'
import { LONGEST_SESSION_SECONDS } from './schemas.ts'
import { readJson } from './validate.ts'

/** The routes of binding. */
export function returnRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .post('/v1/verify/:id/link', makeLink)
    .post('/v1/verify/:id/response_code', comeBack)
    .post('/v1/verify/:id/return', redeem)
}

const CODE_LIMIT = 1024

const code = text(200)
const comingBack = z.strictObject({ response_code: code })
const redemption = z.strictObject({ return_code: code })

/** A request for this browser alone, and the cookie that knows it again. */
async function makeLink(c: AppContext): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const caller = await authenticateForSession(c, id, 'verify:request')
  if (!caller.ok) return caller.error
  if (!isOwnPage(c)) return problem(c, 'cross_site_request')
  // A relying party's server is not the browser that the wallet comes back to.
  if (caller.value.kind !== 'client_token') return problem(c, 'insufficient_scope')
  const session = stubOf(c, id)
  if (session === undefined) return problem(c, 'verification_not_found')
  const link = await session.link(openerOf(caller.value), secretOf(c))
  if (!link.ok) return faultProblem(c, link.error)
  keepSecret(c, link.value.secret)
  return c.body(link.value.json, 200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
}

/** The browser is back. The code comes in the body of a request that only our own page can send, never in an address. */
async function comeBack(c: AppContext): Promise<Response> {
  if (!isOwnPage(c)) return problem(c, 'cross_site_request')
  const body = await readJson(c, comingBack, CODE_LIMIT)
  if (!body.ok) return body.error
  const session = stubOf(c, c.req.param('id') ?? '')
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
  const session = stubOf(c, c.req.param('id') ?? '')
  if (session === undefined) return problem(c, 'verification_not_found')
  const { relying_party_id } = caller.value.settings
  const redeemed = await session.redeem(relying_party_id, body.value.return_code)
  if (redeemed.ok) return answer(c, redeemed)
  const fault = redeemed.error
  return fault === 'invalid_code' || fault === 'other_browser'
    ? problem(c, CODE_FAULTS[fault])
    : faultProblem(c, fault)
}

const CODE_FAULTS: Readonly<Record<CodeFault, ProblemCode>> = {
  not_found: 'verification_not_found',
  invalid_code: 'invalid_code',
  other_browser: 'other_browser',
}

/** Whether a page of ours sends this: browsers name the origin of every POST, and no other page can name ours. */
function isOwnPage(c: AppContext): boolean {
  const site = c.req.header('Sec-Fetch-Site')
  const isSameSite = site === undefined || site === 'same-origin'
  return isSameSite && c.req.header('Origin') === configOf(c.env).baseUrl
}

const COOKIE = 'wv_browser'

const SECRET = new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((BROWSER_SECRET_BYTES * 4) / 3)}}$`)

/** The browser's secret. Anything that we did not make is none. */
function secretOf(c: AppContext): string | null {
  const value = isHttps(c) ? getCookie(c as Context, COOKIE, 'host') : getCookie(c as Context, COOKIE)
  return value !== undefined && SECRET.test(value) ? value : null
}

/**
 * One secret for all sessions of a browser, so that a second link does not orphan the first. Strict is enough: what sends it is
 * our own page's script, not the wallet's opening of the page. `__Host-` keeps other hosts of our domain from planting one.
 */
function keepSecret(c: AppContext, secret: string): void {
  const secure = isHttps(c)
  setCookie(c as Context, COOKIE, secret, {
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    maxAge: LONGEST_SESSION_SECONDS + HOLD_MS / 1000,
    ...(secure && { secure, prefix: 'host' as const }),
  })
}

function isHttps(c: AppContext): boolean {
  return configOf(c.env).baseUrl.startsWith('https:')
}
