// Sign-in of the console: an API key, the operator's token, or the code that `npm start` prints.

import { codeRequest, SIGN_IN_BYTES, signInRequest } from '../../api/requests.ts'
import type { ConsoleSessionView, ConsoleSignInView } from '../../api/responses/console.ts'
import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { isoTime } from '../../codec/date-time.ts'
import { loadConfig } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { randomBytes } from '../../crypto/random.ts'
import { timingSafeEqual } from '../../crypto/timing-safe.ts'
import { type Caller, callerByApiKey } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { type ProblemCode, problem } from '../edge/problems.ts'
import { beginSignIn } from '../edge/rate-limit.ts'
import { readJson } from '../edge/validate.ts'
import { type ConsoleSession, openConsole, readConsole, SIGNED_IN_SECONDS } from './console-cookie.ts'

const CODE_MS = 5 * 60_000

/**
 * API keys by one-time sign-in code. Using a code removes it. A map in memory is enough: codes are used only
 * on the operator's own machine, where the service is one process.
 */
const codes = new Map<string, { readonly apiKey: string; readonly expiresAt: number }>()

/** Signs in. The response contains the page token, which no later response contains, and no other token. */
export async function signIn(c: AppContext): Promise<Response> {
  const body = await readJson(c, signInRequest, SIGN_IN_BYTES, 'anyone')
  if (!body.ok) return body.error
  const attempt = beginSignIn(c)
  if (attempt.isRefused) return problem(c, 'rate_limited')
  const { token, code } = body.value
  const sent = code === undefined ? token : takeKey(code)
  const opened = sent === undefined ? 'invalid_token' : await openSession(c, sent)
  if (opened === 'invalid_token') return problem(c, attempt.isOver ? 'rate_limited' : opened)
  attempt.giveBack()
  if (typeof opened === 'string') return problem(c, opened)
  const view: ConsoleSignInView = { ...toView(c, opened), change_token: await openConsole(c, opened.session) }
  return c.json(view, 201, { 'Cache-Control': 'no-store' })
}

/** Sends the owner of the sign-in to the page of this sign-in. */
export async function readSession(c: AppContext): Promise<Response> {
  const console = await readConsole(c)
  if (!console.ok) return problem(c, console.error)
  const current = await openSession(c, console.value.token)
  if (typeof current === 'string') return problem(c, current)
  return c.json(toView(c, { ...current, session: console.value }), 200, { 'Cache-Control': 'no-store' })
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
 * A session, and the relying party whose API key opens the session. `caller` null: the operator's token opens
 * it.
 */
type Opened = { readonly session: ConsoleSession; readonly caller: Caller | null }

/** Returns the session that a token opens now, or the problem if the token opens no session. */
async function openSession(c: AppContext, token: string): Promise<Opened | ProblemCode> {
  const longest = Date.now() + SIGNED_IN_SECONDS * 1000
  if (await isOperator(c, token)) {
    return { session: { owner: 'operator', token, expires_at: longest }, caller: null }
  }
  const caller = await callerByApiKey(c, token)
  if (!caller.ok) return caller.error
  const expires_at = Math.min(longest, caller.value.keyExpiresAt ?? longest)
  return { session: { owner: 'relying_party', token, expires_at }, caller: caller.value }
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
    owner: session.owner,
    base_url: loadConfig(c.env).baseUrl,
    expires_at: isoTime(session.expires_at),
    relying_party: caller && { relying_party_id, name, livemode },
    scopes: caller?.scopes ?? [],
  }
}
