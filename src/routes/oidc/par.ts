// Pushed authorization requests (RFC 9126): the client sends the request itself, so that the person cannot
// edit the request.

import { encodeBase64url } from '../../codec/base64url.ts'
import { loadConfig } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import { deriveKey, type Sealing, seal, unseal } from '../../crypto/seal.ts'
import { OIDC_REQUEST } from '../../limits.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import { isConfidential } from '../../relying-party/oidc/client.ts'
import { hashSecret } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { readForm } from '../edge/form.ts'
import { takeWalletCall } from '../edge/rate-limit.ts'
import { parseRequest, type RequestOrigin, registeredUri } from './authorization-request.ts'
import { authenticateOidcClient } from './clients/client-authentication.ts'
import { issuerOfRequest, noIssuer } from './issuer.ts'
import { type RequestError, refuse, requestError, sendOAuth, sendOAuthError } from './responses.ts'

/** Prefix of every address of a pushed request. */
export const REQUEST_URI = 'urn:ietf:params:oauth:request_uri:'

const LIFETIME_SECONDS = 60

/** Parameters that a login needs. Credentials and `login_hint` are not stored. */
const STORED = [
  ...['response_type', 'response_mode', 'redirect_uri', 'scope', 'state', 'nonce', 'claims', 'prompt'],
  'id_token_hint',
  ...['code_challenge', 'code_challenge_method', 'ui_locales', 'max_age'],
]

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
  if (!confidential && !(await takeWalletCall(c))) return refuse(c, 'rate_limited')
  if (parameters.has('request_uri')) return refuseRequest(c, 'pushed_request_uri')
  const redirectUri = registeredUri(client.value, parameters.get('redirect_uri'))
  if (redirectUri === undefined) return refuseRequest(c, 'redirect_uri')
  const origin: RequestOrigin = confidential ? 'authenticated' : 'pushed'
  const parsed = await parseRequest(parameters, client.value, { issuer: issuer.value, redirectUri, origin })
  if (!parsed.ok) return refuseRequest(c, parsed.error)
  const requestUri = REQUEST_URI + encodeBase64url(randomBytes(32))
  const text = JSON.stringify([origin, [...parameters].filter(([name]) => STORED.includes(name))])
  const stub = relyingPartyStub(c.env, issuer.value.settings.relying_party_id)
  const name = await nameOfPushed(requestUri)
  const stored = await seal(await deriveSealing(c, name), text, randomBytes(12))
  const use = { isAuthenticated: confidential, expiresAt: Date.now() + LIFETIME_SECONDS * 1000 }
  const isStored = await stub?.storeOnce(name, `${client.value.client_id} ${stored}`, use)
  if (!isStored) return refuse(c, 'unavailable')
  return sendOAuth({ request_uri: requestUri, expires_in: LIFETIME_SECONDS }, 201)
}

/** Returns the name under which a pushed request is stored. */
export async function nameOfPushed(requestUri: string): Promise<string> {
  return `par/${await hashSecret(requestUri)}`
}

/** Decrypts a stored pushed request; `undefined` if the text was not sealed under this name. */
export async function openPushed(c: AppContext, name: string, stored: string) {
  const text = await unseal(await deriveSealing(c, name), stored)
  if (text === undefined) return undefined
  // This service wrote the value, so it is not checked.
  const [origin, parameters] = JSON.parse(text) as [RequestOrigin, [string, string][]]
  return { origin, parameters: new Map(parameters) }
}

/**
 * Returns the key and the name that seal a pushed request. The request is sealed, because its `claims` may
 * contain values of a person.
 */
async function deriveSealing({ env }: AppContext, name: string): Promise<Sealing> {
  return { key: await deriveKey(loadConfig(env).serverSecret, 'pushed-request'), aad: name }
}

async function refuseRequest(c: AppContext, name: RequestError): Promise<Response> {
  return sendOAuthError(await requestError(c, name))
}
