// Cookies of our own host (RFC 6265).

import { loadConfig } from '../../config.ts'
import type { AppContext } from './context.ts'

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
