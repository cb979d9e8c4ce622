// The API's description for machines and for people (CONTRACT 1): `/openapi.json`, and the same as a page of our own, without
// scripts and without anything from elsewhere. `npm run openapi` makes the files (openapi/, docs/); they are static assets and no
// part of the bundle (docs/decisions/openapi.md).

import { Hono } from 'hono/tiny'
import type { AppContext, AppEnv } from '../context.ts'
import { problem } from '../edge/problems.ts'

/** `/openapi.json`, `/docs` and its style. */
export function documentationRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/openapi.json', (c) => sendAsset(c, 'openapi.json', DESCRIPTION))
    .get('/docs', (c) => sendAsset(c, 'docs.html', PAGE))
    .get('/assets/docs.css', (c) => sendAsset(c, 'docs.css', STYLE))
}

const DESCRIPTION = {
  'Content-Type': 'application/json',
  'Access-Control-Allow-Origin': '*', // tools that people run in their browsers read it
}
const PAGE = {
  'Content-Type': 'text/html; charset=UTF-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
}
const STYLE = { 'Content-Type': 'text/css; charset=UTF-8' }

async function sendAsset(
  c: AppContext,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const file = await c.env.ASSETS.fetch(`https://assets/${name}`)
  if (file.status !== 200) return problem(c, 'temporarily_unavailable')
  return new Response(file.body, {
    headers: { 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff', ...headers },
  })
}
