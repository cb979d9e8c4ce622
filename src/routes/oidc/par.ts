// Pushed authorization requests (RFC 9126): the client sends the request itself, so that the person cannot
// edit the request. A pushed request has one login, and ends with this login.

import { encodeBase64url } from '../../codec/base64url.ts'
import { loadConfig } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import { type Sealing, seal, unseal } from '../../crypto/seal.ts'
import { OIDC_REQUEST } from '../../limits.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import { newVerificationId } from '../../relying-party/document/session-stub.ts'
import { isConfidential } from '../../relying-party/oidc/client.ts'
import type { Kept } from '../../relying-party/oidc/once.ts'
import { err, ok } from '../../result.ts'
import type { StoredRequestParameters } from '../../session/request/login-token.ts'
import { derivedKey } from '../../session/store/keys.ts'
import { hashSecret } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { readForm } from '../edge/form.ts'
import { takeAuthorization } from '../edge/rate-limit.ts'
import { type Parameters, parseRequest, type RequestOrigin, registeredUri } from './authorization-request.ts'
import { authenticateOidcClient } from './clients/client-authentication.ts'
import { readProof, useProof } from './dpop.ts'
import { buildEndpoints, issuerOfRequest, noIssuer } from './issuer.ts'
import { type RequestError, refuse, requestError, sendOAuth, sendOAuthError } from './responses.ts'

/** Prefix of every address of a pushed request. */
export const REQUEST_URI = 'urn:ietf:params:oauth:request_uri:'

const LIFETIME_SECONDS = 60

/**
 * Time for which a pushed request is stored after its login has expired, if a browser has opened the request.
 */
const KEPT_MS = 60_000

/**
 * Parameters that a login needs. Only these are stored. The secret or the assertion of the client is not
 * stored, and neither are parameters that have no effect.
 */
const STORED = [
  ...['response_type', 'response_mode', 'redirect_uri', 'scope', 'state', 'nonce', 'claims'],
  ...['id_token_hint', 'code_challenge', 'code_challenge_method', 'dpop_jkt', 'ui_locales'],
]

/** Returns the content of a sealed request: its channel, and the parameters in `STORED`. */
export function sealedForm(origin: RequestOrigin, parameters: Parameters): StoredRequestParameters {
  return [origin, [...parameters].filter(([name]) => STORED.includes(name))]
}

/** Handles POST. */
export async function pushRequest(c: AppContext): Promise<Response> {
  const issuer = await issuerOfRequest(c)
  if (!issuer.ok) return noIssuer(c, issuer.error)
  const form = await readForm(c.req.raw, OIDC_REQUEST.characters)
  if (!form.ok) return refuse(c, form.error)
  const parameters = new Map([...form.value.parameters].filter(([, value]) => value !== ''))
  const client = await authenticateOidcClient(c, issuer.value, parameters)
  if (!client.ok) return refuse(c, client.error)
  const confidential = isConfidential(client.value)
  const { relying_party_id: relyingPartyId } = issuer.value.settings
  if (!confidential && !(await takeAuthorization(c, relyingPartyId))) return refuse(c, 'rate_limited')
  if (parameters.has('request_uri')) return refuseRequest(c, 'pushed_request_uri')
  const proof = await readProof(c, buildEndpoints(issuer.value.url).pushed_authorization_request_endpoint)
  if (!proof.ok) return refuse(c, proof.error)
  const jkt = proof.value?.jkt ?? parameters.get('dpop_jkt')
  if (jkt !== (parameters.get('dpop_jkt') ?? jkt)) return refuse(c, 'proof_key')
  // RFC 9449 §10.1: a proof here binds the code as `dpop_jkt` does.
  if (jkt !== undefined) parameters.set('dpop_jkt', jkt)
  const redirectUri = registeredUri(client.value, parameters.get('redirect_uri'))
  if (redirectUri === undefined) return refuseRequest(c, 'redirect_uri')
  const origin: RequestOrigin = confidential ? 'authenticated' : 'pushed'
  const parsed = await parseRequest(parameters, client.value, { issuer: issuer.value, redirectUri, origin })
  if (!parsed.ok) return refuseRequest(c, parsed.error)
  const proofError =
    proof.value && (await useProof(c, proof.value, { relyingPartyId, isAuthenticated: confidential }))
  if (proofError) return refuse(c, proofError)
  const requestUri = REQUEST_URI + encodeBase64url(randomBytes(32))
  const now = Date.now()
  const verificationId = newVerificationId(c.env)
  const text = JSON.stringify([...sealedForm(origin, parameters), verificationId, now])
  const name = await nameOfPushed(requestUri)
  const stored = await seal(await deriveSealing(c, name), text, randomBytes(12))
  const use = { isAuthenticated: confidential, expiresAt: now + LIFETIME_SECONDS * 1000 }
  const stub = relyingPartyStub(c.env, relyingPartyId)
  const isStored = (await stub?.storeOnce(name, `${client.value.client_id} ${stored}`, use))?.ok
  if (!isStored) return refuse(c, 'unavailable')
  return sendOAuth({ request_uri: requestUri, expires_in: LIFETIME_SECONDS }, 201)
}

/** A pushed request. Times are Unix milliseconds. */
export type PushedRequest = {
  readonly requestUri: string
  readonly origin: RequestOrigin
  readonly parameters: Parameters
  /** Id of its login. The session may not exist yet. */
  readonly verificationId: string
  readonly pushedAt: number
  readonly storedUntil: number
}

/** The client of a pushed request. */
type Pusher = { readonly relyingPartyId: string; readonly clientId: string }

/** Returns a pushed request of the client; `undefined` if it is unknown or over. Changes nothing. */
export async function readPushed(
  c: AppContext,
  { relyingPartyId, clientId }: Pusher,
  requestUri: string,
): Promise<PushedRequest | undefined> {
  const name = await nameOfPushed(requestUri)
  const stored = await relyingPartyStub(c.env, relyingPartyId)?.pushedRequest(name, clientId)
  if (!stored) return undefined
  const sealing = await deriveSealing(c, name)
  const text = await unseal(sealing, stored.value)
  if (text === undefined) return undefined
  // This service wrote the value, so it is not validated. In a value of an earlier version, the last two
  // members may be missing.
  const [origin, parameters, verificationId, pushedAt] = JSON.parse(text) as [
    ...StoredRequestParameters,
    verificationId?: string,
    pushedAt?: number,
  ]
  if (verificationId === undefined || pushedAt === undefined) return undefined
  const life = { pushedAt, storedUntil: stored.expiresAt }
  return { requestUri, verificationId, ...life, origin, parameters: new Map(parameters) }
}

/** Returns true for the first 60 s of a pushed request. In this time, any browser may open the request. */
export function isFresh({ pushedAt }: PushedRequest): boolean {
  return Date.now() < pushedAt + LIFETIME_SECONDS * 1000
}

/**
 * Stores a pushed request that a browser has opened, until `KEPT_MS` after the expiry of its login. If the
 * error is `full`, the request stays stored for its first 60 s only.
 */
export async function keepPushed(
  c: AppContext,
  { relyingPartyId, expiresAt }: { readonly relyingPartyId: string; readonly expiresAt: number },
  { requestUri, storedUntil }: PushedRequest,
): Promise<Kept> {
  const until = expiresAt + KEPT_MS
  if (storedUntil >= until) return ok(null)
  const stub = relyingPartyStub(c.env, relyingPartyId)
  return (await stub?.keepPushedRequest(await nameOfPushed(requestUri), until)) ?? err('over')
}

/** Returns the name under which a pushed request is stored. */
async function nameOfPushed(requestUri: string): Promise<string> {
  return `par/${await hashSecret(requestUri)}`
}

/**
 * Returns the key that seals a pushed request, and the additional data: the name under which the request is
 * stored. A pushed request is sealed, because its `claims` may contain values of a person.
 */
async function deriveSealing({ env }: AppContext, name: string): Promise<Sealing> {
  return { key: await derivedKey(loadConfig(env), 'pushed-request'), aad: name }
}

async function refuseRequest(c: AppContext, name: RequestError): Promise<Response> {
  return sendOAuthError(await requestError(c, name))
}
