// The authorization request of a client (OpenID Connect Core 1.0 §3.1.2, RFC 6749 §4.1.1, RFC 7636). The
// person can edit the request in the browser's address. So a request can choose only among the values that
// the relying party registered.

import { locale } from '../../api/requests.ts'
import { encodeHex, utf8 } from '../../codec/bytes.ts'
import { sha256 } from '../../crypto/digest.ts'
import { OIDC_REQUEST } from '../../limits.ts'
import {
  isConfidential,
  type OidcClient,
  type OidcPolicy,
  policyText,
  STANDARD_SCOPES,
  tokenEncryption,
} from '../../relying-party/oidc/client.ts'
import { err, ok, type Result } from '../../result.ts'
import type { LoginConditions, LoginRequest } from '../../session/document/login.ts'
import { openIdToken } from '../../session/tokens/issued-id-token.ts'
import { ACR_PREFIX } from '../../session/tokens/tokens.ts'
import { findPageLanguage } from '../../session/views/page-language.ts'
import { ASSURANCE_LEVELS, type AssuranceLevel } from '../../trust/anchors/anchor.ts'
import { type ClaimsParameter, parseClaims } from './claims-parameter.ts'
import type { Issuer } from './issuer.ts'
import type { RequestError } from './responses.ts'

export type Parameters = ReadonlyMap<string, string>

/** A valid request. */
export type ParsedRequest = {
  readonly policy: OidcPolicy
  readonly login: LoginRequest
  /** Null if the request has neither `claims` nor `id_token_hint`. */
  readonly conditions: LoginConditions | null
  readonly locale: string | undefined
}

/**
 * Channel of a request. `front_channel`: the browser sent the request. `pushed`: a public client pushed the
 * request. `authenticated`: a confidential client pushed the request, and has authenticated.
 */
export type RequestOrigin = 'front_channel' | 'pushed' | 'authenticated'

/** Returns `uri` if the client has registered it; `undefined` otherwise. */
export function registeredUri(client: OidcClient, uri: string | undefined): string | undefined {
  if (uri === undefined) return undefined
  return client.redirect_uris.some((registered) => isSame(registered, uri, client)) ? uri : undefined
}

/**
 * Returns true if `uri` is the registered address. The port of a native client's loopback address may differ,
 * because the client opens a free port for each login (RFC 8252 §7.3).
 */
function isSame(registered: string, uri: string, { application_type }: OidcClient): boolean {
  if (registered === uri) return true
  const isLoopback = application_type === 'native' && URL.canParse(uri) && LOOPBACK.test(registered)
  return isLoopback && uri.replace(LOOPBACK, '$1') === registered.replace(LOOPBACK, '$1')
}

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(:[1-9]\d{0,4})?(?=[/?]|$)/

/** Parses a request whose client and `redirect_uri` are known. */
export async function parseRequest(
  parameters: Parameters,
  client: OidcClient,
  {
    issuer,
    redirectUri,
    origin,
  }: { readonly issuer: Issuer; readonly redirectUri: string; readonly origin: RequestOrigin },
): Promise<Result<ParsedRequest, RequestError>> {
  const fault = formError(parameters)
  if (fault !== undefined) return err(fault)
  const chosen = choosePolicy(parameters, client)
  if (!chosen.ok) return chosen
  const policy = chosen.value
  const claims = parseClaims(parameters.get('claims'))
  if (claims === undefined) return err('claims')
  const rule = channelError(client, origin) ?? proofError(parameters, client) ?? acrError(claims)
  if (rule !== undefined) return err(rule)
  const hint = parameters.get('id_token_hint')
  const hinted = hint === undefined ? ok(null) : await hintedSubject(hint, client, issuer)
  if (!hinted.ok) return hinted
  return ok({
    policy,
    locale: parseLanguage(parameters.get('ui_locales')),
    conditions:
      parameters.has('claims') || hint !== undefined
        ? {
            sub: acceptedSubjects(claims, hinted.value),
            id_token: claims.id_token.verified,
            userinfo: claims.userinfo.verified,
          }
        : null,
    login: {
      client_id: client.client_id,
      client_name: client.name,
      confidential: isConfidential(client),
      redirect_uri: redirectUri,
      response_mode: parameters.get('response_mode') === 'form_post' ? 'form_post' : 'query',
      state: parameters.get('state') ?? null,
      nonce: parameters.get('nonce') ?? null,
      code_challenge: parameters.get('code_challenge') ?? null,
      dpop_jkt: parameters.get('dpop_jkt') ?? null,
      scope: parseScopes(parameters).includes(policy.name) ? `openid ${policy.name}` : 'openid',
      policy: `${policy.name}#${await digestPolicy(client, policy)}`,
      subject: client.subject,
      wanted_acr: claims.acr,
      id_token: {
        alg: client.id_token_signed_response_alg,
        encryption: tokenEncryption(client, 'id_token'),
        names: claims.id_token.names,
      },
      userinfo: {
        alg: client.userinfo_signed_response_alg ?? signedInside(client),
        encryption: tokenEncryption(client, 'userinfo'),
        names: claims.userinfo.names,
      },
    },
  })
}

const digests = new WeakMap<OidcPolicy, string>()

/**
 * Returns the first 16 hexadecimal digits of the policy's SHA-256. The result is cached for the policy
 * object.
 */
async function digestPolicy(client: OidcClient, policy: OidcPolicy): Promise<string> {
  const digest = digests.get(policy) ?? encodeHex(await sha256(utf8(policyText(client, policy)))).slice(0, 16)
  digests.set(policy, digest)
  return digest
}

/**
 * Returns the `sub` of an `id_token_hint` (Core §3.1.2.1): an ID token of an earlier login of this client. An
 * expired token is accepted, because that login may be long ago. A hint with a transient `sub` is an error,
 * because no later login can have the same `sub`.
 */
async function hintedSubject(
  hint: string,
  { client_id, subject }: OidcClient,
  { url, keys }: Issuer,
): Promise<Result<string, RequestError>> {
  const claims = await openIdToken(hint, keys)
  if (claims?.iss !== url || claims.aud !== client_id) return err('id_token_hint')
  return subject.type === 'pairwise' ? ok(claims.sub) : err('hint_of_transient_subject')
}

/** Returns the `sub` values that the `claims` parameter and the hint both accept; null for any value. */
function acceptedSubjects({ sub }: ClaimsParameter, hinted: string | null): readonly string[] | null {
  if (hinted === null) return sub
  return sub === null ? [hinted] : sub.filter((one) => one === hinted)
}

/**
 * Returns the algorithm that signs UserInfo if the client registered none for it. For encrypted UserInfo,
 * this is the algorithm of the ID token. Otherwise returns null: UserInfo is not signed.
 */
function signedInside(client: OidcClient) {
  return client.userinfo_encrypted_response_alg === null ? null : client.id_token_signed_response_alg
}

/** Returns the first error in the form of the parameters; `undefined` if there is no error. */
function formError(parameters: Parameters): RequestError | undefined {
  if (parameters.has('request')) return 'request_object'
  if (parameters.has('request_uri')) return 'foreign_request_uri'
  if (parameters.has('registration')) return 'registration'
  const isLong = (name: string, value: string) =>
    !LONG_PARAMETERS.includes(name) && value.length > OIDC_REQUEST.valueCharacters
  for (const [name, value] of parameters) if (isLong(name, value)) return 'parameter_too_long'
  const responseType = parameters.get('response_type')
  if (responseType === undefined) return 'response_type_missing'
  if (responseType !== 'code') return 'response_type'
  const mode = parameters.get('response_mode') ?? 'query'
  if (mode !== 'query' && mode !== 'form_post') return 'response_mode'
  const jkt = parameters.get('dpop_jkt')
  if (jkt !== undefined && !isDigest(jkt)) return 'dpop_jkt'
  return parameters.get('prompt')?.split(' ').includes('none') ? 'prompt_none' : undefined
}

/** Parameters with a limit of their own. */
const LONG_PARAMETERS = ['claims', 'id_token_hint']

function parseScopes(parameters: Parameters): readonly string[] {
  return (parameters.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
}

/**
 * Returns the policy that a scope names. Without such a scope, returns the default policy. The scope `openid`
 * is required. The other standard scopes are ignored. At most one scope may name a policy.
 */
function choosePolicy(parameters: Parameters, client: OidcClient): Result<OidcPolicy, RequestError> {
  const scopes = new Set(parseScopes(parameters))
  if (!scopes.delete('openid')) return err('scope_openid')
  for (const scope of STANDARD_SCOPES) scopes.delete(scope)
  if (scopes.size > 1) return err('scope_several')
  const [name = client.default_policy] = scopes
  const policy = client.policies.find((one) => one.name === name)
  return policy === undefined ? err('scope_unknown') : ok(policy)
}

/**
 * Returns an error if the client may not send a request by this channel. Only a request that an authenticated
 * client pushed is sure to have the policy that this client chose. Any other request is accepted only if the
 * client has one policy, or if all its policies are `front_channel`.
 */
function channelError(client: OidcClient, origin: RequestOrigin): RequestError | undefined {
  const { policies, require_pushed_authorization_requests: mustPush } = client
  if (mustPush && origin === 'front_channel') return 'par_required'
  const isAllowed =
    policies.length === 1 || origin === 'authenticated' || policies.every((one) => one.front_channel)
  return isAllowed ? undefined : 'policy_by_front_channel'
}

/**
 * Returns an error if nothing protects the code (RFC 9700 §2.1.1). A request must have PKCE. A client that is
 * not registered with `require_pkce` may send a nonce instead.
 */
function proofError(parameters: Parameters, client: OidcClient): RequestError | undefined {
  const challenge = parameters.get('code_challenge')
  const method = parameters.get('code_challenge_method')
  if (challenge === undefined) {
    if (client.require_pkce || method !== undefined) return 'challenge_missing'
    return parameters.has('nonce') ? undefined : 'nonce_missing'
  }
  if (method !== 'S256') return 'challenge_method'
  return isDigest(challenge) ? undefined : 'challenge'
}

/** Returns true if a text has the form of a SHA-256 digest in base64url. */
function isDigest(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

/** Returns an error if none of the values of an essential `acr` is an assurance level (Core §5.5.1.1). */
function acrError({ acr }: ClaimsParameter): RequestError | undefined {
  return acr === null || essentialLevel(acr) !== undefined ? undefined : 'acr'
}

/**
 * Returns the lowest level that satisfies an essential `acr`; `undefined` if `acr` is null, or if no value of
 * `acr` is a level.
 */
export function essentialLevel(acr: readonly string[] | null): AssuranceLevel | undefined {
  return ASSURANCE_LEVELS.find((level) => acr?.includes(ACR_PREFIX + level))
}

/** Returns the first wanted language that the page has; `undefined` if there is none. */
function parseLanguage(wanted: string | undefined): string | undefined {
  return wanted?.split(' ').find((tag) => findPageLanguage(tag) !== null && locale.safeParse(tag).success)
}
