// The API's description for machines and for people (CONTRACT 1): `/openapi.json`, and the same as a page of our own, without
// scripts and without anything from elsewhere.

import { Hono } from 'hono/tiny'
import { encodeBase64 } from '../codec/base64url.ts'
import { utf8 } from '../codec/bytes.ts'
import { sha256 } from '../crypto/digest.ts'
import type { AppContext, AppEnv } from './context.ts'
import type { Description } from './docs/description.ts'
import { documentationPage } from './docs/page.ts'
import { DOCS_STYLE } from './docs/style.ts'
import stored from './openapi/description.json' with { type: 'json' }
import { withErrors } from './openapi/errors.ts'

/** `/openapi.json`, `/docs`. */
export function documentationRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get('/openapi.json', sendDescription).get('/docs', sendPage)
}

const CACHE = { 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' }

function sendDescription(c: AppContext): Response {
  made.json ??= JSON.stringify(description())
  return c.body(made.json, 200, {
    ...CACHE,
    'Content-Type': 'application/json',
    'Access-Control-Allow-Origin': '*', // tools that people run in their browsers read it
  })
}

async function sendPage(c: AppContext): Promise<Response> {
  made.page ??= await documentationPage(description())
  made.policy ??= [
    "default-src 'none'",
    `style-src 'sha256-${encodeBase64(await sha256(utf8(DOCS_STYLE)))}'`,
    'img-src data:',
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return c.html(made.page, 200, { ...CACHE, 'Content-Security-Policy': made.policy })
}

/** The same for every caller, so made once. */
const made: { json?: string; page?: string; policy?: string } = {}

function description(): Description {
  return withErrors(stored) as unknown as Description // as describe.ts builds it
}
