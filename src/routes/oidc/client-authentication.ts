// Authentication of clients (OpenID Connect Core 1.0 §9, RFC 7523). A client must authenticate with its
// registered method. The failures of one address are limited.

import { compactVerify } from 'jose'
import * as z from 'zod/mini'
import { decodeBase64url } from '../../codec/base64url.ts'
import { member, parseJsonObject } from '../../codec/json.ts'
import { list } from '../../codec/schema.ts'
import { timingSafeEqualText } from '../../crypto/timing-safe.ts'
import { OIDC_REQUEST } from '../../limits.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import { type AUTH_METHODS, type OidcClient, signingKeys } from '../../relying-party/oidc/client.ts'
import { loadOidcClient } from '../../relying-party/oidc/client-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { hashSecret } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { parseBasic } from '../edge/form.ts'
import { takeFailedAuthentication } from '../edge/rate-limit.ts'
import type { Issuer } from './issuer.ts'
import type { OidcError } from './responses.ts'

/** Seconds for which an assertion may still be valid, and seconds by which its start may be in the future. */
const LONGEST_ASSERTION = 300
const CLOCK_SKEW = 10

type Parameters = ReadonlyMap<string, string>
type Failure = Extract<OidcError, 'client_unknown' | 'two_authentications' | 'rate_limited' | 'unavailable'>

/** Returns the client of a request. A client with the method `none` sends only its `client_id`. */
export async function authenticateOidcClient(
  c: AppContext,
  issuer: Issuer,
  parameters: Parameters,
): Promise<Result<OidcClient, Failure>> {
  const client = await identify(c, issuer, parameters)
  if (client.ok || client.error !== 'client_unknown') return client
  return takeFailedAuthentication(c) ? client : err('rate_limited')
}

/** The method and the credential by which a request authenticates its client. */
type Presented = { readonly clientId: string } & (
  | { readonly method: 'client_secret_basic' | 'client_secret_post'; readonly secret: string }
  | { readonly method: 'private_key_jwt'; readonly assertion: string }
  | { readonly method: 'none' }
)

async function identify(
  c: AppContext,
  issuer: Issuer,
  parameters: Parameters,
): Promise<Result<OidcClient, Failure>> {
  const presented = presentedBy(c.req.header('Authorization'), parameters)
  if (!presented.ok) return presented
  const now = Date.now()
  const { relying_party_id } = issuer.settings
  const client = await loadOidcClient(c.env, relying_party_id, presented.value.clientId, now)
  if (!client.ok) return err(client.error === 'unavailable' ? 'unavailable' : 'client_unknown')
  const method: (typeof AUTH_METHODS)[number] = presented.value.method
  if (client.value.token_endpoint_auth_method !== method) return err('client_unknown')
  return (await isAuthentic(c, issuer, client.value, { presented: presented.value, now }))
    ? client
    : err('client_unknown')
}

function presentedBy(header: string | undefined, parameters: Parameters): Result<Presented, Failure> {
  const [named, secret, assertion] = ['client_id', 'client_secret', 'client_assertion'].map((name) =>
    parameters.get(name),
  )
  const ways = [header, secret, assertion].filter((way) => way !== undefined)
  if (ways.length > 1) return err('two_authentications')
  if (header !== undefined) {
    const basic = parseBasic(header)
    if (basic === undefined) return err('client_unknown')
    if (named !== undefined && named !== basic.clientId) return err('client_unknown')
    return ok({ method: 'client_secret_basic', clientId: basic.clientId, secret: basic.clientSecret })
  }
  if (assertion !== undefined) {
    if (parameters.get('client_assertion_type') !== ASSERTION_TYPE) return err('client_unknown')
    const clientId = assertedClient(assertion)
    if (clientId === undefined || (named !== undefined && named !== clientId)) return err('client_unknown')
    return ok({ method: 'private_key_jwt', clientId, assertion })
  }
  if (named === undefined) return err('client_unknown')
  return ok(
    secret === undefined
      ? { method: 'none', clientId: named }
      : { method: 'client_secret_post', clientId: named, secret },
  )
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

async function isAuthentic(
  c: AppContext,
  issuer: Issuer,
  client: OidcClient,
  { presented, now }: { readonly presented: Presented; readonly now: number },
): Promise<boolean> {
  if (presented.method === 'none') return true
  if (presented.method === 'private_key_jwt')
    return acceptsAssertion(c, issuer, client, { ...presented, now })
  const digest = await hashSecret(presented.secret)
  const live = client.secrets.filter(({ expires_at }) => expires_at === null || expires_at > now)
  return live.filter(({ hash }) => timingSafeEqualText(hash, digest)).length > 0
}

/**
 * Claims of an assertion (RFC 7523 §3). `aud` must be the issuer alone, so that an assertion for another
 * server is rejected.
 */
const ASSERTION = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.union([z.string(), list(z.string(), 1)]),
  exp: z.number(),
  nbf: z.exactOptional(z.number()),
  iat: z.exactOptional(z.number()),
  jti: z.string().check(z.minLength(1), z.maxLength(255)),
})

async function acceptsAssertion(
  c: AppContext,
  issuer: Issuer,
  client: OidcClient,
  { assertion, now }: { readonly assertion: string; readonly now: number },
): Promise<boolean> {
  const { client_id } = client
  const claims = await verifiedAssertion(assertion, client)
  if (claims?.iss !== client_id || claims.sub !== client_id) return false
  const [audience] = typeof claims.aud === 'string' ? [claims.aud] : claims.aud
  const seconds = now / 1000
  const isInTime = claims.exp > seconds && claims.exp <= seconds + LONGEST_ASSERTION
  const isBegun = Math.max(claims.nbf ?? 0, claims.iat ?? 0) <= seconds + CLOCK_SKEW
  if (audience !== issuer.url || !isInTime || !isBegun) return false
  // This check is the last, so that only the client itself can store a `jti`.
  const stub = relyingPartyStub(c.env, issuer.settings.relying_party_id)
  const name = `jti/${client_id}/${await hashSecret(claims.jti)}`
  const use = { isAuthenticated: true, expiresAt: Math.ceil(claims.exp * 1000) }
  return (await stub?.storeOnce(name, '', use)) === true
}

/**
 * Returns the claims of an assertion that one of the client's keys verifies; `undefined` otherwise. The key
 * determines the accepted algorithms of the header.
 */
async function verifiedAssertion(assertion: string, client: OidcClient) {
  for (const { use: _, alg, kid: __, ...jwk } of signingKeys(client)) {
    const fitting = jwk.kty === 'EC' ? ['ES256'] : ['RS256', 'PS256']
    const algorithms = fitting.filter((name) => name === (alg ?? name))
    const verified = await compactVerify(assertion, jwk, { algorithms }).catch(() => undefined)
    const claims = verified && parseJsonObject(verified.payload, OIDC_REQUEST.assertion)
    if (claims?.ok) return ASSERTION.safeParse(claims.value).data
  }
  return undefined
}

/** Returns the `sub` of an assertion; `undefined` if it has none. The signature is not verified here. */
function assertedClient(assertion: string): string | undefined {
  const payload = decodeBase64url(assertion.split('.')[1] ?? '')
  const parsed = parseJsonObject(payload, OIDC_REQUEST.assertion)
  const sub = parsed.ok ? member(parsed.value, 'sub') : undefined
  return typeof sub === 'string' ? sub : undefined
}
