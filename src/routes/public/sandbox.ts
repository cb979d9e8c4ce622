// Routes of the sandbox (api/sandbox). Most of these routes pass requests on to the sandbox's pages. The
// outcome route gives a verification the outcome that its relying party asks for. A sandbox route answers
// 404 if no sandbox Worker is bound. The outcome route also answers 404 to a relying party in live mode. The
// routes below /demo pass requests on to the demo shop.

import { Hono } from 'hono/tiny'
import { type SessionStub, sessionStub } from '../../relying-party/document/session-stub.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionError } from '../../session/document/results.ts'
import { SANDBOX_ORIGIN } from '../../trust/anchors/sandbox-anchor.ts'
import { noteConsoleChange } from '../audit/origin.ts'
import { authenticate } from '../edge/authenticate.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'
import { takeWalletCall } from '../edge/rate-limit.ts'
import { type BodyError, readBody } from '../edge/request-body.ts'
import { sendJsonText, sessionProblem } from '../edge/session-view.ts'
import { BODY_PROBLEMS, readJson } from '../edge/validate.ts'
import { outcomeRequest } from './outcome-request.ts'

/**
 * Builds the routes `/test/{page}` and `/v1/test/verify/{id}/outcome` of the sandbox, and `/demo` of the demo
 * shop.
 */
export function sandboxRoutes(): Hono<AppEnv> {
  const sandbox = (c: AppContext) => proxyTo(c, c.env.SANDBOX)
  const shop = (c: AppContext) => proxyTo(c, c.env.DEMO_SHOP, 'demo_visit')
  const routes = new Hono<AppEnv>().get('/demo', shop)
  routes.get('/test/:page', sandbox).post('/test/:page', sandbox)
  routes.get('/demo/:page', shop).post('/demo/:page', shop)
  return routes.post('/v1/test/verify/:id/outcome', produceOutcome)
}

/** Passes a request on to a Worker. `cookie`: name of the only cookie that the Worker gets. */
async function proxyTo(c: AppContext, worker: Fetcher | undefined, cookie?: string): Promise<Response> {
  // Refuses a call that the sandbox itself made. A caller names the address that the sandbox calls. If this
  // is an address of the sandbox again, one call could cause a long chain of calls.
  if (worker === undefined || c.req.header('sandbox-wallet') !== undefined) return problem(c, 'not_found')
  // The sandbox's calls to the verifier have no client address, so calls to the sandbox are counted here.
  if (!(await takeWalletCall(c))) return problem(c, 'rate_limited')
  const request = c.req.method === 'POST' ? await readWhole(c.req.raw) : ok(c.req.raw)
  if (!request.ok) return problem(c, BODY_PROBLEMS[request.error])
  const response = await worker.fetch(withoutSecrets(request.value, cookie))
  return new Response(response.body, response) // a copy with mutable headers
}

/**
 * Returns the request without tokens and cookies of this service, which another Worker must not get. Keeps
 * the named cookie.
 */
function withoutSecrets(request: Request, cookie: string | undefined): Request {
  const headers = new Headers(request.headers)
  const pairs = headers.get('Cookie')?.split(/; */) ?? []
  const kept = pairs.find((pair) => cookie !== undefined && pair.startsWith(`${cookie}=`))
  headers.delete('Authorization')
  headers.delete('Cookie')
  headers.delete('Referer') // the address of a session page has its token
  if (kept !== undefined) headers.set('Cookie', kept)
  return new Request(request, { headers })
}

/** Limit of a body in bytes. Each page of the sandbox has its own lower limit. */
const PAGE_LIMIT = 262_144

/** Returns the request with its whole body, which is read here within the limits. */
async function readWhole(request: Request): Promise<Result<Request, BodyError>> {
  const body = await readBody(request, PAGE_LIMIT, 'anyone')
  if (!body.ok) return body
  const { url, method, headers } = request
  return ok(new Request(url, { method, headers, body: body.value, redirect: 'manual' }))
}

const OUTCOME_LIMIT = 2048

async function produceOutcome(c: AppContext): Promise<Response> {
  const caller = await authenticate(c, 'verify:create')
  if (!caller.ok) return caller.error
  const body = await readJson(c, outcomeRequest, OUTCOME_LIMIT)
  if (!body.ok) return body.error
  const { livemode, relying_party_id } = caller.value.settings
  const session = sessionStub(c.env, c.req.param('id') ?? '')
  const { SANDBOX } = c.env
  if (livemode || SANDBOX === undefined || session === undefined) return problem(c, 'verification_not_found')
  const { reason, ...options } = body.value
  const produced = await produce(reason, options, { session, rp: relying_party_id, sandbox: SANDBOX })
  if (!produced.ok) {
    const { error } = produced
    if (error === 'ended') return problem(c, 'verification_already_terminal')
    return typeof error === 'string' ? sessionProblem(c, error) : problem(c, 'policy_unsatisfiable', error)
  }
  const event = { action: 'verification.outcome_set', target: c.req.param('id') ?? '' } as const
  await noteConsoleChange(c, relying_party_id, event)
  const view = await session.read(relying_party_id)
  if (!view.ok) return sessionProblem(c, view.error)
  const json = `{"wallet":${JSON.stringify(produced.value)},"verification":${view.value.json}}`
  return sendJsonText(c, json)
}

type OutcomeContext = {
  readonly session: SessionStub
  readonly rp: string
  readonly sandbox: Fetcher
}

/** Response that the wallet received. */
type VerifierResponse = {
  readonly status: number
  readonly body: string
  readonly redirect_uri: string | null
}

type WalletOptions = { readonly credential_type?: string; readonly format?: string }

type OutcomeResult = Result<VerifierResponse | null, SessionError | { readonly detail: string }>

/**
 * Produces an outcome. For `canceled_by_relying_party`, `declined_on_page` and `session_expired`, the session
 * is ended without the wallet. For every other reason the wallet sends a response. For most reasons the
 * response contains a mistake.
 */
async function produce(
  reason: string,
  options: WalletOptions,
  context: OutcomeContext,
): Promise<OutcomeResult> {
  const { session, rp, sandbox } = context
  if (reason === 'canceled_by_relying_party') return withoutWallet(await session.cancel(rp))
  if (reason === 'declined_on_page') return declineOnPage(context)
  if (reason === 'session_expired') return withoutWallet(await session.expireNow(rp))
  if (reason === 'same_device_return_missing' || reason === 'request_superseded')
    return produceLate(reason, options, context)
  const viewed = await session.readRequest(rp)
  // Uses the request that any device may answer. If the session requires a binding, uses a request for one
  // browser.
  const request = viewed.ok || viewed.error !== 'binding_excludes_qr' ? viewed : await buildLink(context)
  if (!request.ok) return request
  const answer = await ask(sandbox, '/response', { ...options, reason, uri: parseUri(request.value.json) })
  return answer.ok ? ok(answer.value.response) : answer
}

/**
 * Declines as a person does on the page. After a valid presentation, a session may wait until the person
 * returns to the browser. Such a session cannot be declined.
 */
async function declineOnPage({ session, rp }: OutcomeContext): Promise<OutcomeResult> {
  const declined = await session.decline({ relyingPartyId: rp }, 'sandbox')
  if (declined.ok) return ok(null)
  const { error } = declined
  const isShared = error === 'return_awaited' || error === 'other_browser'
  return err(isShared ? { detail: 'a presentation waits for the return of its browser' } : error)
}

/**
 * Produces the outcome for a person who never returns to the browser. The wallet answers a request for one
 * browser. The presentation and its request are then discarded. For `request_superseded`, the wallet sends
 * the response again.
 */
async function produceLate(
  reason: string,
  options: WalletOptions,
  context: OutcomeContext,
): Promise<OutcomeResult> {
  const { session, rp, sandbox } = context
  const link = await buildLink(context)
  if (!link.ok) return link
  const uri = parseUri(link.value.json)
  const first = await ask(sandbox, '/response', { ...options, reason: 'verified', uri })
  if (!first.ok) return first
  const { post, response: sent } = first.value
  const discarded = sent.status === 200 ? await session.expireNow(rp) : ok(null)
  if (!discarded.ok || reason !== 'request_superseded') return discarded.ok ? ok(sent) : discarded
  const again = await ask(sandbox, '/repeat', post)
  return again.ok ? ok(again.value.response) : again
}

function withoutWallet(done: Result<unknown, SessionError>): OutcomeResult {
  return done.ok ? ok(null) : done
}

function buildLink({ session, rp }: OutcomeContext) {
  return session.createLink({ relyingPartyId: rp }, { secret: null, wallet: null })
}

/** Returns the URI for the wallet, from a link or from the view of a session. */
function parseUri(json: string): string | undefined {
  const address = JSON.parse(json) as WalletAddress
  return address.uri ?? address.wallet_request?.uri
}

/** JSON of a link, or of the view of a session, as this service wrote it. Each has the URI for the wallet. */
type WalletAddress = { readonly uri?: string; readonly wallet_request?: { readonly uri: string } }

/** Response of sandbox/worker.ts. */
type SandboxResponse = { readonly post: object; readonly response: VerifierResponse }

async function ask(
  sandbox: Fetcher,
  path: string,
  what: object,
): Promise<Result<SandboxResponse, 'unavailable' | { readonly detail: string }>> {
  const response = await sandbox.fetch(SANDBOX_ORIGIN + path, { method: 'POST', body: JSON.stringify(what) })
  if (response.ok) return ok(await response.json<SandboxResponse>())
  return err(response.status === 422 ? await response.json<{ detail: string }>() : 'unavailable')
}
