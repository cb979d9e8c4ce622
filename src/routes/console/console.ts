// The console (docs/console.md): static pages, a sign-in, and the public API behind the console's cookie. The
// console calls the API with the owner's token, so it can do only what the API can do.

import { Hono } from 'hono/tiny'
import { CONSOLE_HOST, loadConfig } from '../../config.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'
import { operatorOnly } from '../settings/operator.ts'
import { closeConsole, readConsole, signOutConsole } from './console-cookie.ts'
import { createCode, readSession, signIn } from './sign-in.ts'

const API = '/console/api'
/**
 * Paths of the API that a console can call, by the kind of its owner. A path with encoded characters never
 * matches.
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
  routes.get('/console', sendPage).get('/console/assets/:name', sendFile)
  routes.post('/console/codes', operatorOnly, createCode)
  routes.get('/console/session', readSession).post('/console/session', signIn)
  routes.delete('/console/session', signOut)
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
 * `Sec-Fetch-Site`. It sends the origin of the page in `Origin` with every other method.
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
 * it.
 */
async function sendPage(c: AppContext): Promise<Response> {
  const { consoleOrigin, baseUrl } = loadConfig(c.env)
  if (consoleOrigin !== baseUrl && new URL(c.req.url).hostname !== CONSOLE_HOST)
    return c.redirect(`${consoleOrigin}/console`, 307)
  const file = await c.env.ASSETS.fetch('https://assets/console/console.html')
  if (file.status !== 200) return problem(c, 'temporarily_unavailable')
  return new Response(file.body, { headers: PAGE_HEADERS })
}

async function sendFile(c: AppContext): Promise<Response> {
  const name = c.req.param('name') ?? ''
  const type = MEDIA_TYPES[FILES.exec(name)?.[1] ?? '']
  const file = type === undefined ? undefined : await c.env.ASSETS.fetch(`https://assets/console/${name}`)
  if (type === undefined || file?.status !== 200) return problem(c, 'not_found')
  return new Response(file.body, { headers: { 'Content-Type': type, 'Cache-Control': 'no-cache' } })
}

/** Ends the sign-in. A page of an earlier sign-in cannot end the present sign-in. */
async function signOut(c: AppContext): Promise<Response> {
  return (await signOutConsole(c)) ? c.body(null, 204) : problem(c, 'cross_site_request')
}

/**
 * Calls the API with the owner's token. If the API rejects the token, the sign-in ends. The page must belong
 * to this sign-in. Otherwise, after a sign-in in another tab, an older page would show data of another owner.
 */
async function callApi(c: AppContext, app: Hono<AppEnv>): Promise<Response> {
  const console = await readConsole(c)
  if (!console.ok) return problem(c, console.error)
  const { owner, token } = console.value
  const { pathname, search } = new URL(c.req.url)
  const path = pathname.slice(API.length)
  if (!REACHED[owner].test(path)) return problem(c, 'not_found')
  const url = loadConfig(c.env).baseUrl + path + search
  // The log of the operator's changes shows the name in the header `Operator` (api/running).
  const headers = new Headers({ Authorization: `Bearer ${token}`, Operator: 'console' })
  for (const name of PASSED_ON) {
    const value = c.req.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  const { method, raw } = c.req
  const request = new Request(url, { method, headers, body: method === 'GET' ? null : raw.body })
  const response = await app.fetch(request, c.env)
  if (response.status === 401) closeConsole(c)
  const relayed = c.newResponse(response.body, response)
  relayed.headers.set('Cache-Control', 'no-store')
  return relayed
}
