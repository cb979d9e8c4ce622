// Routes of the OpenID Connect provider (CONTRACT 12): one issuer for each relying party.

import { Hono } from 'hono/tiny'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { isUnreachableObject } from '../edge/edge.ts'
import { authorize } from './authorize.ts'
import { finish } from './finish.ts'
import { sendDiscovery, sendKeys } from './issuer.ts'
import { sendUnavailable } from './pages.ts'
import { pushRequest } from './par.ts'
import { preflight, refuse } from './responses.ts'
import { sendTokens, sendUserInfo } from './token.ts'

/** Builds the routes. */
export function oidcRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/oidc/:rp/.well-known/openid-configuration', sendDiscovery)
    .get('/oidc/:rp/jwks', sendKeys)
    .get('/oidc/:rp/authorize', forPeople(authorize))
    .post('/oidc/:rp/authorize', forPeople(authorize))
    .get('/oidc/:rp/finish/:id', forPeople(finish))
    .post('/oidc/:rp/par', pushRequest)
    .post('/oidc/:rp/token', sendTokens)
    .all('/oidc/:rp/token', otherMethods('POST'))
    .get('/oidc/:rp/userinfo', sendUserInfo)
    .post('/oidc/:rp/userinfo', sendUserInfo)
    .all('/oidc/:rp/userinfo', otherMethods('GET, POST'))
}

function otherMethods(methods: string) {
  return async (c: AppContext): Promise<Response> =>
    c.req.method === 'OPTIONS' ? preflight(methods) : refuse(c, 'method_not_allowed', methods)
}

/** Asks a person to reload where an object cannot be reached. A prefetch gets the same, without effect. */
function forPeople(handle: (c: AppContext) => Promise<Response>) {
  return async (c: AppContext): Promise<Response> => {
    if (/\bprefetch\b/.test(c.req.header('Sec-Purpose') ?? '')) return sendUnavailable(c)
    try {
      return await handle(c)
    } catch (error) {
      if (isUnreachableObject(error)) return sendUnavailable(c)
      throw error
    }
  }
}
