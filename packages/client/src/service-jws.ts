// Verifies objects that the service signs: a compact JWS (ES256) under one of the published keys.

import { base64url, compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose'
import { err, ok, type Result } from './result.ts'

/** A key as JSON (RFC 7517). */
export type Jwk = {
  readonly kty?: string
  readonly crv?: string
  readonly x?: string
  readonly y?: string
  readonly d?: string
  readonly kid?: string
  readonly alg?: string
  readonly use?: string
  readonly key_ops?: readonly string[]
}

/** Keys of the service: the body of `{baseUrl}/.well-known/jwks.json`. */
export type ServiceKeys = { readonly keys: readonly Jwk[] }

/** Reasons why a JWS is refused. */
export type JwsError = 'malformed' | 'unknown_key' | 'wrong_signature'

/** JSON object of unknown members. */
export type Members = Readonly<Record<string, unknown>>

/** Returns header and claims once the signature has been verified. */
export async function verifyServiceJws(
  jws: string,
  jwks: ServiceKeys,
): Promise<Result<{ readonly header: Members; readonly claims: Members }, JwsError>> {
  if (!jws.split('.').every(isCanonical)) return err('malformed')
  try {
    const keys = createLocalJWKSet({ keys: jwks.keys.map(publicMembers) } as JSONWebKeySet)
    const { protectedHeader, payload } = await compactVerify(jws, keys, { algorithms: ['ES256'] })
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload))
    const isObject = typeof claims === 'object' && claims !== null
    return isObject ? ok({ header: protectedHeader, claims: claims as Members }) : err('malformed')
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return err('unknown_key')
    if (error instanceof errors.JWKSMultipleMatchingKeys) return err('unknown_key')
    if (error instanceof errors.JWSSignatureVerificationFailed) return err('wrong_signature')
    if (error instanceof errors.JOSEError || error instanceof SyntaxError) return err('malformed')
    throw error // an unusable key set or platform
  }
}

/**
 * Rejects spare bits in the last character (RFC 4648 §3.5), which jose ignores: two texts would be one JWS.
 */
function isCanonical(part: string): boolean {
  const isBase64url = /^[A-Za-z0-9_-]*$/.test(part) && part.length % 4 !== 1
  return isBase64url && base64url.encode(base64url.decode(part)) === part
}

/** Leaves out `use` and `key_ops`: the caller chose these keys for verification. */
function publicMembers({ kty, crv, x, y, kid }: ServiceKeys['keys'][number]) {
  return { kty, crv, x, y, kid }
}
