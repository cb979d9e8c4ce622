// One person's browser, as our own page's script speaks for it (CONTRACT 5): the origin it names, and the cookie it is known by.

import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { configOf } from '../../config.ts'
import { BROWSER_SECRET_BYTES, HOLD_MS } from '../../session/return/binding.ts'
import type { AppContext } from '../context.ts'
import { LONGEST_SESSION_SECONDS } from '../verifications/schemas.ts'

/** Whether a page of ours sends this: browsers name the origin of every POST, and no other page can name ours. */
export function isOwnPage(c: AppContext): boolean {
  const site = c.req.header('Sec-Fetch-Site')
  const isSameSite = site === undefined || site === 'same-origin'
  return isSameSite && c.req.header('Origin') === configOf(c.env).baseUrl
}

const COOKIE = 'wv_browser'

const SECRET = new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((BROWSER_SECRET_BYTES * 4) / 3)}}$`)

/** The browser's secret. Anything that we did not make is none. */
export function secretOf(c: AppContext): string | null {
  const value = isHttps(c) ? getCookie(c as Context, COOKIE, 'host') : getCookie(c as Context, COOKIE)
  return value !== undefined && SECRET.test(value) ? value : null
}

/**
 * One secret for all sessions of a browser, so that a second link does not orphan the first. Strict is enough: what sends it is
 * our own page's script, not the wallet's opening of the page. `__Host-` keeps other hosts of our domain from planting one.
 */
export function keepSecret(c: AppContext, secret: string): void {
  const secure = isHttps(c)
  setCookie(c as Context, COOKIE, secret, {
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    maxAge: LONGEST_SESSION_SECONDS + HOLD_MS / 1000,
    ...(secure && { secure, prefix: 'host' as const }),
  })
}

function isHttps(c: AppContext): boolean {
  return configOf(c.env).baseUrl.startsWith('https:')
}
