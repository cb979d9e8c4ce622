// The page of a login before its session exists (api/logins). Opening the page or declining on it stores
// nothing. Any other POST of the page first creates the session, and is then handled like a POST for any
// other session.

import { Hono } from 'hono/tiny'
import { loadConfig } from '../../../config.ts'
import { ANY_WALLET } from '../../../session/request/chosen-wallet.ts'
import { type LoginToken, openLoginToken } from '../../../session/request/login-token.ts'
import { previewPage } from '../../../session/views/page-view.ts'
import { isOwnPage } from '../../browser/browser.ts'
import { namedWallet, sendSessionPage } from '../../browser/session-page.ts'
import { presentedToken, readLoginCookie, setLoginCookie } from '../../edge/authenticate.ts'
import type { AppContext, AppEnv } from '../../edge/context.ts'
import { isUnreachableObject } from '../../edge/edge.ts'
import { problem } from '../../edge/problems.ts'
import { takeAuthorization } from '../../edge/rate-limit.ts'
import { sendOutcome } from '../authorization-outcome.ts'
import { sendProviderPage, TOO_MANY_REQUESTS } from '../pages.ts'
import { redirectTo, withParameters } from '../responses.ts'
import { createLogin, isOfBrowser, type LoginFailure, openLogin } from './create-login.ts'

type Next = () => Promise<void>

/**
 * Builds the routes. Mount them before the routes of sessions with the same paths. Those routes handle every
 * call that these routes pass on.
 */
export function loginPageRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/s/:id', (c, next) => orUnavailable(c, () => openPage(c, next)))
    .post('/s/:id', (c) => orUnavailable(c, () => continuePage(c)))
    .post('/s/:id/decline', (c, next) => orUnavailable(c, () => decline(c, next)))
    .post('/v1/verify/:id/link', createFirst)
    .post('/v1/verify/:id/dc-api/request', createFirst)
}

/** Calls a handler. Sends a page that asks for a reload if a Durable Object cannot be reached. */
async function orUnavailable<T>(c: AppContext, handle: () => Promise<T>): Promise<T | Response> {
  try {
    return await handle()
  } catch (error) {
    if (isUnreachableObject(error)) return sendProviderPage(c, { kind: 'unavailable' })
    throw error
  }
}

/** Sends the page of the login. Once the session exists, sends the page of the session instead. */
async function openPage(c: AppContext, next: Next): Promise<Response | undefined> {
  const id = c.req.param('id') ?? ''
  const token = await openLoginToken(loadConfig(c.env), id, c.req.query('token') ?? '')
  if (token === undefined) return continueWith(next)
  if (/\bprefetch\b/.test(c.req.header('Sec-Purpose') ?? ''))
    return sendProviderPage(c, { kind: 'unavailable' })
  const cookie = await readLoginCookie(c, id)
  if (!isOfBrowser(token, cookie)) return sendProviderPage(c, { kind: 'over' })
  const isOver = Date.now() >= token.expiresAt
  if (!cookie.isBegun) return isOver ? redirectTo(c, buildEndAddress(c, id, token)) : sendStart(c, id, token)
  await next()
  // A login that no wallet acted on is erased when it expires. Its client gets an error.
  if (isOver && c.res.status === 404) c.res = redirectTo(c, buildEndAddress(c, id, token))
  return undefined
}

async function sendStart(c: AppContext, id: string, token: LoginToken): Promise<Response> {
  if (!(await takeAuthorization(c, token.relyingPartyId))) return sendFailure(c, { kind: 'rate_limited' })
  const opened = await openLogin(c, id, token)
  if (!opened.ok) return sendFailure(c, opened.error)
  const { creation, issuer } = opened.value
  const asked = namedWallet(c)
  const page = { named: asked, mayLower: true }
  const view = await previewPage(c.env, creation, id, page, Date.now())
  // The address of the page may name a wallet that cannot answer. This name is ignored.
  const named = asked === view.wallet || asked === ANY_WALLET ? asked : null
  return sendSessionPage(c, id, { view, settings: issuer.settings, named, uri: null, isBegun: false })
}

/**
 * Creates the session for the form of the page, and opens the page again. The page then shows the QR code.
 */
async function continuePage(c: AppContext): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const text = c.req.query('token') ?? ''
  const token = await openLoginToken(loadConfig(c.env), id, text)
  if (token === undefined || !isOwnPage(c)) return sendProviderPage(c, { kind: 'over' })
  const created = await createLogin(c, id, token)
  if (!created.ok) return sendFailure(c, created.error, { isOfForm: true })
  return redirectTo(c, `${loadConfig(c.env).baseUrl}/s/${id}${new URL(c.req.url).search}`)
}

/**
 * Ends a login without a session, because the person declined: the client gets `access_denied`. Nothing is
 * stored. The browser loses the cookie, so its other tabs cannot continue the login.
 */
async function decline(c: AppContext, next: Next): Promise<Response | undefined> {
  const id = c.req.param('id') ?? ''
  const token = await openLoginToken(loadConfig(c.env), id, c.req.query('token') ?? '')
  if (token === undefined) return continueWith(next)
  const cookie = await readLoginCookie(c, id)
  if (!isOwnPage(c) || !isOfBrowser(token, cookie)) return sendProviderPage(c, { kind: 'over' })
  if (cookie.isBegun) return continueWith(next)
  if (!(await takeAuthorization(c, token.relyingPartyId))) return sendFailure(c, { kind: 'rate_limited' })
  const opened = await openLogin(c, id, token)
  if (!opened.ok) return sendFailure(c, opened.error, { isOfForm: true })
  const { issuer, creation, parsed } = opened.value
  const { redirect_uri, response_mode, state } = creation.login
  const answer = { error: 'access_denied', error_description: 'declined_on_page', state, iss: issuer.url }
  setLoginCookie(c, id, '', 0)
  c.set('sendsError', true)
  const { locale: locales } = parsed
  return response_mode === 'form_post'
    ? sendProviderPage(c, { kind: 'form', redirectUri: redirect_uri, response: answer, locales })
    : sendProviderPage(c, { kind: 'next', address: withParameters(redirect_uri, answer), locales })
}

/** Creates the session for a call of the page. */
async function createFirst(c: AppContext, next: Next): Promise<Response | undefined> {
  const id = c.req.param('id') ?? ''
  const presented = presentedToken(c)
  const token = presented.ok ? await openLoginToken(loadConfig(c.env), id, presented.value) : undefined
  if (token === undefined) return continueWith(next)
  if (!isOwnPage(c)) return problem(c, 'cross_site_request')
  const created = await createLogin(c, id, token)
  return created.ok ? continueWith(next) : problem(c, PROBLEMS[created.error.kind])
}

const PROBLEMS = {
  over: 'verification_not_found',
  // After a 404, the script loads the page again. That request then gets the refusal.
  refused: 'verification_not_found',
  unavailable: 'temporarily_unavailable',
  rate_limited: 'rate_limited',
} as const

async function continueWith(next: Next): Promise<undefined> {
  await next()
}

/** Returns the address at which the browser gets the result for the client. */
function buildEndAddress(c: AppContext, id: string, { relyingPartyId }: LoginToken): string {
  const query = new URLSearchParams({ token: c.req.query('token') ?? '' })
  return `${loadConfig(c.env).baseUrl}/oidc/${relyingPartyId}/finish/${id}?${query}`
}

/** Sends a failure to the browser. `isOfForm`: the browser sent the form of the page. */
function sendFailure(c: AppContext, failure: LoginFailure, form?: { isOfForm: true }): Promise<Response> {
  return sendOutcome(c, failure.kind === 'rate_limited' ? TOO_MANY_REQUESTS : failure, form)
}
