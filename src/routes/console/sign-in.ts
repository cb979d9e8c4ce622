// Sign-in of the console, by one of four credentials: an API key, the operator's token, the code that `npm
// start` prints, or a response of the OpenID Provider of a person's organisation.

import { waitUntil } from 'cloudflare:workers'
import type * as z from 'zod/mini'
import { codeRequest, SIGN_IN_BYTES, signInRequest } from '../../api/console-requests.ts'
import type { ConsoleSessionView, ConsoleSignInView } from '../../api/responses/console.ts'
import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { isoTime } from '../../codec/date-time.ts'
import { loadConfig } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { randomBytes } from '../../crypto/random.ts'
import { timingSafeEqual } from '../../crypto/timing-safe.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import { parseApiKey } from '../../relying-party/keys/api-key.ts'
import type { Person } from '../../relying-party/people/person.ts'
import { err, ok, type Result } from '../../result.ts'
import { inBackground } from '../../session/store/background.ts'
import { consoleOrigin } from '../audit/origin.ts'
import { type Caller, callerByApiKey, callerByPerson } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { type ProblemCode, problem } from '../edge/problems.ts'
import { beginSignIn } from '../edge/rate-limit.ts'
import { readJson } from '../edge/validate.ts'
import {
  type ConsoleSession,
  openConsole,
  readConsole,
  renewConsole,
  SIGNED_IN_SECONDS,
} from './console-cookie.ts'
import { finishPersonSignIn, type SignInError } from './people.ts'

const CODE_MS = 5 * 60_000

/**
 * API keys by one-time sign-in code. Using a code removes it. A map in memory is enough: codes are used only
 * on the operator's own machine, where the service is one process.
 */
const codes = new Map<string, { readonly apiKey: string; readonly expiresAt: number }>()

/**
 * Signs in. The response contains the page token and no other token. No later response contains the page
 * token.
 */
export async function signIn(c: AppContext): Promise<Response> {
  const body = await readJson(c, signInRequest, SIGN_IN_BYTES, 'anyone')
  if (!body.ok) return body.error
  const attempt = beginSignIn(c)
  if (attempt.isRefused) return problem(c, 'rate_limited')
  const opened = await openSent(c, body.value)
  if (!opened.ok) noteFailure(c, body.value, opened.error)
  const isFailure = !opened.ok && FAILURES.includes(opened.error.code)
  if (isFailure && attempt.isOver) return problem(c, 'rate_limited')
  if (!isFailure) attempt.giveBack()
  if (!opened.ok) return problem(c, opened.error.code, opened.error)
  await noteSignIn(c, opened.value.caller)
  const change_token = await openConsole(c, opened.value.session)
  const view: ConsoleSignInView = { ...toView(c, opened.value), change_token }
  return c.json(view, 201, { 'Cache-Control': 'no-store' })
}

/** Problems that count as a failed sign-in. */
const FAILURES: readonly ProblemCode[] = ['invalid_token', 'sign_in_refused']

/** Appends the sign-in of a relying party to its audit log. Throws if the entry cannot be stored. */
async function noteSignIn(c: AppContext, caller: Caller | null): Promise<void> {
  if (caller === null) return
  const { settings, actor } = caller
  const stub = relyingPartyStub(c.env, settings.relying_party_id)
  await stub?.audit(consoleOrigin(c, actor), { action: 'console.signed_in' })
}

/**
 * Appends a failed sign-in to the audit log of its relying party, in the background. For a key, the entry has
 * the key's id, although nothing proves who sent the key. For a person, the entry names the person only if
 * the provider proved who they are.
 */
function noteFailure(c: AppContext, { token, person }: SignInBody, { code, actor }: SignInError): void {
  if (!NOTED.includes(code)) return
  const key = parseApiKey(token ?? '')
  const relyingPartyId = person?.relying_party_id ?? key?.relyingPartyId
  if (relyingPartyId === undefined) return
  const event = { action: 'console.sign_in_failed', ...(key && { target: key.keyId }) } as const
  const by = consoleOrigin(c, actor ?? null)
  waitUntil(inBackground(() => relyingPartyStub(c.env, relyingPartyId)?.audit(by, event)))
}

/**
 * Problems of sign-ins that the audit log records. The log does not record other problems, such as a provider
 * that cannot be reached.
 */
const NOTED: readonly ProblemCode[] = ['invalid_token', 'expired_token', 'sign_in_refused', 'role_missing']

/** Sends the console's page the state of its sign-in: who is signed in, with which scopes, and until when. */
export async function readSession(c: AppContext): Promise<Response> {
  const console = await readConsole(c)
  if (!console.ok) return problem(c, console.error)
  const current =
    console.value.owner === 'person'
      ? await openPerson(c, console.value.person, console.value.authenticated_at)
      : await openSession(c, console.value.token)
  if (!current.ok) return problem(c, current.error.code)
  const view = toView(c, { ...current.value, session: console.value })
  return c.json(view, 200, { 'Cache-Control': 'no-store' })
}

/** Renews a sign-in after a person did something: the hour without activity begins again. */
export async function renewSession(c: AppContext): Promise<Response> {
  const console = await renewConsole(c)
  return console.ok ? c.body(null, 204) : problem(c, console.error)
}

/**
 * Creates a code that signs in with a relying party's API key. `npm start` prints the code. The route exists
 * only if `BASE_URL` is a loopback address.
 */
export async function createCode(c: AppContext): Promise<Response> {
  if (!loadConfig(c.env).isLocal) return problem(c, 'not_found')
  const body = await readJson(c, codeRequest, SIGN_IN_BYTES)
  if (!body.ok) return body.error
  const now = Date.now()
  for (const [code, { expiresAt }] of codes) if (expiresAt <= now) codes.delete(code)
  const code = encodeBase64url(randomBytes(16))
  codes.set(code, { apiKey: body.value.api_key, expiresAt: now + CODE_MS })
  return c.json({ code }, 201, { 'Cache-Control': 'no-store' })
}

/**
 * Returns the API key of a code, and removes the code. Returns `undefined` if the code is unknown or expired.
 */
function takeKey(code: string): string | undefined {
  const stored = codes.get(code)
  codes.delete(code)
  return stored !== undefined && stored.expiresAt > Date.now() ? stored.apiKey : undefined
}

/**
 * A new session, and the caller whose API key or roles open it. `caller` null: the operator's token opens the
 * session.
 */
type Opened = { readonly session: ConsoleSession; readonly caller: Caller | null }

type SignInBody = z.infer<typeof signInRequest>

/** Returns the session of a sign-in, or why the sign-in is refused. */
async function openSent(
  c: AppContext,
  { token, code, person }: SignInBody,
): Promise<Result<Opened, SignInError>> {
  if (person === undefined) {
    const key = code === undefined ? token : takeKey(code)
    return key === undefined ? err({ code: 'invalid_token' }) : openSession(c, key)
  }
  const finished = await finishPersonSignIn(c, person)
  if (!finished.ok) return finished
  return openPerson(c, finished.value.person, finished.value.authenticatedAt)
}

/** Returns the session that a token opens now. */
async function openSession(c: AppContext, token: string): Promise<Result<Opened, SignInError>> {
  const now = Date.now()
  const longest = now + SIGNED_IN_SECONDS * 1000
  const times = { authenticated_at: now, expires_at: longest }
  if (await isOperator(c, token)) {
    return ok({ session: { owner: 'operator', token, ...times }, caller: null })
  }
  const caller = await callerByApiKey(c, token)
  if (!caller.ok) return err({ code: caller.error })
  const expires_at = Math.min(longest, caller.value.keyExpiresAt ?? longest)
  const session = { owner: 'relying_party', token, ...times, expires_at } as const
  return ok({ session, caller: caller.value })
}

/** Returns the session of a person, with the scopes that their roles have now. */
async function openPerson(
  c: AppContext,
  person: Person,
  authenticated_at: number | null,
): Promise<Result<Opened, SignInError>> {
  const caller = await callerByPerson(c, person)
  if (!caller.ok) return err({ code: caller.error })
  const expires_at = Date.now() + SIGNED_IN_SECONDS * 1000
  return ok({ session: { owner: 'person', person, authenticated_at, expires_at }, caller: caller.value })
}

async function isOperator(c: AppContext, token: string): Promise<boolean> {
  const { adminToken } = loadConfig(c.env)
  if (adminToken === null) return false
  const [sent, expected] = await Promise.all([sha256(utf8(token)), sha256(utf8(adminToken))])
  return timingSafeEqual(sent, expected)
}

function toView(c: AppContext, { session, caller }: Opened): ConsoleSessionView {
  const { relying_party_id = '', name = '', livemode = false } = caller?.settings ?? {}
  return {
    owner: session.owner === 'operator' ? 'operator' : 'relying_party',
    base_url: loadConfig(c.env).baseUrl,
    expires_at: isoTime(session.expires_at),
    relying_party: caller && { relying_party_id, name, livemode },
    scopes: caller?.scopes ?? [],
    person: session.owner === 'person' ? shownPerson(session.person) : null,
  }
}

function shownPerson({ subject, name, email }: Person) {
  return { subject, name, email }
}
