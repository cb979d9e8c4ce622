// The person's browser (CONTRACT 5): the origin of our own pages, and the cookie that identifies the browser.

import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { configOf } from '../../config.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import { derivedKey } from '../../session/keys.ts'
import { BROWSER_SECRET_BYTES, HOLD_MS } from '../../session/return/binding.ts'
import type { AppContext } from '../edge/context.ts'
import { LONGEST_SESSION_SECONDS } from '../edge/schemas.ts'

/** Accepts requests of our own pages. Browsers set `Origin` on every POST, and no other page can set ours. */
export function isOwnPage(c: AppContext): boolean {
  const site = c.req.header('Sec-Fetch-Site')
  const isSameSite = site === undefined || site === 'same-origin'
  return isSameSite && c.req.header('Origin') === configOf(c.env).baseUrl
}

const COOKIE = 'wv_browser'

const SECRET = new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((BROWSER_SECRET_BYTES * 4) / 3)}}$`)

/**
 * Returns the browser's secret. Null for a value that this service cannot have made. Over plain http
 * (loopback) any local server can set the cookie, so the value has a MAC there.
 */
export async function getBrowserCookie(c: AppContext): Promise<string | null> {
  const value = isHttps(c) ? getCookie(c as Context, COOKIE, 'host') : getCookie(c as Context, COOKIE)
  const [secret = '', mac] = value?.split('~') ?? []
  if (!SECRET.test(secret)) return null
  const isOurs = isHttps(c) ? mac === undefined : timingSafeEqualText(mac ?? '', await macOf(c, secret))
  return isOurs ? secret : null
}

/**
 * Sets one secret for all sessions of a browser: a second link must not replace the first one's cookie.
 * `SameSite=Strict` suffices: our own page's script sends the cookie, and opening the page needs none.
 * `__Host-` prevents other hosts of our domain from setting the cookie.
 */
export async function setBrowserCookie(c: AppContext, secret: string): Promise<void> {
  const secure = isHttps(c)
  const value = secure ? secret : `${secret}~${await macOf(c, secret)}`
  const maxAge = LONGEST_SESSION_SECONDS + HOLD_MS / 1000
  const cookie = `${COOKIE}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Strict`
  c.header('Set-Cookie', secure ? `__Host-${cookie}; Secure` : cookie, { append: true })
}

async function macOf(c: AppContext, secret: string): Promise<string> {
  const key = await derivedKey(configOf(c.env), 'browser-cookie')
  return encodeBase64url(await hmacSha256(key, utf8(secret)))
}

function isHttps(c: AppContext): boolean {
  return configOf(c.env).baseUrl.startsWith('https:')
}
