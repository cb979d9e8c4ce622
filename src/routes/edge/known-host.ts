// Checks the host name of each request to a service on loopback. A web site can give its own host name the
// address 127.0.0.1 (DNS rebinding). A browser then treats the service as a part of that site. Such a request
// has the host name of the site in `Host`, and is refused. The port is not compared, because a tunnel or a
// container may map it.

import { oncePer } from '../../codec/once-per.ts'
import { CONSOLE_HOST, loopbackNames } from '../../config.ts'
import type { Env } from '../../env.ts'
import type { AppContext } from './context.ts'
import { problem } from './problems.ts'

/**
 * Paths that exist under the console's host name. Pages outside of these paths have other host names, so
 * their scripts never have the origin of the console.
 */
const CONSOLE_PATHS = /^\/console(\/|$)|^\/\.well-known\/jwks\.json$/

/** Host names, by environment. A public service has no names here, because its proxy checks the host name. */
const namesOf = oncePer((env: Env) => loopbackNames(env) ?? [])

/**
 * Sends 421 (RFC 9110 §15.5.20) for an unknown host name if the service is on loopback. Under the host name
 * of the console, redirects a GET of any other page to `BASE_URL`. This middleware works without a valid
 * configuration, as `/healthz` does.
 */
export async function knownHost(c: AppContext, next: () => Promise<void>): Promise<Response | undefined> {
  const names = namesOf(c.env)
  if (names.length > 0) {
    const name = hostName(c.req.url)
    const isConsole = name === CONSOLE_HOST
    const isKnown = isConsole ? CONSOLE_PATHS.test(c.req.path) : names.includes(name)
    if (!isKnown && isConsole && c.req.method === 'GET') return leaveConsole(c)
    if (!isKnown) return problem(c, 'unknown_host', { detail: detailOf(c.env) })
  }
  await next()
  return undefined
}

/** Returns the host name without its port. Returns an empty text for a `Host` that is not one host name. */
function hostName(url: string): string {
  return /^https?:\/\/(\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?(?=[/?]|$)/i.exec(url)?.[1]?.toLowerCase() ?? ''
}

function leaveConsole(c: AppContext): Response {
  const { pathname, search } = new URL(c.req.url)
  return c.redirect(c.env.BASE_URL + pathname + search, 307)
}

function detailOf({ BASE_URL }: Env): string {
  return `The host name must be that of BASE_URL, ${BASE_URL}, or another name of this machine. For callers with another name, set BASE_URL to their address.`
}
