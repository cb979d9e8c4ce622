// Authentication of relying parties by one bearer token. The prefix of a token identifies its kind. A token
// without a known prefix can only be an access token.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { loadConfig } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { LOGIN_TOKEN_CHARACTERS } from '../../limits.ts'
import type { ApiKeyRecord, Scope, Settings } from '../../relying-party/document/settings.ts'
import { verifyAccessToken } from '../../relying-party/keys/access-token.ts'
import { API_KEY_PREFIX, matchesApiKey, parseApiKey } from '../../relying-party/keys/api-key.ts'
import { forgetSettings, loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionAccess } from '../../session/access.ts'
import {
  CLIENT_TOKEN_PREFIX,
  signClientToken,
  verifyClientToken,
} from '../../session/request/client-token.ts'
import { isLoginToken } from '../../session/request/login-token.ts'
import type { AppContext } from './context.ts'
import { type ProblemCode, problem } from './problems.ts'

/** A relying party's server, identified by one of its API keys, or by an access token of such a key. */
export type Caller = {
  readonly settings: Settings
  readonly keyId: string
  /** The scopes of this call: the scopes of the key, reduced to the scopes of the access token. */
  readonly scopes: readonly Scope[]
  /** Expiry of the key in Unix milliseconds; null: the key does not expire. */
  readonly keyExpiresAt: number | null
}

/** A caller of a session's route: a relying party, or a holder of the session's client token. */
export type SessionCaller =
  | { readonly kind: 'relying_party'; readonly caller: Caller }
  /**
   * `createdAt`: time at which the token's session was created. A later session with the same id has another
   * time. `login`: digest of the cookie of the browser that began the login; `undefined` in any other
   * browser.
   */
  | { readonly kind: 'client_token'; readonly createdAt: number; readonly login: string | undefined }

/** Returns the access that this caller has to the session. */
export function accessOf(caller: SessionCaller): SessionAccess {
  if (caller.kind === 'client_token') return { createdAt: caller.createdAt, login: caller.login }
  return { relyingPartyId: caller.caller.settings.relying_party_id }
}

/** Reasons for which a token is rejected. */
type AuthenticationError = Extract<
  ProblemCode,
  'missing_token' | 'invalid_token' | 'expired_token' | 'insufficient_scope' | 'temporarily_unavailable'
>

/** Returns the caller of the request, if its token has the scope. The error is the response to send. */
export async function authenticate(c: AppContext, scope: Scope): Promise<Result<Caller, Response>> {
  const token = presentedToken(c)
  const authenticated = token.ok ? await findCaller(c, token.value, scope) : token
  return authenticated.ok ? authenticated : err(problem(c, authenticated.error))
}

/**
 * Like `authenticate`, but reads the settings now instead of a cached copy. Routes that change something use
 * it. With a cached copy, a revoked key works for up to 60 s, and could create a new key in that time.
 */
export async function authenticateAfresh(c: AppContext, scope: Scope): Promise<Result<Caller, Response>> {
  const caller = await authenticate(c, scope)
  if (!caller.ok) return caller // an unknown caller must not cause a read of the settings on each call
  forgetSettings(caller.value.settings.relying_party_id)
  return authenticate(c, scope)
}

/**
 * Like `authenticate`, for routes that also accept the session's client token, as Bearer or as `?token=`. The
 * response to a client token does not reveal if the session exists.
 */
export async function authenticateForSession(
  c: AppContext,
  verificationId: string,
  scope: Scope,
): Promise<Result<SessionCaller, Response>> {
  const token = presentedToken(c)
  if (!token.ok) {
    // An API key in an address would appear in logs and histories. Only a client token is accepted there.
    const isMisplaced = token.error === 'missing_token' && Boolean(c.req.query('token'))
    return err(problem(c, isMisplaced ? 'invalid_token' : token.error))
  }
  const createdAt = await verifyClientToken(loadConfig(c.env), verificationId, token.value)
  if (createdAt !== undefined) {
    const login = await readLoginCookie(c, verificationId)
    // The login has no session yet, so there is no object to ask.
    if (isLoginToken(token.value) && !login?.isBegun) return err(problem(c, 'verification_not_found'))
    return ok({ kind: 'client_token', createdAt, login: login?.browser })
  }
  const authenticated = await findCaller(c, token.value, scope)
  return authenticated.ok
    ? ok({ kind: 'relying_party', caller: authenticated.value })
    : err(problem(c, authenticated.error))
}

/**
 * Returns the name of the cookie of one login. Each login has its own cookie, so logins in two tabs do not
 * replace each other's cookie.
 */
export function loginCookieName(verificationId: string): string {
  return `wv_login_${verificationId}`
}

/**
 * Cookie of the browser that began a login. `browser`: digest of `secret`. `isBegun`: the session of the
 * login was created.
 */
export type LoginCookie = { readonly secret: string; readonly browser: string; readonly isBegun: boolean }

/** Returns the cookie of the browser that began this login; `undefined` in any other browser. */
export async function readLoginCookie(
  c: AppContext,
  verificationId: string,
): Promise<LoginCookie | undefined> {
  const value = readCookie(c, loginCookieName(verificationId)) ?? ''
  const [, secret, mark] = LOGIN_COOKIE.exec(value) ?? []
  if (secret === undefined) return undefined
  // Only this service makes the mark, so nobody can make this service look for a session that was never
  // created.
  const isMarked =
    mark !== undefined && (await verifyClientToken(loadConfig(c.env), verificationId, mark)) !== undefined
  const isBegun = isMarked || c.get('begunLogin') === verificationId
  return { secret, browser: await hashSecret(secret), isBegun }
}

/** A secret. Once the session is created, the cookie also has a mark, which is the session's client token. */
const LOGIN_COOKIE = /^([A-Za-z0-9_-]{43})(?:~(ct_[0-9a-z]{1,10}\.[A-Za-z0-9_-]{43}))?$/

/** Life of the login cookie in seconds. It covers the session, the return to the client, and the tokens. */
const COOKIE_SECONDS = 1_200

/** Sets the cookie of a login. It is `Lax`, because a redirect from the client's site opens our page. */
export function setLoginCookie(
  c: AppContext,
  verificationId: string,
  secret: string,
  maxAge = COOKIE_SECONDS,
): void {
  writeCookie(c, loginCookieName(verificationId), secret, { sameSite: 'Lax', maxAge })
}

/** Sets the cookie of a login whose session was created at `createdAt` (Unix milliseconds). */
export async function markLoginCookie(
  c: AppContext,
  session: { readonly verification_id: string; readonly created_at: number },
  secret: string,
  maxAge?: number,
): Promise<void> {
  const mark = await signClientToken(loadConfig(c.env), session)
  setLoginCookie(c, session.verification_id, `${secret}~${mark}`, maxAge)
}

/**
 * Returns the value of a cookie that `writeCookie` set; `undefined` if the request does not have the cookie.
 * If the request repeats the cookie, the first value is returned.
 */
export function readCookie(c: AppContext, name: string): string | undefined {
  const pairs = c.req.header('Cookie')?.split(/; */) ?? []
  const start = `${cookiePrefix(c)}${name}=`
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length)
}

/**
 * Sets a cookie for our own host (RFC 6265 §4.1). The name and the value are not escaped. Both must contain
 * only characters that a cookie allows.
 */
export function writeCookie(
  c: AppContext,
  name: string,
  value: string,
  { sameSite, maxAge }: { readonly sameSite: 'Lax' | 'Strict'; readonly maxAge: number },
): void {
  const secure = isHttps(c) ? '; Secure' : ''
  const attributes = `Max-Age=${maxAge}; Path=/; HttpOnly${secure}; SameSite=${sameSite}`
  c.header('Set-Cookie', `${cookiePrefix(c)}${name}=${value}; ${attributes}`, { append: true })
}

/**
 * Returns the prefix of a cookie's name. `__Host-` prevents other hosts of our domain from setting the
 * cookie. Browsers accept this prefix over https only.
 */
function cookiePrefix(c: AppContext): string {
  return isHttps(c) ? '__Host-' : ''
}

export function isHttps(c: AppContext): boolean {
  return loadConfig(c.env).baseUrl.startsWith('https:')
}

/** Returns the digest of a secret, in the form that is stored (base64url). */
export async function hashSecret(secret: string): Promise<string> {
  return encodeBase64url(await sha256(utf8(secret)))
}

/**
 * Returns the token of the Authorization header. Without such a token, returns the client token in `?token=`.
 * This applies to every route (api/access).
 */
export function presentedToken(c: AppContext): ReturnType<typeof bearerToken> {
  const header = bearerToken(c)
  if (header.ok || header.error !== 'missing_token') return header
  const parameter = c.req.query('token')
  return parameter?.startsWith(CLIENT_TOKEN_PREFIX) ? ok(parameter) : header
}

/**
 * Returns the token of the Authorization header (RFC 6750 §2.1). Any visible ASCII character is accepted
 * here. A later check applies the strict form of each kind of token.
 */
function bearerToken(c: AppContext): Result<string, 'missing_token' | 'invalid_token'> {
  const header = c.req.header('Authorization')
  if (header === undefined || !/^bearer(?: |$)/i.test(header)) return err('missing_token')
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
  return token === undefined || token.length > MAXIMUM_TOKEN ? err('invalid_token') : ok(token)
}

const MAXIMUM_TOKEN = LOGIN_TOKEN_CHARACTERS

/** Returns the caller of an API key. The scopes of the key are not checked. */
export async function callerByApiKey(
  c: AppContext,
  key: string,
): Promise<Result<Caller, AuthenticationError>> {
  const parsed = parseApiKey(key)
  if (parsed === undefined) return err('invalid_token')
  const now = Date.now()
  const active = await activeKey(c, parsed, now)
  if (!active.ok) return active
  if (!(await matchesApiKey(active.value.record, parsed))) return err('invalid_token')
  return toCaller(active.value, now)
}

async function findCaller(
  c: AppContext,
  token: string,
  scope: Scope,
): Promise<Result<Caller, AuthenticationError>> {
  // api/access: a client token gets 403 if the route does not accept it, or if the token is for another
  // session.
  if (token.startsWith(CLIENT_TOKEN_PREFIX)) return err('insufficient_scope')
  const isApiKey = token.startsWith(API_KEY_PREFIX)
  const caller = isApiKey ? await callerByApiKey(c, token) : await callerByAccessToken(c, token)
  if (!caller.ok) return caller
  return caller.value.scopes.includes(scope) ? caller : err('insufficient_scope')
}

/**
 * Returns the caller of an access token (api/settings). The signature is verified here. The API key of the
 * token is looked up each time, so the token ends when its key is revoked.
 */
async function callerByAccessToken(
  c: AppContext,
  token: string,
): Promise<Result<Caller, AuthenticationError>> {
  const now = Date.now()
  const verified = await verifyAccessToken(loadConfig(c.env), token, now)
  if (!verified.ok) return verified
  const active = await activeKey(c, verified.value, now)
  if (!active.ok) return active
  const caller = toCaller(active.value, now)
  if (!caller.ok) return caller
  const { scopes } = verified.value
  return ok({ ...caller.value, scopes: caller.value.scopes.filter((scope) => scopes.includes(scope)) })
}

type KeyName = { readonly relyingPartyId: string; readonly keyId: string; readonly livemode: boolean }
type ActiveKey = { readonly settings: Settings; readonly record: ApiKeyRecord }

/**
 * Returns the API key with this id, from settings that are at most 60 s old. The id alone is no proof: the
 * secret of the key, or the signature of the token, must be verified as well.
 */
async function activeKey(
  c: AppContext,
  { relyingPartyId, keyId, livemode }: KeyName,
  now: number,
): Promise<Result<ActiveKey, AuthenticationError>> {
  const settings = await loadSettings(c.env, relyingPartyId, now)
  if (!settings.ok) {
    return err(settings.error === 'unavailable' ? 'temporarily_unavailable' : 'invalid_token')
  }
  const record = settings.value.api_keys.find((key) => key.key_id === keyId)
  if (record === undefined || settings.value.livemode !== livemode) return err('invalid_token')
  return ok({ settings: settings.value, record })
}

function toCaller({ settings, record }: ActiveKey, now: number): Result<Caller, 'expired_token'> {
  const { key_id, scopes, expires_at } = record
  if (expires_at !== null && expires_at <= now) return err('expired_token')
  return ok({ settings, keyId: key_id, scopes, keyExpiresAt: expires_at })
}
