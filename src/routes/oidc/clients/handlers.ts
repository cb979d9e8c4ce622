// Handlers for the OpenID Connect clients of one relying party. The routes that use these handlers check the
// access: the operator's routes, and the relying party's own routes.

import { CLIENT_LIMIT, clientCreation, clientPatch } from '../../../api/oidc-clients.ts'
import type {
  CreatedOidcClient,
  OidcClientList,
  OidcClientView,
  OidcSecret,
} from '../../../api/responses/oidc.ts'
import { encodeBase64url } from '../../../codec/base64url.ts'
import { encodeHex } from '../../../codec/bytes.ts'
import { isoTime } from '../../../codec/date-time.ts'
import { loadConfig } from '../../../config.ts'
import { randomBytes } from '../../../crypto/random.ts'
import { relyingPartyStub } from '../../../relying-party/document/identifier.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import {
  effectivePolicy,
  type OidcClient,
  type OidcClientInput,
  writeIssuer,
} from '../../../relying-party/oidc/client.ts'
import { forgetOidcClient } from '../../../relying-party/oidc/client-cache.ts'
import { isStaleSignIn } from '../../../relying-party/people/console-calls.ts'
import { loadSettings } from '../../../relying-party/settings/settings-cache.ts'
import { err, type Result } from '../../../result.ts'
import { readOrigin } from '../../audit/origin.ts'
import { hashSecret } from '../../edge/authenticate.ts'
import { readMessage } from '../../edge/cloudflare.ts'
import type { AppContext } from '../../edge/context.ts'
import { type ProblemCode, problem } from '../../edge/problems.ts'
import { sendJsonText } from '../../edge/session-view.ts'
import { readJson } from '../../edge/validate.ts'
import { noIssuer } from '../issuer.ts'
import type { ClientMessage } from './client-messages.ts'
import { judgePolicies } from './client-policies.ts'
import { checkClient, withChanges, withDefaults } from './client-rules.ts'

type ClientHandler = (c: AppContext, relyingPartyId: string, id: string) => Promise<Response>

const LIST = '/oidc_clients'
const ONE = '/oidc_clients/:client'

/**
 * Routes for OpenID Connect clients. They are mounted twice: for the operator, below the path of each relying
 * party, and for a relying party, which manages its own clients.
 */
export const OIDC_CLIENT_ROUTES: readonly (readonly [method: string, path: string, handle: ClientHandler])[] =
  [
    ['GET', LIST, listOidcClients],
    ['POST', LIST, afterFreshSignIn(createOidcClient)],
    ['GET', ONE, showOidcClient],
    ['PATCH', ONE, afterFreshSignIn(changeOidcClient)],
    ['DELETE', ONE, afterFreshSignIn(deleteOidcClient)],
    ['POST', `${ONE}/rotate_secret`, afterFreshSignIn(rotateOidcSecret)],
  ]

/** Returns a handler that the console can use only after a fresh sign-in: a client has keys and secrets. */
function afterFreshSignIn(handle: ClientHandler): ClientHandler {
  return async (c, relyingPartyId, id) =>
    isStaleSignIn(c.req.raw, Date.now())
      ? problem(c, 'fresh_sign_in_required')
      : handle(c, relyingPartyId, id)
}

/** GET: sends all clients. */
async function listOidcClients(c: AppContext, relyingPartyId: string): Promise<Response> {
  const clients = await relyingPartyStub(c.env, relyingPartyId)?.oidcClients()
  if (!clients?.ok) return problem(c, 'not_found')
  const body: OidcClientList = { oidc_clients: clients.value.map((one) => toWire(c, relyingPartyId, one)) }
  return sendJson(c, body)
}

/** GET: sends one client. */
async function showOidcClient(c: AppContext, relyingPartyId: string, id: string): Promise<Response> {
  const client = await relyingPartyStub(c.env, relyingPartyId)?.oidcClient(id)
  return client?.ok ? sendJson(c, toWire(c, relyingPartyId, client.value)) : problem(c, 'not_found')
}

/** POST: creates a client. Only this response contains the secret. */
async function createOidcClient(c: AppContext, relyingPartyId: string): Promise<Response> {
  if (loadConfig(c.env).oidc === null) return refuse(c, 'not_found', 'oidc_keys_missing')
  const settings = await currentSettings(c, relyingPartyId)
  if (!settings.ok) return settings.error
  const creation = await readJson(c, clientCreation, CLIENT_LIMIT)
  if (!creation.ok) return creation.error
  const input = withDefaults(creation.value, settings.value.livemode)
  const judged = await judge(c, input, settings.value)
  if (!judged.ok) return judged.error
  // The secret has 256 random bits, so a plain digest is enough.
  const secret = hasSecret(input) ? newSecret() : undefined
  const secrets = secret === undefined ? [] : [{ hash: await hashSecret(secret), expires_at: null }]
  const client_id = `oc_${encodeHex(randomBytes(16))}`
  const client: OidcClient = {
    ...input,
    client_id,
    created_at: Date.now(),
    secrets,
  }
  const added = await relyingPartyStub(c.env, relyingPartyId)?.addOidcClient(client, readOrigin(c))
  if (added === undefined) return problem(c, 'not_found')
  if (!added.ok && added.error === 'too_many_clients')
    return refuse(c, 'invalid_request', 'oidc_clients_full')
  if (!added.ok) return problem(c, 'not_found')
  const shown = { ...toWire(c, relyingPartyId, added.value), warnings: judged.value }
  const body: CreatedOidcClient = secret === undefined ? shown : { ...shown, client_secret: secret }
  return sendJson(c, body, 201)
}

/** PATCH: replaces the members that are sent. */
async function changeOidcClient(c: AppContext, relyingPartyId: string, id: string): Promise<Response> {
  const settings = await currentSettings(c, relyingPartyId)
  if (!settings.ok) return settings.error
  const current = await relyingPartyStub(c.env, relyingPartyId)?.oidcClient(id)
  if (!current?.ok) return problem(c, 'not_found')
  const patch = await readJson(c, clientPatch, CLIENT_LIMIT)
  if (!patch.ok) return patch.error
  const { client_id: _, created_at: __, secrets: ___, ...members } = current.value
  const input = withChanges(members, patch.value)
  const judged = await judge(c, input, settings.value)
  if (!judged.ok) return judged.error
  const replaced = await relyingPartyStub(c.env, relyingPartyId)?.replaceOidcClient(id, input, readOrigin(c))
  if (!replaced?.ok) return problem(c, 'not_found')
  forgetOidcClient(relyingPartyId, id)
  const body: CreatedOidcClient = {
    ...toWire(c, relyingPartyId, replaced.value),
    warnings: judged.value,
  }
  return sendJson(c, body)
}

/** DELETE: deletes a client, which stops working within 60 s. */
async function deleteOidcClient(c: AppContext, relyingPartyId: string, id: string): Promise<Response> {
  const deleted = await relyingPartyStub(c.env, relyingPartyId)?.deleteOidcClient(id, readOrigin(c))
  if (deleted !== true) return problem(c, 'not_found')
  forgetOidcClient(relyingPartyId, id)
  return new Response(null, { status: 204 })
}

/** POST: creates a new secret, which only this response contains. The old secret works for another 24 h. */
async function rotateOidcSecret(c: AppContext, relyingPartyId: string, id: string): Promise<Response> {
  const stub = relyingPartyStub(c.env, relyingPartyId)
  const client = await stub?.oidcClient(id)
  if (!stub || !client?.ok) return problem(c, 'not_found')
  if (!hasSecret(client.value)) return refuse(c, 'invalid_request', 'oidc_client_without_secret')
  const secret = newSecret()
  const rotated = await stub.addOidcSecret(id, await hashSecret(secret), readOrigin(c))
  if (!rotated.ok) return problem(c, 'not_found')
  forgetOidcClient(relyingPartyId, id)
  return sendJson<OidcSecret>(c, { client_id: id, client_secret: secret })
}

async function refuse(c: AppContext, code: ProblemCode, text: ClientMessage['text']): Promise<Response> {
  return problem(c, code, { detail: await readMessage(c.env.ASSETS, text) })
}

async function currentSettings(c: AppContext, relyingPartyId: string): Promise<Result<Settings, Response>> {
  const settings = await loadSettings(c.env, relyingPartyId, Date.now())
  return settings.ok ? settings : err(noIssuer(c, settings.error))
}

/** Returns the warnings about a client, or the response that rejects it. */
async function judge(c: AppContext, client: OidcClientInput, settings: Settings) {
  const errors = await Promise.all(
    checkClient(client, settings.livemode).map(async ({ pointer, text, values }) => ({
      pointer,
      code: 'invalid_value',
      message: await readMessage(c.env.ASSETS, text, values),
    })),
  )
  if (errors.length > 0) return err(problem(c, 'invalid_request', { errors }))
  const judged = await judgePolicies(c, client, settings)
  return judged.ok ? judged : err(problem(c, judged.error.code, { errors: judged.error.errors }))
}

function hasSecret({ token_endpoint_auth_method: method }: OidcClientInput): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post'
}

function newSecret(): string {
  return `ocs_${encodeBase64url(randomBytes(32))}`
}

/**
 * Returns a client for a response: without secrets, and with the session binding that each policy applies.
 */
function toWire(c: AppContext, relyingPartyId: string, client: OidcClient): OidcClientView {
  const { client_id, created_at, secrets: _, policies, ...members } = client
  return {
    client_id,
    issuer: writeIssuer(loadConfig(c.env).baseUrl, relyingPartyId),
    created_at: isoTime(created_at),
    token_endpoint_as_audience: false,
    dpop_bound_access_tokens: false,
    ...members,
    policies: policies.map((policy) => effectivePolicy(client, policy)),
  }
}

function sendJson<T extends object>(c: AppContext, body: T, status: 200 | 201 = 200): Response {
  return sendJsonText(c, JSON.stringify(body), status)
}
