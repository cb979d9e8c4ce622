// The OpenID Provider of a relying party's organisation: its metadata (OpenID Connect Discovery 1.0), its
// keys, and its token endpoint. Metadata with an address that the service may not call are rejected. Only a
// forbidden `end_session_endpoint` is left out instead.

import * as z from 'zod/mini'
import { type JsonObject, member, parseJsonObject } from '../../codec/json.ts'
import { CONSOLE_SIGN_IN } from '../../limits.ts'
import { createFetchCache } from '../../net/cache.ts'
import { fetchJson } from '../../net/fetch-json.ts'
import { checkOutboundUrl, type UrlRule } from '../../net/outbound-url.ts'
import type { PostForm } from '../../net/post-form.ts'
import type { FetchSource } from '../../net/shared-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import type { ConsoleSignIn } from '../document/settings.ts'

/** The metadata that a sign-in uses. */
export type Provider = z.infer<typeof METADATA>

/**
 * `provider_unavailable`: no response, or a server error. `provider_invalid`: the metadata or a response is
 * not acceptable. `code_refused`: the provider rejected the code. `client_refused`: the provider sent any
 * other error, for example for a wrong client secret.
 */
export type ProviderError = 'provider_unavailable' | 'provider_invalid' | 'client_refused' | 'code_refused'

/** Seconds for which metadata and keys are used. */
const MAXIMUM_AGE = 300
/**
 * Age of the cached keys in seconds from which they may be fetched again, if a token names an unknown key.
 */
const MINIMUM_AGE = 10

const METADATA = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  end_session_endpoint: z.exactOptional(z.string()),
  token_endpoint_auth_methods_supported: z.exactOptional(z.array(z.string())),
  /** RFC 9207 §3: true if the response of the provider contains `iss`. */
  authorization_response_iss_parameter_supported: z.exactOptional(z.boolean()),
})

const LATE = err('unavailable')

const documents = createFetchCache<Awaited<ReturnType<typeof fetchJson>>>({
  read: (url, { fetchResource }) =>
    fetchJson(fetchResource, { url, accept: 'application/json' }, CONSOLE_SIGN_IN.metadata),
  bytesOf: (found) => (found.ok ? JSON.stringify(found.value).length : 0),
  late: LATE,
})

/** Returns the metadata of an issuer. `rule`: the addresses that the service may call. */
export async function loadProvider(
  issuer: string,
  source: FetchSource,
  rule: UrlRule,
): Promise<Result<Provider, ProviderError>> {
  // Discovery 1.0 §4: a slash at the end of the issuer is removed before the path is added.
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const metadata = await documents(url, source, MAXIMUM_AGE)
  if (!metadata.ok) return err(toError(metadata.error))
  const { data } = METADATA.safeParse(metadata.value)
  // §4.3: the issuer must be exactly the issuer whose metadata was requested.
  if (data?.issuer !== issuer) return err('provider_invalid')
  const { authorization_endpoint, token_endpoint, jwks_uri, end_session_endpoint } = data
  const isAllowed = (address: string) => checkOutboundUrl(address, rule).ok
  if (![authorization_endpoint, token_endpoint, jwks_uri].every(isAllowed)) return err('provider_invalid')
  if (end_session_endpoint === undefined || isAllowed(end_session_endpoint)) return ok(data)
  const { end_session_endpoint: _, ...rest } = data
  return ok(rest)
}

/** Returns the key set of a provider. `isRepeated`: a set that is older than ten seconds is fetched again. */
export async function loadKeys(
  { jwks_uri }: Provider,
  source: FetchSource,
  isRepeated = false,
): Promise<Result<JsonObject, ProviderError>> {
  const keySet = await documents(jwks_uri, source, isRepeated ? MINIMUM_AGE : MAXIMUM_AGE)
  if (!keySet.ok) return err(toError(keySet.error))
  return Array.isArray(member(keySet.value, 'keys')) ? keySet : err('provider_invalid')
}

/** Redeems an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.5). Returns the ID token, not yet verified. */
export async function redeemCode(
  { token_endpoint, token_endpoint_auth_methods_supported: methods }: Provider,
  { client_id, client_secret }: ConsoleSignIn,
  sent: { readonly code: string; readonly redirect_uri: string; readonly code_verifier: string },
  post: PostForm,
): Promise<Result<string, ProviderError>> {
  // OpenID Connect Core 1.0 §9: `client_secret_basic` is the default.
  const isBasic = methods?.includes('client_secret_basic') ?? true
  if (!isBasic && !methods?.includes('client_secret_post')) return err('provider_invalid')
  const answer = await post({
    url: token_endpoint,
    fields: { grant_type: 'authorization_code', ...sent, ...(!isBasic && { client_id, client_secret }) },
    authorization: isBasic ? basic(client_id, client_secret) : undefined,
    limit: CONSOLE_SIGN_IN.tokens.bytes,
  })
  if (!answer.ok) return err(answer.error === 'unavailable' ? 'provider_unavailable' : 'provider_invalid')
  const { status, body } = answer.value
  if (status >= 500) return err('provider_unavailable')
  const parsed = parseJsonObject(body, {
    length: CONSOLE_SIGN_IN.tokens.bytes,
    depth: CONSOLE_SIGN_IN.tokens.depth,
  })
  if (!parsed.ok) return err('provider_invalid')
  if (status !== 200) {
    const error = member(parsed.value, 'error')
    return err(error === 'invalid_grant' ? 'code_refused' : 'client_refused')
  }
  const idToken = member(parsed.value, 'id_token')
  return typeof idToken === 'string' ? ok(idToken) : err('provider_invalid')
}

/** RFC 6749 §2.3.1: both values are encoded as in a form before they are joined. */
function basic(clientId: string, secret: string): string {
  const encoded = (value: string) => new URLSearchParams({ v: value }).toString().slice(2)
  return `Basic ${btoa(`${encoded(clientId)}:${encoded(secret)}`)}`
}

function toError(error: 'unavailable' | 'invalid'): ProviderError {
  return error === 'unavailable' ? 'provider_unavailable' : 'provider_invalid'
}
