// Authenticates a relying party by its bearer token, a person for whom the console calls, and the page of a
// session by its client token, for a login also by its cookie. The prefix of a token identifies its kind. A
// token without a known prefix can only be an access token.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { loadConfig } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { LOGIN_TOKEN_CHARACTERS } from '../../limits.ts'
import type { Actor } from '../../relying-party/audit/actor.ts'
import type { ApiKeyRecord, Scope, Settings } from '../../relying-party/document/settings.ts'
import { verifyAccessToken } from '../../relying-party/keys/access-token.ts'
import { API_KEY_PREFIX, matchesApiKey, parseApiKey } from '../../relying-party/keys/api-key.ts'
import { noteKeyUse } from '../../relying-party/keys/key-uses.ts'
import { findPerson } from '../../relying-party/people/console-calls.ts'
import { type Person, personActor, scopesOf } from '../../relying-party/people/person.ts'
import { forgetSettings, loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionAccess } from '../../session/access.ts'
import {
  CLIENT_TOKEN_PREFIX,
  signClientToken,
  verifyClientToken,
  verifySessionToken,
} from '../../session/request/client-token.ts'
import { isLoginToken } from '../../session/request/login-token.ts'
import type { AppContext } from './context.ts'
import { readCookie, writeCookie } from './cookies.ts'
import { type ProblemCode, problem } from './problems.ts'

/**
 * A caller of the API for one relying party: the relying party's server, or a person of the relying party for
 * whom the console calls. The server sends one of its API keys, or an access token issued for such a key.
 */
export type Caller = {
  readonly settings: Settings
  /** Id of the API key; null: a person calls. */
  readonly keyId: string | null
  /** The caller as the audit log names it. */
  readonly actor: Actor
  /**
   * The scopes of this call: the scopes of the key, reduced to the scopes of the access token. For a person,
   * the scopes of their roles.
   */
  readonly scopes: readonly Scope[]
  /** Expiry of the key in Unix milliseconds; null: the key does not expire. */
  readonly keyExpiresAt: number | null
}

/** A caller with an API key. */
export type KeyCaller = Caller & { readonly keyId: string }

/** A caller of a session's route: a relying party, or a holder of the session's client token. */
export type SessionCaller =
  | { readonly kind: 'relying_party'; readonly caller: Caller }
  /**
   * `createdAt`: time at which the token's session was created. A later session with the same id has another
   * time. `login`: digest of the secret in the login cookie; `undefined` in a browser that did not begin the
   * login.
   */
  | { readonly kind: 'client_token'; readonly createdAt: number; readonly login: string | undefined }

/** Returns the access that this caller has to the session. */
export function toAccess(caller: SessionCaller): SessionAccess {
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
  const authenticated = await findPresented(c, scope)
  return authenticated.ok ? authenticated : err(problem(c, authenticated.error))
}

/**
 * Like `authenticate`, but reads the settings now instead of a cached copy. Routes that change something use
 * this function. With a cached copy, a revoked key works for up to 60 s, and could create a new key in that
 * time.
 */
export async function authenticateAfresh(c: AppContext, scope: Scope): Promise<Result<Caller, Response>> {
  const caller = await authenticate(c, scope)
  if (!caller.ok) return caller // an unknown caller must not cause a read of the settings on each call
  forgetSettings(caller.value.settings.relying_party_id)
  return authenticate(c, scope)
}

/**
 * Like `authenticate`, for routes that also accept the session's client token, as Bearer or as `?token=`. The
 * refusal of a client token does not reveal if the session exists.
 */
export async function authenticateForSession(
  c: AppContext,
  verificationId: string,
  scope: Scope,
): Promise<Result<SessionCaller, Response>> {
  if (findPerson(c.req.raw) !== undefined) {
    const caller = await authenticate(c, scope)
    return caller.ok ? ok({ kind: 'relying_party', caller: caller.value }) : caller
  }
  const token = presentedToken(c)
  if (!token.ok) {
    // An API key in an address would appear in logs and histories. Only a client token is accepted there.
    const isMisplaced = token.error === 'missing_token' && Boolean(c.req.query('token'))
    return err(problem(c, isMisplaced ? 'invalid_token' : token.error))
  }
  const createdAt = await verifyClientToken(loadConfig(c.env), verificationId, token.value)
  if (createdAt !== undefined) {
    const login = await readLoginCookie(c, verificationId)
    // The login has no session yet, so there is no Durable Object to call.
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
  // Only this service can make the mark in the cookie. So a forged cookie cannot make this service look for a
  // session that was never created.
  const isMarked =
    mark !== undefined && (await verifySessionToken(loadConfig(c.env), verificationId, mark)) !== undefined
  const isBegun = isMarked || c.get('begunLogin') === verificationId
  return { secret, browser: await hashSecret(secret), isBegun }
}

/**
 * Form of the login cookie: a secret. Once the session is created, a mark follows: the session's client
 * token.
 */
const LOGIN_COOKIE = /^([A-Za-z0-9_-]{43})(?:~(ct_[0-9a-z]{1,10}\.[A-Za-z0-9_-]{43}))?$/

/**
 * Life of the login cookie in seconds. This time covers the session, the return to the client, and the
 * tokens.
 */
const COOKIE_SECONDS = 1_200

/**
 * Sets the cookie of a login. The cookie is `Lax`, because a redirect from the client's site opens our page.
 */
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
): Promise<Result<KeyCaller, AuthenticationError>> {
  const parsed = parseApiKey(key)
  if (parsed === undefined) return err('invalid_token')
  const now = Date.now()
  const active = await activeKey(c, parsed, now)
  if (!active.ok) return active
  if (!(await matchesApiKey(active.value.record, parsed))) return err('invalid_token')
  return toCaller(c, active.value, now)
}

/**
 * Returns a person as a caller. The settings are at most 60 s old. If the settings give the person's roles no
 * scope, the error is `invalid_token`.
 */
export async function callerByPerson(
  c: AppContext,
  person: Person,
): Promise<Result<Caller, AuthenticationError>> {
  const settings = await readSettings(c, person.relying_party_id, Date.now())
  if (!settings.ok) return settings
  const scopes = scopesOf(settings.value.console_sign_in, person)
  if (scopes.length === 0) return err('invalid_token')
  const actor = personActor(person)
  c.set('caller', { actor, relyingPartyId: person.relying_party_id })
  return ok({ settings: settings.value, keyId: null, actor, scopes, keyExpiresAt: null })
}

async function findPresented(c: AppContext, scope: Scope): Promise<Result<Caller, AuthenticationError>> {
  const person = findPerson(c.req.raw)
  if (person !== undefined) return withScope(await callerByPerson(c, person), scope)
  const token = presentedToken(c)
  return token.ok ? findCaller(c, token.value, scope) : token
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
  return withScope(await (isApiKey ? callerByApiKey(c, token) : callerByAccessToken(c, token)), scope)
}

function withScope(
  caller: Result<Caller, AuthenticationError>,
  scope: Scope,
): Result<Caller, AuthenticationError> {
  return !caller.ok || caller.value.scopes.includes(scope) ? caller : err('insufficient_scope')
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
  const caller = toCaller(c, active.value, now)
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
  const settings = await readSettings(c, relyingPartyId, now)
  if (!settings.ok) return settings
  const record = settings.value.api_keys.find((key) => key.key_id === keyId)
  if (record === undefined || settings.value.livemode !== livemode) return err('invalid_token')
  return ok({ settings: settings.value, record })
}

async function readSettings(
  c: AppContext,
  relyingPartyId: string,
  now: number,
): Promise<Result<Settings, 'temporarily_unavailable' | 'invalid_token'>> {
  const settings = await loadSettings(c.env, relyingPartyId, now)
  if (settings.ok) return settings
  return err(settings.error === 'unavailable' ? 'temporarily_unavailable' : 'invalid_token')
}

/**
 * Returns the caller of a key, and records the use of the key. The key's secret or its access token must be
 * verified before.
 */
function toCaller(
  c: AppContext,
  { settings, record }: ActiveKey,
  now: number,
): Result<KeyCaller, 'expired_token'> {
  const { key_id, name = null, scopes, expires_at } = record
  if (expires_at !== null && expires_at <= now) return err('expired_token')
  const actor = { kind: 'api_key', key_id, name } as const
  const relyingPartyId = settings.relying_party_id
  c.set('caller', { actor, relyingPartyId })
  noteKeyUse(c.env, { relyingPartyId, keyId: key_id }, now)
  return ok({ settings, keyId: key_id, actor, scopes, keyExpiresAt: expires_at })
}
