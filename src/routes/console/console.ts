// The console (docs/console.md): static pages, a sign-in, and the public API behind the console's cookie. The
// console calls the API with the token of the sign-in, or for the person who signed in. So the console can do
// only what the API can do.

import { Hono } from 'hono/tiny'
import type { ConsoleSignOutView } from '../../api/responses/console.ts'
import { CONSOLE_HOST, loadConfig } from '../../config.ts'
import { markConsoleCall } from '../../relying-party/people/console-calls.ts'
import { readAddress } from '../audit/origin.ts'
import { sendFile } from '../edge/cloudflare.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'
import { operatorOnly } from '../settings/operator.ts'
import { closeConsole, readConsole, signOutConsole } from './console-cookie.ts'
import { endSessionUrl, startPersonSignIn } from './people.ts'
import { createCode, readSession, renewSession, signIn } from './sign-in.ts'

const API = '/console/api'
/**
 * Paths of the API that the console can call, by the party that is signed in. A path with encoded characters
 * never matches.
 */
const REACHED = {
  relying_party: /^\/(v1\/(?!admin\/)[\w/-]+|readyz)$/,
  operator: /^\/(v1\/admin\/[\w/-]+|readyz|metrics)$/,
}
/** Headers of a call that are passed on to the API. Cookies and tokens of the caller are left out. */
const PASSED_ON = ['accept', 'content-type', 'idempotency-key']
const FILES = /^[a-z-]{1,40}\.(css|js|json|svg)$/
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
}
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
}

/** Builds the routes. `app`: the whole router, which answers the calls to the API. */
export function consoleRoutes(app: Hono<AppEnv>): Hono<AppEnv> {
  const routes = new Hono<AppEnv>()
  routes.use('/console/*', isOn).use('/console', isOn)
  routes.use('/console/session', fromOwnPage).use(`${API}/*`, fromOwnPage)
  routes.get('/console', sendPage).get('/console/assets/:name', sendConsoleFile)
  routes.get('/console/people/:rp', sendPage).post('/console/people', fromOwnPage, startPersonSignIn)
  routes.post('/console/codes', operatorOnly, createCode)
  routes.get('/console/session', readSession).post('/console/session', signIn)
  routes.delete('/console/session', signOut).post('/console/session/activity', fromOwnPage, renewSession)
  return routes.all(`${API}/*`, (c) => callApi(c, app))
}

/** Sends 404 if the configuration does not have CONSOLE=1. Redirects `/console/` to `/console`. */
async function isOn(c: AppContext, next: () => Promise<void>): Promise<Response | undefined> {
  if (!loadConfig(c.env).hasConsole) return problem(c, 'not_found')
  if (c.req.path === '/console/') return c.redirect('/console', 308)
  await next()
  return undefined
}

/**
 * Rejects every call that a page of another origin sends. A browser marks a GET from another origin in
 * `Sec-Fetch-Site`. The browser sends the origin of the page in `Origin` with every other method.
 */
async function fromOwnPage(c: AppContext, next: () => Promise<void>): Promise<Response | undefined> {
  const isOwn =
    c.req.method === 'GET'
      ? (c.req.header('Sec-Fetch-Site') ?? 'same-origin') === 'same-origin'
      : c.req.header('Origin') === loadConfig(c.env).consoleOrigin
  if (!isOwn) return problem(c, 'cross_site_request')
  await next()
  return undefined
}

/**
 * Sends the page. If the console has a host name of its own, a request under another name is redirected to
 * this host name.
 */
async function sendPage(c: AppContext): Promise<Response> {
  const { consoleOrigin, baseUrl } = loadConfig(c.env)
  if (consoleOrigin !== baseUrl && new URL(c.req.url).hostname !== CONSOLE_HOST)
    return c.redirect(consoleOrigin + c.req.path, 307)
  const file = await c.env.ASSETS.fetch('https://assets/console/console.html')
  if (file.status !== 200) return problem(c, 'temporarily_unavailable')
  return new Response(file.body, { headers: PAGE_HEADERS })
}

async function sendConsoleFile(c: AppContext): Promise<Response> {
  const name = c.req.param('name') ?? ''
  const type = MEDIA_TYPES[FILES.exec(name)?.[1] ?? '']
  if (type === undefined) return problem(c, 'not_found')
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache' }
  return (await sendFile(c, `console/${name}`, headers)) ?? problem(c, 'not_found')
}

/**
 * Ends the sign-in. A page of an earlier sign-in cannot end the present sign-in. If a person's provider has a
 * page for signing out, the person gets its address.
 */
async function signOut(c: AppContext): Promise<Response> {
  const ended = await signOutConsole(c)
  if (!ended.ok) return problem(c, ended.error)
  const end_session_url = ended.value?.owner === 'person' ? await endSessionUrl(c, ended.value.person) : null
  if (end_session_url === null) return c.body(null, 204)
  const view: ConsoleSignOutView = { end_session_url }
  return c.json(view, 200, { 'Cache-Control': 'no-store' })
}

/**
 * Calls the API with the token of the sign-in, or for the person who signed in. If the API responds 401, the
 * browser loses the console's cookie. The page must belong to this sign-in. Otherwise, after a sign-in in
 * another tab, an older page could show data of another relying party.
 */
async function callApi(c: AppContext, app: Hono<AppEnv>): Promise<Response> {
  const console = await readConsole(c)
  if (!console.ok) return problem(c, console.error)
  const session = console.value
  const { pathname, search } = new URL(c.req.url)
  const path = pathname.slice(API.length)
  if (!REACHED[session.owner === 'operator' ? 'operator' : 'relying_party'].test(path))
    return problem(c, 'not_found')
  const url = loadConfig(c.env).baseUrl + path + search
  // The log of the operator's changes shows the name in the header `Operator` (api/running).
  const headers = new Headers({ Operator: 'console' })
  if (session.owner !== 'person') headers.set('Authorization', `Bearer ${session.token}`)
  for (const name of PASSED_ON) {
    const value = c.req.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  const { method, raw } = c.req
  const request = new Request(url, { method, headers, body: method === 'GET' ? null : raw.body })
  const person = session.owner === 'person' ? session.person : null
  markConsoleCall(request, {
    authenticatedAt: session.authenticated_at,
    person,
    address: readAddress(c),
  })
  const response = await app.fetch(request, c.env)
  if (response.status === 401) closeConsole(c)
  const relayed = c.newResponse(response.body, response)
  relayed.headers.set('Cache-Control', 'no-store')
  return relayed
}
