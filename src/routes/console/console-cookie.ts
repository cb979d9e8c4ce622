// The cookie of a console that is signed in (docs/console.md). It contains the owner's token in encrypted
// form. Each call is made with that token, so the console can do only what the token allows. If the token
// expires or is revoked, the sign-in ends. A sign-out ends the sign-in on the server, so a copy of the cookie
// opens nothing.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { loadConfig } from '../../config.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { randomBytes } from '../../crypto/random.ts'
import { deriveKey, seal, unseal } from '../../crypto/seal.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import type { SignIn } from '../../relying-party/document/sign-outs.ts'
import { parseApiKey } from '../../relying-party/keys/api-key.ts'
import { endSignIn, hasEnded, OPERATOR } from '../../relying-party/sign-outs-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { readCookie, writeCookie } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'

/** Time for which a console stays signed in. */
export const SIGNED_IN_SECONDS = 12 * 3600

/** Header that contains the page token. */
const PAGE_TOKEN = 'Console-Token'
const NAME = 'wv_console'
const PLACE = 'console-sign-in'
const IV_BYTES = 12
const ID_BYTES = 16

/** Owner of a sign-in, the owner's token, and the expiry of the sign-in in Unix milliseconds. */
export type ConsoleSession = {
  readonly owner: 'relying_party' | 'operator'
  readonly token: string
  readonly expires_at: number
}

/** Content of the cookie. */
type SealedSignIn = ConsoleSession & SignIn

/**
 * Signs in: ends the sign-in of the browser's present cookie, and sets a new cookie. Returns the page token,
 * which each call of this console must send. Throws if the object of the present owner cannot be reached.
 */
export async function openConsole(c: AppContext, session: ConsoleSession): Promise<string> {
  const key = await deriveCookieKey(c)
  const now = Date.now()
  const signIn: SealedSignIn = { ...session, id: encodeBase64url(randomBytes(ID_BYTES)), signed_in_at: now }
  const sealed = await seal({ key, aad: PLACE }, JSON.stringify(signIn), randomBytes(IV_BYTES))
  await endConsole(c)
  const maxAge = Math.max(0, Math.floor((session.expires_at - now) / 1000))
  writeCookie(c, NAME, sealed, { sameSite: 'Strict', maxAge })
  return pageToken(key, sealed)
}

/**
 * Returns the session of the cookie, for a page that sent the page token of this sign-in. A sign-in that has
 * ended is `missing_token`, and the token of another sign-in `cross_site_request`. The result is
 * `temporarily_unavailable` if the sign-outs cannot be read.
 */
export async function readConsole(
  c: AppContext,
): Promise<Result<ConsoleSession, 'missing_token' | 'cross_site_request' | 'temporarily_unavailable'>> {
  const cookie = await openCookie(c)
  if (cookie === undefined) return err('missing_token')
  const { signIn, isOfPage } = cookie
  const ended = await hasEnded(c.env, ownerId(signIn), signIn, Date.now())
  if (!ended.ok) return err('temporarily_unavailable')
  if (ended.value) return err('missing_token')
  return isOfPage ? ok(signIn) : err('cross_site_request')
}

/**
 * Signs out: ends the sign-in on the server, and removes the cookie. Returns false for the page of another
 * sign-in, which cannot end this one. Throws if the object of the owner cannot be reached: then the sign-in
 * goes on, and the browser keeps the cookie with which a person can try again.
 */
export async function signOutConsole(c: AppContext): Promise<boolean> {
  const cookie = await openCookie(c)
  if (cookie !== undefined && !cookie.isOfPage) return false
  await endConsole(c)
  closeConsole(c)
  return true
}

/** Removes the cookie. */
export function closeConsole(c: AppContext): void {
  writeCookie(c, NAME, '', { sameSite: 'Strict', maxAge: 0 })
}

/** Ends the sign-in of the cookie, if there is one. */
async function endConsole(c: AppContext): Promise<void> {
  const cookie = await openCookie(c)
  if (cookie !== undefined) await endSignIn(c.env, ownerId(cookie.signIn), cookie.signIn, Date.now())
}

/**
 * Returns the sign-in of the cookie; `undefined` if there is no cookie of this service, or if it has expired.
 * `isOfPage`: the caller sent the page token of this sign-in.
 */
async function openCookie(
  c: AppContext,
): Promise<{ readonly signIn: SealedSignIn; readonly isOfPage: boolean } | undefined> {
  const sealed = readCookie(c, NAME)
  if (sealed === undefined) return undefined
  const key = await deriveCookieKey(c)
  const text = await unseal({ key, aad: PLACE }, sealed)
  if (text === undefined) return undefined
  const signIn = JSON.parse(text) as SealedSignIn // sealed by us
  if (signIn.expires_at <= Date.now()) return undefined
  const sent = c.req.header(PAGE_TOKEN) ?? ''
  return { signIn, isOfPage: timingSafeEqualText(await pageToken(key, sealed), sent) }
}

/** Returns the name under which the sign-outs of an owner are stored. */
function ownerId({ owner, token }: ConsoleSession): string {
  return owner === 'operator' ? OPERATOR : (parseApiKey(token)?.relyingPartyId ?? '')
}

function deriveCookieKey(c: AppContext): Promise<Uint8Array<ArrayBuffer>> {
  return deriveKey(loadConfig(c.env).serverSecret, 'console')
}

/**
 * Returns the page token of a sealed cookie. Each sign-in has another token. A page of another site cannot
 * read the token.
 */
async function pageToken(key: Uint8Array<ArrayBuffer>, sealed: string): Promise<string> {
  return encodeBase64url(await hmacSha256(key, utf8(`console-change\0${sealed}`)))
}
