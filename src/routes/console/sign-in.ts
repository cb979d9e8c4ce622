// Sign-in of the console: an API key, the operator's token, or the code that `npm start` prints.

import * as z from 'zod/mini'
import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { text } from '../../codec/schema.ts'
import { configOf } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { randomBytes } from '../../crypto/random.ts'
import { deriveKey, seal, unseal } from '../../crypto/seal.ts'
import { timingSafeEqual } from '../../crypto/timing-safe.ts'
import { relyingPartyStub } from '../../relying-party/identifier.ts'
import { type Caller, callerByApiKey } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { type ProblemCode, problem } from '../edge/problems.ts'
import { takeFailedAuthentication } from '../edge/rate-limit.ts'
import { readJson } from '../edge/validate.ts'
import { type ConsoleSession, openConsole, readConsole, SIGNED_IN_SECONDS } from './console-cookie.ts'

const BODY_BYTES = 4096
/** Life of a code. It is used once. */
const CODE_MS = 5 * 60_000
const CODE_PLACE = 'console-code'
const IV_BYTES = 12

/** Body of `POST /console/session`: one of the two. */
export const signInRequest = z.union([
  z.strictObject({ token: text(BODY_BYTES) }),
  z.strictObject({ code: text(BODY_BYTES) }),
])

/** Body of `POST /console/codes`. */
export const codeRequest = z.strictObject({ api_key: text(300) })

type Code = { readonly name: string; readonly api_key: string; readonly expires_at: number }

/** Signs in. The response has no token but that of changes. */
export async function signIn(c: AppContext): Promise<Response> {
  const body = await readJson(c, signInRequest, BODY_BYTES, 'anyone')
  if (!body.ok) return body.error
  const sent = 'code' in body.value ? await redeemCode(c, body.value.code) : body.value.token
  const session = sent === undefined ? 'invalid_token' : await sessionOf(c, sent)
  if (typeof session === 'string') {
    const isLimited = session === 'invalid_token' && !takeFailedAuthentication(c)
    return problem(c, isLimited ? 'rate_limited' : session)
  }
  const changeToken = await openConsole(c, session)
  return c.json(await describe(c, session, changeToken), 201, { 'Cache-Control': 'no-store' })
}

/** Returns who is signed in, and the token of changes. */
export async function readSession(c: AppContext): Promise<Response> {
  const console = await readConsole(c)
  if (console === undefined) return problem(c, 'missing_token')
  const { session, changeToken } = console
  const current = await sessionOf(c, session.token)
  if (typeof current === 'string') return problem(c, current)
  return c.json(await describe(c, session, changeToken), 200, { 'Cache-Control': 'no-store' })
}

/** Creates a code for a relying party's console, on this machine only. `npm start` prints it. */
export async function createCode(c: AppContext): Promise<Response> {
  if (new URL(configOf(c.env).baseUrl).protocol !== 'http:') return problem(c, 'not_found')
  const body = await readJson(c, codeRequest, BODY_BYTES)
  if (!body.ok) return body.error
  const code: Code = {
    name: encodeBase64url(randomBytes(16)),
    api_key: body.value.api_key,
    expires_at: Date.now() + CODE_MS,
  }
  const sealed = await seal(await codeSealing(c), JSON.stringify(code), randomBytes(IV_BYTES))
  return c.json({ code: sealed }, 201, { 'Cache-Control': 'no-store' })
}

/** Returns the key of a code that was not used before; `undefined` for any other text. */
async function redeemCode(c: AppContext, sealed: string): Promise<string | undefined> {
  const text = await unseal(await codeSealing(c), sealed)
  if (text === undefined) return undefined
  const { name, api_key, expires_at } = JSON.parse(text) as Code // sealed by us
  const caller = await callerByApiKey(c, api_key)
  if (!caller.ok || expires_at <= Date.now()) return undefined
  const stub = relyingPartyStub(c.env, caller.value.settings.relying_party_id)
  const isFirst = await stub?.storeOnce(`console ${name}`, '', {
    isAuthenticated: true,
    expiresAt: expires_at,
  })
  return isFirst ? api_key : undefined
}

async function codeSealing(c: AppContext) {
  return { key: await deriveKey(configOf(c.env).serverSecret, 'console'), aad: CODE_PLACE }
}

/** Returns the session that a token opens now, or the problem why it opens none. */
async function sessionOf(c: AppContext, token: string): Promise<ConsoleSession | ProblemCode> {
  const longest = Date.now() + SIGNED_IN_SECONDS * 1000
  if (await isOperator(c, token)) return { owner: 'operator', token, expires_at: longest }
  const caller = await callerByApiKey(c, token)
  if (!caller.ok) return caller.error
  const expires_at = Math.min(longest, caller.value.keyExpiresAt ?? longest)
  return { owner: 'relying_party', token, expires_at }
}

async function isOperator(c: AppContext, token: string): Promise<boolean> {
  const { adminToken } = configOf(c.env)
  if (adminToken === null) return false
  const [sent, expected] = await Promise.all([sha256(utf8(token)), sha256(utf8(adminToken))])
  return timingSafeEqual(sent, expected)
}

async function describe(c: AppContext, { owner, token, expires_at }: ConsoleSession, change_token: string) {
  const shared = { owner, change_token, expires_at: new Date(expires_at).toISOString() }
  if (owner === 'operator') return { ...shared, relying_party: null, scopes: [] }
  const caller = await callerByApiKey(c, token)
  return { ...shared, ...(caller.ok ? ownerOf(caller.value) : {}) }
}

function ownerOf({ settings, scopes }: Caller) {
  const { relying_party_id, name, livemode } = settings
  return { relying_party: { relying_party_id, name, livemode }, scopes }
}
