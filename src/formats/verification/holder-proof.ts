// Checks of a proof of possession: a JWT that the holder signs for one request. All formats that consist of
// JWTs use these checks.

import { isJsonObject, isNumber, type JsonObject, member } from '../../codec/json.ts'
import { type PublicJwk, parsePublicJwk } from '../../crypto/jwk.ts'
import { err, ok, type Result } from '../../result.ts'
import { CLOCK_SKEW, type Clock } from '../../trust/clock-skew.ts'
import { readKeyInDid } from '../../trust/did/did.ts'
import type { Context, HolderRefusal, RequestBinding } from './format.ts'
import { tracer } from './tracer.ts'

/**
 * Largest accepted difference between `iat` of a proof and the current time, in seconds. The holder's clock
 * may be wrong, and the response takes time to arrive.
 */
const PROOF_WINDOW = 300

/**
 * Returns true if `iat` of a proof is close to `now` (Unix seconds) and not before the request, and if
 * `now` is between `nbf` and `exp`. Each of the three claims is checked only if it is present. Allows
 * for clock skew. Returns `undefined` for a malformed time. The caller decides if `iat` is required.
 */
export function isCurrent(
  claims: JsonObject,
  { now, clockSkew = CLOCK_SKEW, requestedAt }: Clock & { readonly requestedAt: number },
): boolean | undefined {
  const [iat, exp = Number.MAX_VALUE, nbf = now] = ['iat', 'exp', 'nbf'].map((name) => member(claims, name))
  if ((iat !== undefined && !isNumber(iat)) || !isNumber(exp) || !isNumber(nbf)) return undefined
  const isFresh = iat === undefined || (Math.abs(iat - now) <= PROOF_WINDOW && iat >= requestedAt - clockSkew)
  return isFresh && exp > now - clockSkew && nbf <= now + clockSkew
}

/**
 * Checks a presentation without a proof. Such a presentation is accepted only if the query waives holder
 * binding (§6.1).
 */
export function checkMissingProof(
  { holderBinding }: RequestBinding,
  trace: Context['trace'],
): Result<null, HolderRefusal> {
  if (holderBinding) return tracer(trace)('holder_binding', err({ reason: 'holder_binding_missing' }))
  for (const check of ['holder_binding', 'nonce', 'audience'] as const) trace(check, 'skip')
  return ok(null)
}

/**
 * Compares nonce and audience of a verified proof with the request (OpenID4VP 1.0 §14.1, §14.8). Both must be
 * strings. A list of audiences is refused, because it could also name other verifiers (RFC 9901 §4.3).
 */
export function matchRequest(
  claims: JsonObject,
  expected: RequestBinding,
  trace: Context['trace'],
): Result<null, HolderRefusal> {
  const traced = tracer(trace)
  const isNonce = member(claims, 'nonce') === expected.nonce
  const nonce = traced('nonce', isNonce ? ok(null) : err({ reason: 'nonce_mismatch' as const }))
  if (!nonce.ok) return nonce
  const isAudience = member(claims, 'aud') === expected.audience
  return traced('audience', isAudience ? ok(null) : err({ reason: 'audience_mismatch' as const }))
}

/**
 * Returns the key of the holder: the `jwk` of `cnf` (RFC 7800 §3.2). With `acceptsHolderKeyId`, the key may
 * instead be contained in a `kid` (§3.4) that is a did:jwk or did:key. Returns `undefined` if there is no
 * such key.
 *
 * @example
 * const kid = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
 * parseHolderKey({ cnf: { kid } }, { acceptsHolderKeyId: true }) // the Ed25519 key in `kid`
 */
export function parseHolderKey(
  claims: JsonObject,
  { acceptsHolderKeyId = false }: Pick<Context, 'acceptsHolderKeyId'>,
): PublicJwk | undefined {
  const confirmation = member(claims, 'cnf')
  if (!acceptsHolderKeyId || !isJsonObject(confirmation) || Object.hasOwn(confirmation, 'jwk'))
    return confirmationKey(claims)
  const kid = member(confirmation, 'kid')
  return typeof kid === 'string' ? readKeyInDid(kid) : undefined
}

/** Returns the key in the `jwk` of the `cnf` claim (RFC 7800 §3.2); `undefined` if there is none. */
export function confirmationKey(claims: JsonObject): PublicJwk | undefined {
  const confirmation = member(claims, 'cnf')
  return isJsonObject(confirmation) ? parsePublicJwk(member(confirmation, 'jwk')) : undefined
}
