// The Digital Credentials API (api/dc-api): creates requests for a browser, and processes the responses of
// wallets. Two pages may use these routes: our own page, which sends the browser's cookie, and the relying
// party's page, whose server makes the calls.

import { Hono } from 'hono/tiny'
import { dcApiRequestOptions, dcApiResponse } from '../../api/requests.ts'
import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { loadConfig } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { sessionStub } from '../../relying-party/document/session-stub.ts'
import { err, type Result } from '../../result.ts'
import type { RefusalCode } from '../../session/document/results.ts'
import type { DcApiPage } from '../../session/response/dc-api.ts'
import { authenticateForSession, type SessionCaller, toAccess } from '../edge/authenticate.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { memberProblem, problem } from '../edge/problems.ts'
import { sendJsonText, sendView, sessionProblem } from '../edge/session-view.ts'
import { readJson } from '../edge/validate.ts'
import { walletError } from '../wallet/wallet-errors.ts'
import { getBrowserCookie, isOwnPage, setBrowserCookie } from './browser.ts'

/** Builds the two routes of the Digital Credentials API. */
export function dcApiRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .post('/v1/verify/:id/dc-api/request', createRequest)
    .post('/v1/verify/:id/dc-api', processResponse)
}

const REQUEST_LIMIT = 1024
/** Limit of the body in bytes. The wallet's response in the body may have 1 MiB, as at the Response URI. */
const RESPONSE_LIMIT = 1024 * 1024 + 1024

/** Creates a request for the page's browser. */
async function createRequest(c: AppContext): Promise<Response> {
  const caller = await authenticatePage(c)
  if (!caller.ok) return caller.error
  const body = await readJson(c, dcApiRequestOptions, REQUEST_LIMIT)
  if (!body.ok) return body.error
  const origin = originFor(c, caller.value, body.value.origin)
  if (origin === undefined) {
    const message = 'must be one of the `origins` in the settings'
    return memberProblem(c, { pointer: '/origin', code: 'not_allowed', message })
  }
  const session = sessionStub(c.env, c.req.param('id') ?? '')
  if (session === undefined) return problem(c, 'verification_not_found')
  const page = await loadPage(c, caller.value)
  const wallet = body.value.wallet ?? null
  const request = await session.createDcApiRequest(toAccess(caller.value), { page, origin, wallet })
  if (!request.ok) return sessionProblem(c, request.error)
  if (request.value.secret !== null) await setBrowserCookie(c, request.value.secret)
  return sendJsonText(c, request.value.json)
}

/** Processes the response that the page received from its browser. */
async function processResponse(c: AppContext): Promise<Response> {
  const caller = await authenticatePage(c)
  if (!caller.ok) return caller.error
  const body = await readJson(c, dcApiResponse, RESPONSE_LIMIT)
  if (!body.ok) return body.error
  const session = sessionStub(c.env, c.req.param('id') ?? '')
  if (session === undefined) return problem(c, 'verification_not_found')
  const by = toAccess(caller.value)
  const { protocol } = body.value
  const data = JSON.stringify(body.value.data)
  const digest = encodeBase64url(await sha256(utf8(JSON.stringify(body.value))))
  const page = await loadPage(c, caller.value)
  const result = await session.processDcApiResponse(by, { page, protocol, data, digest })
  if (!result.ok) return refuse(c, result.error, caller.value)
  if (caller.value.kind === 'client_token') {
    return c.json({ object: 'browser_return', return_url: result.value.returnUrl }, 200, {
      'Cache-Control': 'no-store',
    })
  }
  return sendView(c, await session.read(caller.value.caller.settings.relying_party_id))
}

/**
 * Authenticates the caller. Accepts a client token from our own page only, because only that page sends the
 * browser's cookie.
 */
async function authenticatePage(c: AppContext): Promise<Result<SessionCaller, Response>> {
  const caller = await authenticateForSession(c, c.req.param('id') ?? '', 'verify:request')
  if (!caller.ok || caller.value.kind === 'relying_party' || isOwnPage(c)) return caller
  return err(problem(c, 'cross_site_request'))
}

async function loadPage(c: AppContext, caller: SessionCaller): Promise<DcApiPage> {
  return caller.kind === 'client_token' ? { secret: await getBrowserCookie(c) } : 'relying_party'
}

/**
 * Returns the origin of the page; `undefined` if the origin is not allowed or not known. A client token
 * allows only our own origin. A relying party may name an origin of its settings. If the relying party names
 * none and has only one origin, that origin is returned.
 */
function originFor(c: AppContext, caller: SessionCaller, named: string | undefined): string | undefined {
  if (caller.kind === 'client_token') {
    const { baseUrl } = loadConfig(c.env)
    return named === undefined || named === baseUrl ? baseUrl : undefined
  }
  const { origins } = caller.caller.settings
  if (named === undefined) return origins.length === 1 ? origins[0] : undefined
  return origins.find((origin) => origin === named)
}

/**
 * Sends the problem of a refused response. Only the relying party's server gets the reason; a page does not.
 */
async function refuse(c: AppContext, refusal: RefusalCode, caller: SessionCaller): Promise<Response> {
  const { status, description } = await walletError(c, refusal)
  if (status === 404) return problem(c, 'verification_not_found')
  if (status === 409) return problem(c, 'verification_already_terminal')
  if (status === 503) return problem(c, 'temporarily_unavailable')
  if (caller.kind === 'client_token') return problem(c, 'presentation_refused')
  const errors = [{ pointer: '/data', code: refusal, message: description }]
  return problem(c, 'presentation_refused', { errors })
}
