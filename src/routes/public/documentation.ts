// The API description for machines, `/openapi.json`, and the API reference for people, `/docs` (api/access).
// Both are static assets outside the bundle. A build writes them (docs/decisions/documentation.md).

import { Hono } from 'hono/tiny'
import { loadConfig } from '../../config.ts'
import { accepts } from '../edge/cloudflare.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'

/** Builds the routes of `/openapi.json`, `/docs` and the script of the reference. */
export function documentationRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/openapi.json', sendDescription)
    .get('/docs', (c) => sendAsset(c, 'docs/docs.html', PAGE))
    .get('/assets/api-reference.js', sendScript)
}

const DESCRIPTION = {
  'Content-Type': 'application/json',
  'Access-Control-Allow-Origin': '*', // for tools that run in a browser, and for /docs
  Vary: 'Accept-Encoding',
}
const PAGE = {
  'Content-Type': 'text/html; charset=UTF-8',
  'Content-Security-Policy': [
    // The page gets an opaque origin. Its code has no cookie and no storage, and can read only what any other
    // site can read.
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'", // the renderer sets inline styles; no other page allows them
    'img-src data:',
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
}
const SCRIPT = { 'Content-Type': 'text/javascript; charset=utf-8', Vary: 'Accept-Encoding' }

/**
 * Content codings of the script, best first. The script's file for each coding ends in the name of the
 * coding.
 */
const CODINGS = ['br', 'gzip']

/**
 * Sends the description with the address of this service, because a tool may have only the downloaded file.
 */
async function sendDescription(c: AppContext): Promise<Response> {
  const response = await sendAsset(c, 'openapi.json', DESCRIPTION)
  if (response.status !== 200) return response
  const { baseUrl } = loadConfig(c.env)
  const text = (await response.text()).replace('"url":"/"', () => `"url":${JSON.stringify(baseUrl)}`)
  // The platform compresses the body with the coding that this header names.
  if (accepts(c, 'gzip')) response.headers.set('Content-Encoding', 'gzip')
  return new Response(text, response)
}

/** Sends the script in the best coding that the client accepts. The build has compressed the script. */
async function sendScript(c: AppContext): Promise<Response> {
  const coding = CODINGS.find((name) => accepts(c, name))
  if (coding === undefined) return sendAsset(c, 'docs/reference.js', SCRIPT)
  const headers = { ...SCRIPT, 'Content-Encoding': coding }
  const response = await sendAsset(c, `docs/reference.js.${coding}`, headers)
  return new Response(response.body, {
    headers: response.headers,
    status: response.status,
    encodeBody: 'manual',
  })
}

async function sendAsset(
  c: AppContext,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const file = await c.env.ASSETS.fetch(`https://assets/${name}`)
  if (file.status !== 200) return problem(c, 'temporarily_unavailable')
  return new Response(file.body, {
    headers: { 'Cache-Control': 'public, max-age=300', ...headers },
  })
}
