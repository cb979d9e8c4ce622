// The API description for machines, `/openapi.json`, and the API reference for people, `/docs`
// (api/description). Both are static assets outside the bundle (docs/decisions/documentation.md).

import { Hono } from 'hono/tiny'
import { loadConfig } from '../../config.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'

/** `/openapi.json`, `/docs` and the script of the reference. */
export function documentationRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/openapi.json', sendDescription)
    .get('/docs', (c) => sendAsset(c, 'docs.html', PAGE))
    .get('/assets/api-reference.js', (c) => sendAsset(c, 'api-reference/scalar.js', SCRIPT))
}

const DESCRIPTION = {
  'Content-Type': 'application/json',
  'Access-Control-Allow-Origin': '*', // for tools that run in a browser
}
const PAGE = {
  'Content-Type': 'text/html; charset=UTF-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'", // the renderer sets inline styles; no other page allows them
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
}
const SCRIPT = { 'Content-Type': 'text/javascript; charset=utf-8' }

/** Sends the description with the address of this service: tools may have nothing but the file. */
async function sendDescription(c: AppContext): Promise<Response> {
  const response = await sendAsset(c, 'openapi.json', DESCRIPTION)
  if (response.status !== 200) return response
  const { baseUrl } = loadConfig(c.env)
  const text = (await response.text()).replace('"url":"/"', () => `"url":${JSON.stringify(baseUrl)}`)
  return new Response(text, response)
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
