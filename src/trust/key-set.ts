// Selection of the keys of an issuer that may have made a signature. The `kid` of the token only selects:
// every key of the set belongs to the anchored issuer.

import { isJsonObject, type Json, member } from '../codec/json.ts'
import { oncePer } from '../codec/once-per.ts'
import { signatureAlgorithm } from '../crypto/algorithms.ts'
import { type PublicJwk, parsePublicJwk } from '../crypto/jwk.ts'

/** A key of a set, with the members that select (RFC 7517 §4.4, §4.5). */
export type KeySetKey = PublicJwk & { readonly kid?: string; readonly alg?: string }

/** Keys tried for one signature at most. */
const CANDIDATES = 8

/**
 * The keys that fit `kid` and algorithm, public parameters only. A token with a `kid` selects the keys of
 * that name. If there are none, it selects the keys without a name. A key with an `alg` is used with that
 * algorithm only.
 */
export function selectKeys(
  keys: readonly KeySetKey[],
  signature: { readonly kid: string | undefined; readonly algorithm: string },
): readonly PublicJwk[] {
  const named = selectNamedKeys(keys, signature)
  if (named.length > 0) return named
  const unnamed = keys.filter((key) => key.kid === undefined)
  return selectNamedKeys(unnamed, { ...signature, kid: undefined })
}

/** As `selectKeys`, for sets in which every key has a name: a `kid` selects only the keys of that name. */
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

/** One object for each key of a set, so that it is imported once (`importVerificationKey`). */
const publicPart = oncePer((key: KeySetKey) => parsePublicJwk(key))

/** Returns whether this key can have made a signature with this JOSE algorithm. */
export function fitsAlgorithm(key: PublicJwk & { readonly alg?: string }, name: string): boolean {
  const algorithm = signatureAlgorithm(name)
  if (algorithm === undefined || key.kty !== algorithm.kty || key.crv !== algorithm.crv) return false
  // RFC 9864 §2.2: for this curve EdDSA and Ed25519 are two names of one algorithm, so the curves are
  // compared.
  return key.alg === undefined || signatureAlgorithm(key.alg)?.crv === algorithm.crv
}

/**
 * Parses a published JWK that verifies signatures. `undefined` for unknown kinds and for keys with another
 * use.
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
