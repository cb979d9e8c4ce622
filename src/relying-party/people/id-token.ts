// Verification of the ID token of a sign-in to the console (OpenID Connect Core 1.0 §3.1.3.7). jose verifies
// signature and claims. Only asymmetric algorithms are accepted, so a client secret never verifies a token.

import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import type { JsonObject } from '../../codec/json.ts'
import { CONSOLE_SIGN_IN } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'

/** Values that the ID token must have. Times are Unix milliseconds. */
export type ExpectedIdToken = {
  readonly issuer: string
  readonly clientId: string
  readonly nonce: string
  /**
   * Start of the sign-in, if the person must authenticate again after it. Null: an earlier authentication at
   * the provider is accepted.
   */
  readonly authenticatedSince: number | null
  readonly now: number
}

/** Claims of a verified token. `authenticatedAt`: Unix milliseconds; null: the token has no `auth_time`. */
export type IdToken = {
  readonly claims: JWTPayload
  readonly subject: string
  readonly authenticatedAt: number | null
}

/**
 * The part of a token that was not acceptable: `signature`, `form`, or the name of a claim. `unknown_key`:
 * the key set has no key for the token, so a newer key set may have one.
 */
export type IdTokenError = 'unknown_key' | 'signature' | 'form' | `claim ${string}`

/** Accepted difference between the provider's clock and ours, in seconds. */
const CLOCK_SKEW = 60
/** Age from which a token is too old. A valid token is new, because the service redeems the code at once. */
const MAXIMUM_AGE = '10 minutes'

const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** Verifies an ID token with the provider's keys. */
export async function verifyIdToken(
  idToken: string,
  expected: ExpectedIdToken,
  keys: JsonObject,
): Promise<Result<IdToken, IdTokenError>> {
  if (idToken.length > CONSOLE_SIGN_IN.idTokenCharacters) return err('form')
  const { issuer, clientId, nonce, now } = expected
  try {
    const keySet = createLocalJWKSet(keys as unknown as JSONWebKeySet) // jose checks the keys that it uses
    const { payload } = await jwtVerify(idToken, keySet, {
      algorithms: ALGORITHMS,
      issuer,
      audience: clientId,
      requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
      clockTolerance: CLOCK_SKEW,
      maxTokenAge: MAXIMUM_AGE,
      currentDate: new Date(now),
    })
    // §3.1.3.7: a token for several audiences names us as its authorized party.
    const isForOthers = Array.isArray(payload.aud) && payload.aud.length > 1
    if (payload.azp === undefined ? isForOthers : payload.azp !== clientId) return err('claim azp')
    if (payload.nonce !== nonce) return err('claim nonce')
    return readSubject(payload, expected)
  } catch (error) {
    return err(toReason(error))
  }
}

function readSubject(
  claims: JWTPayload,
  { authenticatedSince, now }: ExpectedIdToken,
): Result<IdToken, IdTokenError> {
  const { sub, auth_time } = claims
  // §2: at most 255 ASCII characters.
  if (typeof sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub)) return err('claim sub')
  const isTime = typeof auth_time === 'number' && Number.isFinite(auth_time)
  if (auth_time !== undefined && !isTime) return err('claim auth_time')
  const authenticatedAt = isTime ? Math.min(auth_time * 1000, now) : null
  const earliest = authenticatedSince === null ? null : authenticatedSince - CLOCK_SKEW * 1000
  if (earliest !== null && (authenticatedAt === null || authenticatedAt < earliest))
    return err('claim auth_time')
  return ok({ claims, subject: sub, authenticatedAt })
}

function toReason(error: unknown): IdTokenError {
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown_key'
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
    return `claim ${error.claim}`
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature'
  if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException)
    return 'form'
  throw error
}
