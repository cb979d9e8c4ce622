// Routes of the OpenID Connect provider (api/logins): one issuer for each relying party.

import { Hono } from 'hono/tiny'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { isUnreachableObject } from '../edge/edge.ts'
import { authorize } from './authorize.ts'
import { sendDiscovery, sendKeys } from './issuer.ts'
import { finish } from './login/finish.ts'
import { sendProviderPage } from './pages.ts'
import { pushRequest } from './par.ts'
import { allowAnyOrigin, preflight, refuse } from './responses.ts'
import { sendTokens, sendUserInfo } from './token.ts'

type Handler = (c: AppContext) => Promise<Response>

/** Builds the routes. */
export function oidcRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/oidc/:rp/.well-known/openid-configuration', forPages(sendDiscovery))
    .get('/oidc/:rp/jwks', forPages(sendKeys))
    .get('/oidc/:rp/authorize', forPeople(authorize))
    .post('/oidc/:rp/authorize', forPeople(authorize))
    .get('/oidc/:rp/finish/:id', forPeople(finish))
    .post('/oidc/:rp/par', forClients(pushRequest))
    .post('/oidc/:rp/token', forPages(sendTokens))
    .all('/oidc/:rp/token', otherMethods('POST'))
    .get('/oidc/:rp/userinfo', forPages(sendUserInfo))
    .post('/oidc/:rp/userinfo', forPages(sendUserInfo))
    .all('/oidc/:rp/userinfo', otherMethods('GET, POST'))
}

function otherMethods(methods: string) {
  return async (c: AppContext): Promise<Response> =>
    c.req.method === 'OPTIONS' ? preflight(methods) : refuse(c, 'method_not_allowed', methods)
}

/**
 * Wraps a handler for people. If a Durable Object cannot be reached, sends a page that asks the person to
 * reload. A prefetch gets the same page, and the handler does not run.
 */
function forPeople(handle: Handler): Handler {
  return async (c) => {
    if (/\bprefetch\b/.test(c.req.header('Sec-Purpose') ?? '')) return sendUnavailable(c)
    return orUnavailable(handle, sendUnavailable)(c)
  }
}

function sendUnavailable(c: AppContext): Promise<Response> {
  return sendProviderPage(c, { kind: 'unavailable' })
}

/** Wraps a handler for clients. If a Durable Object cannot be reached, sends an OAuth error. */
function forClients(handle: Handler): Handler {
  return orUnavailable(handle, (c) => refuse(c, 'unavailable'))
}

/**
 * Wraps a handler like `forClients`, and lets pages of any origin read the response. These endpoints read no
 * cookie.
 */
function forPages(handle: Handler): Handler {
  return async (c) => allowAnyOrigin(await forClients(handle)(c))
}

function orUnavailable(handle: Handler, respond: Handler): Handler {
  return async (c) => {
    try {
      return await handle(c)
    } catch (error) {
      if (isUnreachableObject(error)) return respond(c)
      throw error
    }
  }
}
