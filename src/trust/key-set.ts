// Which keys of an issuer's key set a signature may have been made with. What the token says (`kid`) only selects;
// every key of the set is the anchored issuer's.

import { signatureAlgorithm } from '../crypto/algorithms.ts'
import { type PublicJwk, parsePublicJwk } from '../crypto/jwk.ts'

/** A key of a set, with the members that select (RFC 7517 §4.4, §4.5). */
export type KeySetKey = PublicJwk & { readonly kid?: string; readonly alg?: string }

/** Keys that are tried for one signature at most. */
const CANDIDATES = 8

/**
 * The keys that `kid` and algorithm leave, public parameters only. Where the token has a `kid`, keys of that name; if
 * there are none, keys without a name. A key that names an algorithm is used with that one only.
 */
export function selectKeys(
  keys: readonly KeySetKey[],
  signature: { readonly kid: string | undefined; readonly algorithm: string },
): readonly PublicJwk[] {
  const fitting = keys.filter((key) => fitsAlgorithm(key, signature.algorithm))
  const named = fitting.filter((key) => key.kid === signature.kid)
  const unnamed = fitting.filter((key) => key.kid === undefined)
  const selected = signature.kid === undefined ? fitting : named.length > 0 ? named : unnamed
  return selected
    .slice(0, CANDIDATES)
    .map(parsePublicJwk)
    .filter((key) => key !== undefined)
}

/** Whether a signature with this JOSE algorithm can have been made with this key. */
export function fitsAlgorithm(key: PublicJwk & { readonly alg?: string }, name: string): boolean {
  const algorithm = signatureAlgorithm(name)
  if (algorithm === undefined || key.kty !== algorithm.kty || key.crv !== algorithm.crv) return false
  // RFC 9864 §2.2: EdDSA and Ed25519 are two names of one algorithm for this curve, so the curve decides.
  return key.alg === undefined || signatureAlgorithm(key.alg)?.crv === algorithm.crv
}
