// Good requests of OpenID Connect: of browsers, and of clients.

import type { Random } from '../../../formats/sd-jwt-vc/random.ts'
import { BASE_URL } from '../../../support/service/service.ts'
import { cookieHeader } from './browser.ts'
import {
  authorizationRequest,
  beginLogin,
  codeForm,
  type LiveClient,
  logIn,
  pushRequest,
} from './login-walk.ts'
import type { Good, Recipe } from './operation.ts'
import type { World } from './world.ts'

export const LOGINS = {
  'GET /oidc/:rp/.well-known/openid-configuration': ({ stable }) => issuer(stable),
  'GET /oidc/:rp/jwks': ({ stable }) => issuer(stable),
  'GET /oidc/:rp/authorize': async (world, random) => ({
    ...issuer(world.stable),
    query: Object.entries(await authorization(world, random)),
  }),
  'POST /oidc/:rp/authorize': async (world, random) => ({
    ...issuer(world.stable),
    form: await authorization(world, random),
  }),
  'POST /s/:id': async (world, random) => {
    const { browser, begun } = await beginLogin(world, random.pick(await world.clients()), random)
    return {
      path: { id: begun.verification_id },
      query: [['token', begun.token]],
      headers: { cookie: cookieHeader(browser), origin: BASE_URL },
    }
  },
  'GET /oidc/:rp/finish/:id': async (world, random) => {
    const client = random.pick(await world.clients())
    const response_mode = random.pick(['query', 'form_post'])
    const { browser, finish } = await logIn(world, client, random, { response_mode })
    const id = new URL(finish).pathname.split('/').at(-1) ?? ''
    return {
      path: { rp: world.stable.relying_party_id, id },
      headers: { cookie: cookieHeader(browser) },
    }
  },
  'POST /oidc/:rp/par': async (world, random) => {
    const client = random.pick(await world.clients())
    const { headers = {}, form } = await client.authenticate()
    const { parameters } = authorizationRequest(random, client)
    return { ...issuer(world.stable), headers, form: { ...parameters, ...form } }
  },
  'POST /oidc/:rp/token': async (world, random) => {
    const client: LiveClient = random.pick(await world.clients())
    const { headers = {}, form } = await codeForm(await logIn(world, client, random))
    return { ...issuer(world.stable), headers, form }
  },
  'GET /oidc/:rp/userinfo': userInfo,
  'POST /oidc/:rp/userinfo': userInfo,
} as const satisfies Readonly<Record<string, Recipe>>

function issuer({ relying_party_id: rp }: World['stable']): Good & { readonly path: object } {
  return { path: { rp } }
}

/** The request of a client, pushed or as it is. */
async function authorization(world: World, random: Random): Promise<Readonly<Record<string, string>>> {
  const client = random.pick(await world.clients())
  const request = authorizationRequest(random, client)
  const mustPush = client.require_pushed_authorization_requests === true
  return mustPush || random.below(3) === 0 ? pushRequest(world, client, request) : request.parameters
}

async function userInfo(world: World, random: Random): Promise<Good> {
  return { ...issuer(world.stable), token: await world.accessToken(random) }
}
