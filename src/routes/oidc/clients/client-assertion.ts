// Assertion of a client with the method `private_key_jwt` (OpenID Connect Core 1.0 §9, RFC 7523 §3). An
// error names the wrong claim only if one of the client's keys signed the assertion.

import { compactVerify } from 'jose'
import * as z from 'zod/mini'
import { decodeBase64url } from '../../../codec/base64url.ts'
import { type JsonObject, member, parseJsonObject } from '../../../codec/json.ts'
import { OIDC_REQUEST } from '../../../limits.ts'
import { relyingPartyStub } from '../../../relying-party/document/identifier.ts'
import { type ClientJwk, type OidcClient, signingKeys } from '../../../relying-party/oidc/client.ts'
import { err } from '../../../result.ts'
import { hashSecret } from '../../edge/authenticate.ts'
import type { AppContext } from '../../edge/context.ts'
import { buildEndpoints, type Issuer } from '../issuer.ts'
import type { OidcError } from '../responses.ts'

/** Largest remaining life of an assertion, and largest time until its start, both in seconds. */
const LONGEST_ASSERTION = 300
const CLOCK_SKEW = 10

/** Errors of an assertion that the client signed. */
export type AssertionError = Extract<OidcError, `assertion_${string}`>

const ASSERTION = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  nbf: z.exactOptional(z.number()),
  iat: z.exactOptional(z.number()),
  jti: z.string().check(z.minLength(1), z.maxLength(255)),
})

/**
 * Returns the error of an assertion; `undefined` if it authenticates the client. `unavailable`: the service
 * cannot check if the assertion was used before. `now` is Unix milliseconds. An accepted assertion cannot be
 * used again.
 */
export async function findAssertionError(
  c: AppContext,
  issuer: Issuer,
  client: OidcClient,
  { assertion, now }: { readonly assertion: string; readonly now: number },
): Promise<'client_unknown' | 'unavailable' | AssertionError | undefined> {
  const { client_id } = client
  const signed = await openAssertion(assertion, client)
  if (signed === undefined) return 'client_unknown'
  const { data: claims } = ASSERTION.safeParse(signed)
  if (claims === undefined) return 'assertion_claims'
  if (claims.iss !== client_id || claims.sub !== client_id) return 'assertion_issuer'
  if (!isAddressed([claims.aud].flat(), issuer, client)) return 'assertion_audience'
  const seconds = now / 1000
  if (claims.exp <= seconds || claims.exp > seconds + LONGEST_ASSERTION) return 'assertion_expiry'
  if (Math.max(claims.nbf ?? 0, claims.iat ?? 0) > seconds + CLOCK_SKEW) return 'assertion_start'
  // The `jti` is stored after all other checks, so that only the client itself can store a `jti`.
  const stub = relyingPartyStub(c.env, issuer.settings.relying_party_id)
  const name = `jti/${client_id}/${await hashSecret(claims.jti)}`
  const use = { isAuthenticated: true, expiresAt: Math.ceil(claims.exp * 1000) }
  const stored = (await stub?.storeOnce(name, '', use)) ?? err('deleted')
  if (stored.ok) return undefined
  // An object that still runs an earlier version returns a boolean, which has no `error`.
  return STORE_ERRORS[stored.error] ?? 'unavailable'
}

/** Errors of an assertion whose `jti` was not stored. */
const STORE_ERRORS = {
  known: 'assertion_used',
  expired: 'assertion_expiry',
  full: 'unavailable',
  deleted: 'client_unknown',
} as const

/**
 * Returns true if an assertion is for this issuer and for no other server. FAPI 2.0 §5.3.2.1 accepts the
 * issuer alone, Core §9 suggests the token endpoint.
 */
function isAddressed(audiences: readonly string[], issuer: Issuer, client: OidcClient): boolean {
  const accepted = client.token_endpoint_as_audience
    ? [issuer.url, buildEndpoints(issuer.url).token_endpoint]
    : [issuer.url]
  return audiences.length > 0 && audiences.every((audience) => accepted.includes(audience))
}

/**
 * Returns the claims of an assertion that one of the client's keys verifies; `undefined` otherwise. The key
 * determines the accepted algorithms of the header.
 */
async function openAssertion(assertion: string, client: OidcClient): Promise<JsonObject | undefined> {
  for (const { use: _, alg, kid: __, ...jwk } of signingKeys(client)) {
    const fitting = jwk.kty === 'EC' ? ['ES256'] : ['RS256', 'PS256']
    const algorithms = fitting.filter((name) => name === (alg ?? name))
    const claims = await openSigned(assertion, jwk, algorithms)
    if (claims !== undefined) return claims
  }
  return undefined
}

/** Returns the claims of a JWT that a key verifies with one of these algorithms; `undefined` otherwise. */
export async function openSigned(
  text: string,
  jwk: ClientJwk,
  algorithms: readonly string[],
): Promise<JsonObject | undefined> {
  const options = { algorithms: [...algorithms] }
  const verified = await compactVerify(text, jwk, options).catch(() => undefined)
  const claims = verified && parseJsonObject(verified.payload, OIDC_REQUEST.assertion)
  return claims?.ok ? claims.value : undefined
}

/** Returns the `sub` of an assertion; `undefined` if it has none. The signature is not verified here. */
export function readAssertedClient(assertion: string): string | undefined {
  const payload = decodeBase64url(assertion.split('.')[1] ?? '')
  const parsed = parseJsonObject(payload, OIDC_REQUEST.assertion)
  const sub = parsed.ok ? member(parsed.value, 'sub') : undefined
  return typeof sub === 'string' ? sub : undefined
}
