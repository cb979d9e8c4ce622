// The end of a login: its browser gets a code, and the client redeems the code for tokens. As in
// same-device.ts, all awaits come first. Then one synchronous step reads and writes the document.

import { loadConfig } from '../../config.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionDocument } from '../document/document.ts'
import {
  CODE_MS,
  FINISH_MS,
  type Login,
  type LoginSuccess,
  loginErasedAt,
  TOKEN_MS,
} from '../document/login.ts'
import { type AttemptReason, refusalFamily } from '../document/refusal-family.ts'
import { endSession } from '../end/end-session.ts'
import { applyTimeouts } from '../end/timeouts.ts'
import { buildSessionUrl } from '../request/client-token.ts'
import { boundEnd } from '../return/same-device.ts'
import type { SessionContext } from '../store/context.ts'
import { loadWebhook } from '../store/webhook.ts'
import { issueIdToken, issueUserInfo } from '../tokens/tokens.ts'

/**
 * Redirect of the browser to the client, and the result of the login. `locale`: page language that the client
 * chose.
 */
export type LoginEnd = Pick<Login, 'client_id' | 'redirect_uri' | 'response_mode' | 'state'> & {
  readonly locale: string | null
  readonly end: /** `page`: address of the session's page. */
    | { readonly kind: 'pending'; readonly page: string }
    | { readonly kind: 'code' }
    /** The code was redeemed. */
    | { readonly kind: 'over' }
    | { readonly kind: 'error'; readonly error: string; readonly description: string }
}

/**
 * Redemption of a code at the token endpoint. `code`: digest of the code's secret. `challenge`: PKCE
 * challenge that was computed from the sent `code_verifier`; null without a `code_verifier`.
 */
export type Redemption = {
  readonly relyingPartyId: string
  readonly clientId: string
  /** True if the client authenticated. */
  readonly confidential: boolean
  readonly redirectUri: string
  readonly challenge: string | null
  readonly code: string
  readonly issuedAt: number
  /** Digest of the access token for the client. */
  readonly token: string
  /** Thumbprint of the key of the DPoP proof; null without a proof. */
  readonly jkt: string | null
}

/**
 * Returns the redirect of a login for its browser, with the current result. The call does not use up the
 * code, so a reload gets the same result.
 */
export async function finishLogin(
  context: SessionContext,
  { relyingPartyId, browser }: { readonly relyingPartyId: string; readonly browser: string },
  now: number,
): Promise<Result<LoginEnd & { readonly createdAt: number }, 'not_found'>> {
  await applyTimeouts(context, now)
  const document = context.store.session()
  const login = document?.login
  if (document?.relying_party_id !== relyingPartyId || login === undefined) return err('not_found')
  if (!timingSafeEqualText(login.browser, browser)) return err('not_found')
  const { client_id, redirect_uri, response_mode, state, redeemed } = login
  const page = await buildSessionUrl(loadConfig(context.env), document)
  const { locale } = document.request
  const end = redeemed === null ? decideEnd(document, page, now) : ({ kind: 'over' } as const)
  const { created_at: createdAt } = document
  return ok({ createdAt, client_id, redirect_uri, response_mode, state, locale, end })
}

function decideEnd(document: SessionDocument, page: string, now: number): LoginEnd['end'] {
  const result = toResult(document)
  if (result === undefined)
    return document.status === 'pending' ? { kind: 'pending', page } : describeFailure(document)
  if (result.failure === 'assurance_level_too_low')
    return { kind: 'error', error: 'unmet_authentication_requirements', description: result.failure }
  if (result.failure !== null) return denied(result.failure)
  return now < result.at + FINISH_MS ? { kind: 'code' } : denied('session_expired')
}

/** Returns the result that the browser may bring to the client; `undefined` if there is none yet. */
function toResult({ status, held, login }: SessionDocument) {
  // api/binding: if the session requires the binding `relying_party`, the session ends when the client
  // redeems the code. Until then the result is held.
  return login?.result ?? (status === 'pending' && held?.returned ? held.login : undefined)
}

function describeFailure({ status, outcome }: SessionDocument): LoginEnd['end'] {
  const reason = outcome?.reason ?? 'session_expired'
  // An expired session has the reason of its last attempt. If only a check was unavailable, a new login may
  // succeed.
  const isUnchecked = status === 'expired' && reason !== 'session_expired' && isUnavailable(reason)
  return isUnchecked
    ? { kind: 'error', error: 'temporarily_unavailable', description: reason }
    : denied(reason)
}

function isUnavailable(reason: string): boolean {
  return refusalFamily(reason as AttemptReason) === 'unavailable' // the reason of an attempt
}

function denied(description: string): LoginEnd['end'] {
  return { kind: 'error', error: 'access_denied', description }
}

/** Result of a redemption. `expiresIn`: lifetime of the access token in seconds. */
type Redeemed = { readonly idToken: string; readonly scope: string; readonly expiresIn: number }

/**
 * Redeems a code for tokens. A second redemption of the code fails, and revokes the access token of the first
 * redemption.
 */
export async function redeemLogin(
  context: SessionContext,
  redemption: Redemption,
  now: number,
): Promise<Result<Redeemed, 'invalid_grant'>> {
  await applyTimeouts(context, now)
  const redeemableLogin = redeemable(context, redemption, now)
  if (!redeemableLogin.ok) return redeemableLogin
  const config = loadConfig(context.env)
  const [idToken, webhook] = await Promise.all([
    issueIdToken(redeemableLogin.value.document, redeemableLogin.value.result, { config, now }),
    loadWebhook(context, now),
  ])
  const current = redeemable(context, redemption, now)
  if (!current.ok || current.value.result !== redeemableLogin.value.result) return err('invalid_grant')
  const { document } = current.value
  const { held, login } = document
  // The access token does not outlive its login.
  const until = Math.min(now + TOKEN_MS, loginErasedAt(document))
  const redeemed = { token: toStoredToken(redemption), until, jkt: redemption.jkt }
  if (held?.returned) {
    const returned = { browser: held.browser, until: held.until, redeemed: true }
    const result = withoutClaims(current.value.result, 'id_token')
    const end = { ...boundEnd(held, 'relying_party', returned), login: result }
    const changed = redeemedDocument(document, login, redeemed)
    if (!endSession(context, end, { webhook, now }, changed)) return err('invalid_grant')
  } else {
    context.store.commit(redeemedDocument(document, login, redeemed))
  }
  return ok({ idToken, scope: login.scope, expiresIn: Math.floor((until - now) / 1000) })
}

/**
 * Returns the document after a redemption. The stored ID token is removed, because a code is redeemed only
 * once. If the client is confidential and the browser has returned, the session binding becomes
 * `relying_party`.
 */
function redeemedDocument(
  document: SessionDocument,
  login: Login,
  redemption: NonNullable<Login['redeemed']>,
): SessionDocument {
  const result = withoutClaims(login.result, 'id_token')
  const redeemed = { ...document, login: { ...login, result, redeemed: redemption } }
  const { returned } = document
  if (!login.confidential || returned === null || returned.redeemed) return redeemed
  return { ...redeemed, returned: { ...returned, redeemed: true }, version: document.version + 1 }
}

/** Returns a result without the claims of one token, because no client can get that token any more. */
function withoutClaims<R extends Login['result']>(result: R, token: 'id_token' | 'userinfo'): R {
  return result?.failure === null ? { ...result, [token]: { claims: {} } } : result
}

type Redeemable = {
  readonly document: SessionDocument & { readonly login: Login }
  readonly result: LoginSuccess
}

/**
 * Returns the document and the result if the code is valid now. If the code was already redeemed, revokes its
 * access token.
 */
function redeemable(
  { store }: SessionContext,
  redemption: Redemption,
  now: number,
): Result<Redeemable, 'invalid_grant'> {
  const document = store.session()
  const login = document?.login
  if (document === undefined || login === undefined) return err('invalid_grant')
  if (!timingSafeEqualText(login.code, redemption.code)) return err('invalid_grant')
  if (login.redeemed !== null) {
    if (login.redeemed.token !== null) {
      const revoked = { ...login, redeemed: { ...login.redeemed, token: null } }
      store.commit({ ...document, login: { ...revoked, result: withoutClaims(login.result, 'userinfo') } })
    }
    return err('invalid_grant')
  }
  const isOfClient =
    document.relying_party_id === redemption.relyingPartyId &&
    login.client_id === redemption.clientId &&
    login.confidential === redemption.confidential &&
    login.redirect_uri === redemption.redirectUri
  // RFC 9700 §2.1.1: a `code_verifier` without an earlier `code_challenge` is a PKCE downgrade.
  const isProven = login.code_challenge === redemption.challenge
  const isOfKey = [null, redemption.jkt].includes(login.dpop_jkt ?? null)
  const isInTime = now < redemption.issuedAt + CODE_MS
  const result = toResult(document)
  if (!isOfClient || !isProven || !isOfKey || !isInTime || result === undefined || result.failure !== null)
    return err('invalid_grant')
  return ok({ document: { ...document, login }, result })
}

/**
 * Digest of an access token, and the thumbprint of the key of its DPoP proof. `jkt` is null for a bearer
 * token.
 */
type PresentedToken = { readonly token: string; readonly jkt: string | null }

/**
 * Returns the stored form of an access token: its digest. The form of a token that is bound to a key begins
 * with `DPoP`. So a build without DPoP, which compares the digest only, rejects the token after a rollback.
 */
function toStoredToken({ token, jkt }: PresentedToken): string {
  return jkt === null ? token : `DPoP ${token}`
}

/** UserInfo for an access token, and the client to which the access token was issued. */
export type UserInfo = { readonly clientId: string } & ({ readonly jwt: string } | { readonly json: string })

/** Returns the UserInfo response for a live access token. */
export async function readUserInfo(
  context: SessionContext,
  relyingPartyId: string,
  presented: PresentedToken,
  now: number,
): Promise<Result<UserInfo, 'invalid_token'>> {
  await applyTimeouts(context, now)
  const document = context.store.session()
  const login = document?.login
  const result = login?.result
  if (document?.relying_party_id !== relyingPartyId || !login?.redeemed?.token) return err('invalid_token')
  const isSame = timingSafeEqualText(login.redeemed.token, toStoredToken(presented))
  if (!isSame || login.redeemed.until <= now) return err('invalid_token')
  if ((login.redeemed.jkt ?? null) !== presented.jkt) return err('invalid_token')
  if (!result || result.failure !== null) return err('invalid_token')
  const response = await issueUserInfo({ ...document, login }, result, loadConfig(context.env))
  return ok({ clientId: login.client_id, ...response })
}
