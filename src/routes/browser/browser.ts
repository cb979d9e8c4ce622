// The person's browser (api/binding): the origin of our own pages, and the cookie that identifies the
// browser.

import { LONGEST_SESSION_SECONDS } from '../../api/requests.ts'
import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { loadConfig } from '../../config.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import { BROWSER_SECRET_BYTES, HOLD_MS } from '../../session/end/binding.ts'
import { derivedKey } from '../../session/store/keys.ts'
import type { AppContext } from '../edge/context.ts'
import { isHttps, readCookie, writeCookie } from '../edge/cookies.ts'

/**
 * Returns true for a request that a page of this service sent. Browsers set `Origin` on every POST, and a
 * page of another site cannot send our origin.
 */
export function isOwnPage(c: AppContext): boolean {
  const site = c.req.header('Sec-Fetch-Site')
  const isSameSite = site === undefined || site === 'same-origin'
  return isSameSite && c.req.header('Origin') === loadConfig(c.env).baseUrl
}

const COOKIE = 'wv_browser'

const SECRET = new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((BROWSER_SECRET_BYTES * 4) / 3)}}$`)

/**
 * Returns the browser's secret; null without a valid cookie. Over plain http (loopback), any server on the
 * same machine can set the cookie. So the value also has a MAC if `BASE_URL` is http.
 */
export async function getBrowserCookie(c: AppContext): Promise<string | null> {
  const value = readCookie(c, COOKIE)
  const [secret = '', mac] = value?.split('~') ?? []
  if (!SECRET.test(secret)) return null
  const isOurs = isHttps(c) ? mac === undefined : timingSafeEqualText(mac ?? '', await computeMac(c, secret))
  return isOurs ? secret : null
}

/**
 * Sets the cookie with the browser's secret. All sessions of a browser share one secret, so the page of a
 * second session does not replace the secret of the first session. `SameSite=Strict` is enough, because only
 * our own page sends requests that need the cookie.
 */
export async function setBrowserCookie(c: AppContext, secret: string): Promise<void> {
  const value = isHttps(c) ? secret : `${secret}~${await computeMac(c, secret)}`
  const maxAge = LONGEST_SESSION_SECONDS + HOLD_MS / 1000
  writeCookie(c, COOKIE, value, { sameSite: 'Strict', maxAge })
}

async function computeMac(c: AppContext, secret: string): Promise<string> {
  const key = await derivedKey(loadConfig(c.env), 'browser-cookie')
  return encodeBase64url(await hmacSha256(key, utf8(secret)))
}
