// The cookie of a console that is signed in (docs/console.md). Its encrypted content is an API key, the
// operator's token, or the data of the person who signed in. Each call is made with that key or token, or for
// that person. So the console can do only what the key, the token or the person's roles allow. If the key or
// the token becomes invalid, or the roles end, the sign-in ends. A sign-out ends the sign-in on the server,
// so a copy of the cookie gives no access. After an hour in which no person did anything, the sign-in ends.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { loadConfig } from '../../config.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { randomBytes } from '../../crypto/random.ts'
import { deriveKey, seal, unseal } from '../../crypto/seal.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import type { Actor } from '../../relying-party/audit/actor.ts'
import type { SignIn } from '../../relying-party/document/sign-outs.ts'
import { parseApiKey } from '../../relying-party/keys/api-key.ts'
import { type Person, personActor } from '../../relying-party/people/person.ts'
import { loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { endSignIn, hasEnded, OPERATOR } from '../../relying-party/sign-outs-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { consoleOrigin } from '../audit/origin.ts'
import type { AppContext } from '../edge/context.ts'
import { readCookie, writeCookie } from '../edge/cookies.ts'

/** Time for which a console stays signed in. */
export const SIGNED_IN_SECONDS = 12 * 3600

/** Time without activity of a person after which a sign-in ends. */
const IDLE_MS = 3_600_000

/** Header that contains the page token. */
const PAGE_TOKEN = 'Console-Token'
const NAME = 'wv_console'
const PLACE = 'console-sign-in'
const IV_BYTES = 12
const ID_BYTES = 16

/** Content of a sign-in. `owner`: the party that is signed in. Times are Unix milliseconds. */
export type ConsoleSession = {
  /** Time of the authentication; null: the provider did not say it. */
  readonly authenticated_at: number | null
  readonly expires_at: number
} & (
  | { readonly owner: 'relying_party' | 'operator'; readonly token: string }
  | { readonly owner: 'person'; readonly person: Person }
)

/** Content of the cookie. `active_at`: last time at which the page said that a person did something. */
type SealedSignIn = ConsoleSession & SignIn & { readonly active_at: number }

/**
 * Signs in: ends the sign-in of the browser's present cookie, and sets a new cookie. Returns the page token,
 * which each call of this console must send. Throws if the Durable Object that stores the sign-outs cannot be
 * reached.
 */
export async function openConsole(c: AppContext, session: ConsoleSession): Promise<string> {
  const key = await deriveCookieKey(c)
  const now = Date.now()
  const id = encodeBase64url(randomBytes(ID_BYTES))
  await endConsole(c)
  await setCookie(c, { ...session, id, signed_in_at: now, active_at: now }, now)
  return pageToken(key, id)
}

/**
 * Renews the cookie after activity of a person: the hour without activity begins again. The sign-in keeps its
 * id, its page token and its expiry. The errors are the same as in `readConsole`.
 */
export async function renewConsole(c: AppContext): ReturnType<typeof readConsole> {
  const signIn = await readConsole(c)
  if (!signIn.ok) return signIn
  const now = Date.now()
  await setCookie(c, { ...signIn.value, active_at: now }, now)
  return signIn
}

/**
 * Returns the session of the cookie, for a page that sent the page token of this sign-in. The error is
 * `missing_token` if the sign-in has ended, and `cross_site_request` for the page token of another sign-in.
 * The error is `temporarily_unavailable` if the sign-outs cannot be read.
 */
export async function readConsole(
  c: AppContext,
): Promise<Result<SealedSignIn, 'missing_token' | 'cross_site_request' | 'temporarily_unavailable'>> {
  const cookie = await openCookie(c)
  if (cookie === undefined) return err('missing_token')
  const { signIn, isOfPage } = cookie
  const ended = await hasEnded(c.env, ownerId(signIn), signIn, Date.now())
  if (!ended.ok) return err('temporarily_unavailable')
  if (ended.value) return err('missing_token')
  return isOfPage ? ok(signIn) : err('cross_site_request')
}

/**
 * Signs out: ends the sign-in on the server, and removes the cookie. Returns the session that has ended; null
 * if there was none. A page of another sign-in gets `cross_site_request`, and ends nothing. Throws if the
 * Durable Object that stores the sign-outs cannot be reached. The sign-in then goes on, and the browser keeps
 * the cookie, so a person can try again.
 */
export async function signOutConsole(
  c: AppContext,
): Promise<Result<ConsoleSession | null, 'cross_site_request'>> {
  const cookie = await openCookie(c)
  if (cookie !== undefined && !cookie.isOfPage) return err('cross_site_request')
  await endConsole(c)
  closeConsole(c)
  return ok(cookie?.signIn ?? null)
}

/** Removes the cookie. */
export function closeConsole(c: AppContext): void {
  writeCookie(c, NAME, '', { sameSite: 'Strict', maxAge: 0 })
}

async function setCookie(c: AppContext, signIn: SealedSignIn, now: number): Promise<void> {
  const sealing = { key: await deriveCookieKey(c), aad: PLACE }
  const sealed = await seal(sealing, JSON.stringify(signIn), randomBytes(IV_BYTES))
  const maxAge = Math.max(0, Math.floor((signIn.expires_at - now) / 1000))
  writeCookie(c, NAME, sealed, { sameSite: 'Strict', maxAge })
}

/** Ends the sign-in of the cookie, if there is one. */
async function endConsole(c: AppContext): Promise<void> {
  const cookie = await openCookie(c)
  if (cookie === undefined) return
  const { signIn } = cookie
  const now = Date.now()
  const by = consoleOrigin(c, await loadActor(c, signIn, now))
  await endSignIn(c.env, ownerId(signIn), signIn, { now, by })
}

/** Returns the party that is signed in, as the audit log names it. A revoked key has no name. */
async function loadActor(c: AppContext, session: ConsoleSession, now: number): Promise<Actor> {
  if (session.owner === 'operator') return { kind: 'operator', name: null }
  if (session.owner === 'person') return personActor(session.person)
  const key_id = parseApiKey(session.token)?.keyId ?? ''
  const settings = await loadSettings(c.env, ownerId(session), now)
  const record = settings.ok ? settings.value.api_keys.find((key) => key.key_id === key_id) : undefined
  return { kind: 'api_key', key_id, name: record?.name ?? null }
}

/**
 * Returns the sign-in of the cookie; `undefined` if there is no cookie of this service, if the cookie has
 * expired, or after an hour without activity. `isOfPage`: the caller sent the page token of this sign-in.
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
  const now = Date.now()
  // A cookie of an older version has no `active_at`. Its sign-in is handled as ended.
  const isActive = now - signIn.active_at < IDLE_MS
  if (signIn.expires_at <= now || !isActive) return undefined
  const header = c.req.header(PAGE_TOKEN) ?? ''
  return { signIn, isOfPage: timingSafeEqualText(await pageToken(key, signIn.id), header) }
}

/** Returns the id of the owner under which a sign-out is stored: the operator, or the relying party. */
function ownerId(session: ConsoleSession): string {
  if (session.owner === 'person') return session.person.relying_party_id
  return session.owner === 'operator' ? OPERATOR : (parseApiKey(session.token)?.relyingPartyId ?? '')
}

function deriveCookieKey(c: AppContext): Promise<Uint8Array<ArrayBuffer>> {
  return deriveKey(loadConfig(c.env).serverSecret, 'console')
}

/**
 * Returns the page token of a sign-in, by the id of the sign-in. Each sign-in has its own token. A page of
 * another site cannot read the token.
 */
async function pageToken(key: Uint8Array<ArrayBuffer>, id: string): Promise<string> {
  return encodeBase64url(await hmacSha256(key, utf8(`console-change\0${id}`)))
}
