// Good requests of wallets, and of the browser of a person.

import { POSSIBLE } from '../../../support/service/cells.ts'
import { BASE_URL, type CreatedSession } from '../../../support/service/service.ts'
import { goodPost } from '../responses.ts'
import { ORIGIN, openTarget } from '../targets.ts'
import type { Good, Recipe } from './operation.ts'
import type { World } from './world.ts'

export const BROWSER = {
  'GET /r/:capability': async ({ session }) => capabilityOf(await session()),
  'POST /r/:capability': async ({ session }, random) => ({
    ...capabilityOf(await session()),
    form: random.pick([
      { wallet_nonce: 'n'.repeat(22) },
      { wallet_metadata: JSON.stringify(METADATA) },
      { wallet_nonce: 'n'.repeat(22), wallet_metadata: JSON.stringify(METADATA) },
    ]),
  }),
  'POST /v1/verify/:id/callback': async (world, random) => {
    if (random.below(4) === 0) return decline(world)
    const cell = random.pick(POSSIBLE.filter(({ channel }) => channel === 'qr'))
    return response(world, cell)
  },
  'POST /v1/verify/:id/dc-api': async (world, random) => {
    const cell = random.pick(POSSIBLE.filter(({ channel }) => channel.startsWith('dc_api')))
    return response(world, cell)
  },
  'POST /v1/verify/:id/dc-api/request': async ({ stable, session }, random) => {
    const { verification_id: id } = await session()
    return { path: { id }, token: stable.api_key, json: random.pick(DC_API_REQUESTS) }
  },

  'GET /s/:id': async ({ sessions }, random) => {
    const { verification_id: id, client_token } = random.pick(await sessions())
    const language = random.pick(['de', 'fr-CA, en;q=0.1', '*'])
    return { path: { id }, query: [['token', client_token]], headers: { 'accept-language': language } }
  },
  'POST /s/:id/decline': async ({ session }) => {
    const { verification_id: id, client_token } = await session()
    return { path: { id }, query: [['token', client_token]], headers: { origin: BASE_URL } }
  },
  'POST /v1/verify/:id/link': async ({ session }, random) => {
    const { verification_id: id, client_token: token } = await session()
    const json = random.pick([{}, { wallet: 'any' }])
    return { path: { id }, token, headers: { origin: BASE_URL }, json }
  },
  'POST /v1/verify/:id/response_code': async ({ returned }) => {
    const { session, browser, redirectUri } = await returned()
    const hash = new URLSearchParams(new URL(redirectUri).hash.slice(1))
    return {
      path: { id: session.verification_id },
      headers: { origin: BASE_URL, cookie: cookieHeader(browser) },
      json: { response_code: hash.get('response_code') },
    }
  },
  'GET /v1/verify/:id/watch': async ({ session }) => {
    const { verification_id: id, client_token } = await session()
    return { path: { id }, query: [['token', client_token]], headers: UPGRADE }
  },
  'GET /v1/verify/:id/return': async ({ session }) => ({ path: { id: (await session()).verification_id } }),
} as const satisfies Readonly<Record<string, Recipe>>

/** Returns the cookies of a browser as it sends them. */
export function cookieHeader({ cookies }: { readonly cookies: ReadonlyMap<string, string> }): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

const DC_API_REQUESTS = [{}, { origin: ORIGIN }, { wallet: 'eudi-android' }]

const METADATA = {
  vp_formats_supported: { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'] }, mso_mdoc: {} },
  client_id_prefixes_supported: ['x509_hash'],
}

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-fetch-mode': 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

function capabilityOf({ wallet_request }: CreatedSession): Good {
  return { path: { capability: new URL(wallet_request.request_uri).pathname.slice('/r/'.length) } }
}

/** The good response to a session of one combination. */
async function response(world: World, cell: (typeof POSSIBLE)[number]): Promise<Good> {
  const target = await openTarget(world, world.stable, cell)
  const { headers, body } = await goodPost(target)
  const { 'content-type': type = '', ...others } = headers
  return { path: { id: target.verificationId }, headers: others, body: { type, content: body } }
}

async function decline({ session, wallet }: World): Promise<Good> {
  const { verification_id: id, wallet_request } = await session()
  const { payload } = await wallet.receive(wallet_request.uri)
  return { path: { id }, form: { error: 'access_denied', state: payload.state } }
}
