// The API description for machines, `/openapi.json`, the API reference for people, `/docs`, and the inspector
// of messages, `/inspect` (api/access). All are static assets outside the bundle. A build writes them
// (docs/decisions/documentation.md).

import { Hono } from 'hono/tiny'
import { loadConfig } from '../../config.ts'
import { codingHeaders } from '../../net/content-coding.ts'
import { sendFile } from '../edge/cloudflare.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'

/** Builds the routes of `/openapi.json`, `/docs` with its script, and `/inspect`. */
export function documentationRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/openapi.json', sendDescription)
    .get('/docs', (c) => sendAsset(c, 'docs/docs.html', PAGE))
    .get('/assets/api-reference.js', (c) => sendBuilt(c, 'docs/reference.js', SCRIPT))
    .get('/inspect', (c) => sendBuilt(c, 'inspect/inspect.html', INSPECTOR))
}

const DESCRIPTION = {
  'Content-Type': 'application/json',
  'Access-Control-Allow-Origin': '*', // for tools that run in a browser, and for /docs
}
const PAGE = {
  'Content-Type': 'text/html; charset=UTF-8',
  'Content-Security-Policy': [
    // The page gets an opaque origin. The code of the page has no cookie and no storage, and can read only
    // what any other site can read.
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
const FOR_FIVE_MINUTES = { 'Cache-Control': 'public, max-age=300' }
/**
 * Headers of the inspector. The page gets an opaque origin and may open no connection. Its script and style
 * are inside the page. A second policy, in the page's `meta` element, allows only these, by their hashes.
 */
const INSPECTOR = {
  'Content-Type': PAGE['Content-Type'],
  'Content-Security-Policy': [
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    "connect-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  ...FOR_FIVE_MINUTES,
}
const SCRIPT = { 'Content-Type': 'text/javascript; charset=utf-8', ...FOR_FIVE_MINUTES }

/**
 * Sends the description with the address of this service, because a tool may have only the downloaded file.
 */
async function sendDescription(c: AppContext): Promise<Response> {
  const response = await sendAsset(c, 'openapi.json', DESCRIPTION)
  if (response.status !== 200) return response
  const { baseUrl } = loadConfig(c.env)
  const text = (await response.text()).replace('"url":"/"', () => `"url":${JSON.stringify(baseUrl)}`)
  return new Response(text, {
    headers: { ...DESCRIPTION, ...FOR_FIVE_MINUTES, ...codingHeaders(c.req.header('Accept-Encoding')) },
  })
}

async function sendBuilt(
  c: AppContext,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return (await sendFile(c, name, headers)) ?? problem(c, 'temporarily_unavailable')
}

async function sendAsset(
  c: AppContext,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const file = await c.env.ASSETS.fetch(`https://assets/${name}`)
  if (file.status !== 200) return problem(c, 'temporarily_unavailable')
  return new Response(file.body, {
    headers: { ...FOR_FIVE_MINUTES, ...headers },
  })
}
