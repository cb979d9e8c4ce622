// Sign-in of people by the OpenID Provider of their organisation (docs/console.md): the authorization code
// flow with PKCE, state and nonce. Each relying party has its own redirect URI, so the response of one
// provider is never used with another provider (RFC 9700 §4.4).

import { type PersonSignIn, SIGN_IN_BYTES, startRequest } from '../../api/console-requests.ts'
import type { ConsoleStartView } from '../../api/responses/console.ts'
import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { loadConfig, outboundRule } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import { createPostForm } from '../../net/post-form.ts'
import type { Actor } from '../../relying-party/audit/actor.ts'
import { isSameClient } from '../../relying-party/document/console-sign-in.ts'
import type { ConsoleSignIn, Settings } from '../../relying-party/document/settings.ts'
import { type IdToken, type IdTokenError, verifyIdToken } from '../../relying-party/people/id-token.ts'
import { type Person, personActor, scopesOf, toPerson } from '../../relying-party/people/person.ts'
import {
  loadKeys,
  loadProvider,
  type Provider,
  type ProviderError,
  redeemCode,
} from '../../relying-party/people/provider.ts'
import { loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { openNetwork } from '../../session/response/network.ts'
import type { AppContext } from '../edge/context.ts'
import { type ProblemCode, problem } from '../edge/problems.ts'
import { takeTokenCall } from '../edge/rate-limit.ts'
import { readJson } from '../edge/validate.ts'
import { type Flow, startFlow, takeFlow } from './flow-cookie.ts'

/**
 * A sign-in that failed: the problem, what was wrong, and the person, if the provider proved who they are.
 */
export type SignInError = { readonly code: ProblemCode; readonly detail?: string; readonly actor?: Actor }

/** Scopes for `sub`, `preferred_username`, `name` and `email` (OpenID Connect Core 1.0 §5.4). */
const SCOPE = 'openid profile email'
/** Time limit of a call of the token endpoint. */
const TOKEN_TIMEOUT_MS = 5_000

/** POST: starts the sign-in of a person, and sends the address of their provider. */
export async function startPersonSignIn(c: AppContext): Promise<Response> {
  const body = await readJson(c, startRequest, SIGN_IN_BYTES, 'anyone')
  if (!body.ok) return body.error
  if (!(await takeTokenCall(c))) return problem(c, 'rate_limited')
  const { relying_party_id, fresh } = body.value
  const client = await findClient(c, relying_party_id)
  if (!client.ok) return problem(c, client.error.code, client.error)
  const { issuer, client_id } = client.value.setting
  const flow = await startFlow(c, { relying_party_id, issuer, client_id, is_fresh: fresh })
  const view: ConsoleStartView = { authorization_url: await authorizationUrl(c, flow, client.value.provider) }
  return c.json(view, 201, { 'Cache-Control': 'no-store' })
}

/**
 * Completes the sign-in of a person with the provider's response. Returns the person and the time of
 * authentication.
 */
export async function finishPersonSignIn(
  c: AppContext,
  sent: PersonSignIn,
): Promise<Result<{ readonly person: Person; readonly authenticatedAt: number | null }, SignInError>> {
  const flow = await takeFlow(c)
  const isOurs =
    flow !== undefined &&
    flow.relying_party_id === sent.relying_party_id &&
    timingSafeEqualText(flow.state, sent.state)
  if (!isOurs) return refused('The response belongs to no sign-in of this browser. Start again.')
  const client = await findClient(c, flow.relying_party_id)
  if (!client.ok) return client
  const { setting, provider, source } = client.value
  if (!isSameClient(setting, flow)) return refused('The settings have changed meanwhile. Start again.')
  // RFC 9207 §2.4
  const isRequired = provider.authorization_response_iss_parameter_supported === true
  if (sent.iss === undefined ? isRequired : sent.iss !== flow.issuer)
    return refused('The response is not from the provider of this relying party.')
  const redeemed = await redeemCode(
    provider,
    setting,
    { code: sent.code, redirect_uri: redirectUri(c, flow), code_verifier: flow.code_verifier },
    client.value.post,
  )
  if (!redeemed.ok) return err(PROVIDER_ERRORS[redeemed.error])
  const idToken = await verifyWithKeys(redeemed.value, flow, provider, source)
  if (!idToken.ok) return idToken
  const person = toPerson(flow.relying_party_id, setting, idToken.value)
  if (scopesOf(setting, person).length === 0) return err({ code: 'role_missing', actor: personActor(person) })
  return ok({ person, authenticatedAt: idToken.value.authenticatedAt })
}

/** Returns the address at which a person can sign out of their provider; null if there is none. */
export async function endSessionUrl(c: AppContext, person: Person): Promise<string | null> {
  const client = await findClient(c, person.relying_party_id)
  if (!client.ok || !isSameClient(client.value.setting, person)) return null
  const { end_session_endpoint } = client.value.provider
  if (end_session_endpoint === undefined) return null
  const url = new URL(end_session_endpoint)
  url.searchParams.set('client_id', person.client_id) // RP-Initiated Logout 1.0 §2
  return url.href
}

type Client = {
  readonly setting: ConsoleSignIn
  readonly provider: Provider
  readonly source: Parameters<typeof loadProvider>[1]
  readonly post: ReturnType<typeof createPostForm>
}

/** Returns the console's client at the OpenID Provider of a relying party, and the provider's metadata. */
async function findClient(c: AppContext, relyingPartyId: string): Promise<Result<Client, SignInError>> {
  const now = Date.now()
  const settings = await loadSettings(c.env, relyingPartyId, now)
  // The response is the same for an unknown relying party and for a relying party without the setting.
  if (!settings.ok && settings.error === 'not_found') return err({ code: 'people_not_enabled' })
  if (!settings.ok) return err({ code: 'temporarily_unavailable' })
  const { console_sign_in: setting, livemode }: Settings = settings.value
  if (!setting) return err({ code: 'people_not_enabled' })
  const rule = outboundRule(loadConfig(c.env), livemode)
  const { fetchResource } = openNetwork(c.env, livemode)
  const source = { now: now / 1000, fetchResource }
  const provider = await loadProvider(setting.issuer, source, rule)
  if (!provider.ok) return err(PROVIDER_ERRORS[provider.error])
  const post = createPostForm({
    fetch: (url, init) => fetch(url, init),
    timeoutMs: TOKEN_TIMEOUT_MS,
    ...rule,
  })
  return ok({ setting, provider: provider.value, source, post })
}

/** Verifies the ID token. If no cached key is the token's key, the keys are fetched once more. */
async function verifyWithKeys(
  idToken: string,
  flow: Flow,
  provider: Provider,
  source: Client['source'],
): Promise<Result<IdToken, SignInError>> {
  const { issuer, client_id: clientId, nonce } = flow
  const authenticatedSince = flow.is_fresh ? flow.started_at : null
  const expected = { issuer, clientId, nonce, authenticatedSince, now: Date.now() }
  const verify = async (isRepeated: boolean): Promise<Result<IdToken, IdTokenError | SignInError>> => {
    const keys = await loadKeys(provider, source, isRepeated)
    return keys.ok ? verifyIdToken(idToken, expected, keys.value) : err(PROVIDER_ERRORS[keys.error])
  }
  const first = await verify(false)
  const verified = !first.ok && first.error === 'unknown_key' ? await verify(true) : first
  if (verified.ok) return verified
  const { error } = verified
  return typeof error === 'string' ? refused(`The ID token is not acceptable: ${error}.`) : err(error)
}

/** Builds the authorization request (OpenID Connect Core 1.0 §3.1.2.1, RFC 7636 §4.3). */
async function authorizationUrl(c: AppContext, flow: Flow, provider: Provider): Promise<string> {
  const url = new URL(provider.authorization_endpoint)
  const parameters = {
    response_type: 'code',
    client_id: flow.client_id,
    redirect_uri: redirectUri(c, flow),
    scope: SCOPE,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: encodeBase64url(await sha256(utf8(flow.code_verifier))),
    code_challenge_method: 'S256',
    ...(flow.is_fresh && { prompt: 'login', max_age: '0' }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

function redirectUri(c: AppContext, { relying_party_id }: Pick<Flow, 'relying_party_id'>): string {
  return `${loadConfig(c.env).consoleOrigin}/console/people/${relying_party_id}`
}

const PROVIDER_ERRORS: Readonly<Record<ProviderError, SignInError>> = {
  provider_unavailable: {
    code: 'sign_in_provider_failed',
    detail: 'The OpenID Provider did not respond in time. Try again.',
  },
  provider_invalid: {
    code: 'sign_in_provider_failed',
    detail: 'A document of the OpenID Provider is not acceptable. Check issuer in console_sign_in.',
  },
  client_refused: {
    code: 'sign_in_provider_failed',
    detail: 'The OpenID Provider rejected the client. Check client_id and client_secret in console_sign_in.',
  },
  code_refused: { code: 'sign_in_refused', detail: 'The OpenID Provider rejected the code. Start again.' },
}

function refused(detail: string) {
  return err({ code: 'sign_in_refused', detail } as const)
}
