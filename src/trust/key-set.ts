// Selection of the keys with which an issuer may have made a signature. All keys of the set belong to the
// anchored issuer. The token's `kid` only selects among these keys.

import { isJsonObject, type Json, member } from '../codec/json.ts'
import { oncePer } from '../codec/once-per.ts'
import { signatureAlgorithm } from '../crypto/algorithms.ts'
import { type PublicJwk, parsePublicJwk } from '../crypto/jwk.ts'

/** A key of a set, with the members that the selection uses (`alg` and `kid`, RFC 7517 §4.4, §4.5). */
export type KeySetKey = PublicJwk & { readonly kid?: string; readonly alg?: string }

/** Limit of the keys that are tried for one signature. */
const CANDIDATES = 8

/**
 * Returns the public parts of the keys that fit `kid` and algorithm. If the token has a `kid`, the keys with
 * the same `kid` are used. If no such key fits, the keys without a `kid` are used. If the token has no `kid`,
 * every key may fit. A key with an `alg` is used with that algorithm only.
 */
export function selectKeys(
  keys: readonly KeySetKey[],
  signature: { readonly kid: string | undefined; readonly algorithm: string },
): readonly PublicJwk[] {
  const namedKeys = selectNamedKeys(keys, signature)
  if (namedKeys.length > 0) return namedKeys
  const unnamed = keys.filter((key) => key.kid === undefined)
  return selectNamedKeys(unnamed, { ...signature, kid: undefined })
}

/** Works like `selectKeys`, but a `kid` never selects a key without a `kid`. */
export function selectNamedKeys(
  keys: readonly KeySetKey[],
  { kid, algorithm }: { readonly kid: string | undefined; readonly algorithm: string },
): readonly PublicJwk[] {
  return keys
    .filter((key) => fitsAlgorithm(key, algorithm) && (kid === undefined || key.kid === kid))
    .slice(0, CANDIDATES)
    .map(publicPart)
    .filter((key) => key !== undefined)
}

/**
 * Returns the public part of a key. The same key always gives the same object, so that
 * `importVerificationKey` imports the key once.
 */
const publicPart = oncePer((key: KeySetKey) => parsePublicJwk(key))

/** Returns whether this key can have made a signature with this JOSE algorithm. */
export function fitsAlgorithm(key: PublicJwk & { readonly alg?: string }, name: string): boolean {
  const algorithm = signatureAlgorithm(name)
  if (algorithm === undefined || key.kty !== algorithm.kty || key.crv !== algorithm.crv) return false
  // For Ed25519 keys, EdDSA and Ed25519 name the same algorithm (RFC 9864 §2.2). So the curves of the
  // algorithms are compared.
  return key.alg === undefined || signatureAlgorithm(key.alg)?.crv === algorithm.crv
}

/**
 * Parses a published JWK that verifies signatures. Returns `undefined` for a key of an unknown kind, with
 * another use, or with a private part.
 */
export function parseSigningKey(value: unknown): KeySetKey | undefined {
  const key = parsePublicJwk(value)
  if (key === undefined || !isJsonObject(value)) return undefined
  const [kid, alg, use] = [member(value, 'kid'), member(value, 'alg'), member(value, 'use')]
  const operations = member(value, 'key_ops')
  // SD-JWT VC §4.2: public keys only. Anyone can sign with a key whose private half is published.
  if (Object.hasOwn(value, 'd') || (use !== undefined && use !== 'sig')) return undefined
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return undefined
  if (!isOptionalText(kid) || !isOptionalText(alg)) return undefined
  return { ...key, ...(kid !== undefined && { kid }), ...(alg !== undefined && { alg }) }
}

function isOptionalText(value: Json | undefined): value is string | undefined {
  return value === undefined || typeof value === 'string'
}
