// The cookie of a console that is signed in (docs/console.md). It contains the owner's token in encrypted
// form. Each call is made with that token, so the console can do only what the token allows. If the token
// expires or is revoked, the sign-in ends.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { loadConfig } from '../../config.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { randomBytes } from '../../crypto/random.ts'
import { deriveKey, seal, unseal } from '../../crypto/seal.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import { readCookie, writeCookie } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'

/** Time for which a console stays signed in. */
export const SIGNED_IN_SECONDS = 12 * 3600

const NAME = 'wv_console'
const PLACE = 'console-cookie'
const IV_BYTES = 12

/**
 * Sign-in of a console: its owner, the owner's token, and the expiry of the sign-in. `expires_at`: Unix
 * milliseconds.
 */
export type ConsoleSession = {
  readonly owner: 'relying_party' | 'operator'
  readonly token: string
  readonly expires_at: number
}

/** Sets the cookie. Returns the page token, which each call of this console must send. */
export async function openConsole(c: AppContext, session: ConsoleSession): Promise<string> {
  const key = await deriveCookieKey(c)
  const sealed = await seal({ key, aad: PLACE }, JSON.stringify(session), randomBytes(IV_BYTES))
  const maxAge = Math.max(0, Math.floor((session.expires_at - Date.now()) / 1000))
  writeCookie(c, NAME, sealed, { sameSite: 'Strict', maxAge })
  return pageToken(key, sealed)
}

/**
 * Returns the session in the cookie, and its page token; `undefined` without a valid cookie. `isOfPage`
 * compares a sent token with the page token.
 */
export async function readConsole(c: AppContext) {
  const sealed = readCookie(c, NAME)
  if (sealed === undefined) return undefined
  const key = await deriveCookieKey(c)
  const text = await unseal({ key, aad: PLACE }, sealed)
  if (text === undefined) return undefined
  const session = JSON.parse(text) as ConsoleSession // sealed by us
  if (session.expires_at <= Date.now()) return undefined
  const expected = await pageToken(key, sealed)
  return { session, pageToken: expected, isOfPage: (sent: string) => timingSafeEqualText(expected, sent) }
}

/** Removes the cookie. */
export function closeConsole(c: AppContext): void {
  writeCookie(c, NAME, '', { sameSite: 'Strict', maxAge: 0 })
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
