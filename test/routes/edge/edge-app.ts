// The edge as the service mounts it, with a few routes of the tests, on the real bindings.

import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import type { Env } from '../../../src/env.ts'
import type { AppEnv } from '../../../src/routes/edge/context.ts'
import { headWithoutEffect, noSuchRoute, onError, requestId } from '../../../src/routes/edge/edge.ts'
import { SAFE_PREFIXES, wellKnownRoutes } from '../../../src/routes/public/well-known.ts'
import { adminRoutes } from '../../../src/routes/settings/admin.ts'
import { lintExchange } from '../../support/linters/linted-exchange.ts'

export const ADMIN = { Authorization: 'Bearer test-admin-token-of-more-than-32-characters' }
export const METRICS = { Authorization: 'Bearer test-metrics-token-of-more-than-32-characters' }

/** The app with the operator's and the public routes, and the routes of `addRoutes`. */
export function edgeApp(addRoutes: (app: Hono<AppEnv>) => void = () => undefined): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.use(requestId)
  app.use(headWithoutEffect(app, SAFE_PREFIXES))
  app.route('/v1/admin', adminRoutes())
  app.route('/', wellKnownRoutes())
  addRoutes(app)
  app.notFound(noSuchRoute(app))
  app.onError(onError)
  return app
}

/**
 * Sends a request to the app, and lints responses for wallets. A body that is not a string is sent as JSON.
 */
export async function call(
  app: Hono<AppEnv>,
  method: string,
  path: string,
  options: { readonly headers?: Record<string, string>; readonly body?: unknown; readonly env?: Env } = {},
): Promise<Response> {
  const { body } = options
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const init: RequestInit = { method, headers: { ...json, ...options.headers } }
  if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await app.request(path, init, options.env ?? env)
  const fetch = (url: string) => call(app, 'GET', new URL(url).pathname)
  return lintExchange({ url: `https://verifier.example${path}`, method, body: init.body, answer, fetch })
}

/** Returns the JSON of a response. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export async function json(response: Promise<Response> | Response): Promise<any> {
  return (await response).json()
}

/** Creates a relying party through the operator's API. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export async function createRelyingParty(settings: Record<string, unknown> = {}): Promise<any> {
  const body = { name: 'Shop', ...settings }
  const response = await call(edgeApp(), 'POST', '/v1/admin/relying_parties', { headers: ADMIN, body })
  if (response.status !== 201) throw new Error(await response.text())
  return response.json()
}
