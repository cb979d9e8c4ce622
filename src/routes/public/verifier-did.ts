// DID documents of the verifier (OpenID4VP 1.0 §5.9.3, did:web §3.2): one document of the service, and one of
// each relying party with its own key. Wallets read a document while they process a request, and the key of
// this request may be new. So a cached document is never used.

import { Hono } from 'hono/tiny'
import { loadConfig } from '../../config.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { buildDidDocument, RELYING_PARTY_SEGMENT, verifierDid } from '../../openid4vp/request/verifier-did.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'
import { takeWalletCall } from '../edge/rate-limit.ts'

/** Builds the routes of `/.well-known/did.json` and `/rp/{id}/did.json`. */
export function verifierDidRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/.well-known/did.json', serviceDocument)
    .get(`/${RELYING_PARTY_SEGMENT}/:rp/did.json`, relyingPartyDocument)
}

function serviceDocument(c: AppContext): Promise<Response> {
  const { signingJwk, furtherKeys } = loadConfig(c.env).verifier
  return sendDidDocument(c, null, [signingJwk, ...furtherKeys])
}

/**
 * Sends the document of a relying party. Sends 404 if the relying party has never had its own key, because
 * the service then signs its requests.
 */
async function relyingPartyDocument(c: AppContext): Promise<Response> {
  if (!(await takeWalletCall(c))) return problem(c, 'rate_limited')
  const id = c.req.param('rp') ?? ''
  // The keys are read from the Durable Object each time. A key may be only a second old when a session uses
  // it, and a cached copy would lack the key.
  const keys = await relyingPartyStub(c.env, `rp_${id}`)?.verifierKeys()
  return keys?.ok && keys.value.length > 0 ? sendDidDocument(c, id, keys.value) : problem(c, 'not_found')
}

async function sendDidDocument(
  c: AppContext,
  relyingParty: string | null,
  keys: readonly PublicJwk[],
): Promise<Response> {
  const did = verifierDid(loadConfig(c.env).baseUrl, relyingParty)
  if (did === undefined) return problem(c, 'not_found')
  return c.newResponse(JSON.stringify(await buildDidDocument(did, keys)), 200, {
    'Content-Type': 'application/did+json',
    'Cache-Control': 'no-cache',
    'Access-Control-Allow-Origin': '*',
  })
}
