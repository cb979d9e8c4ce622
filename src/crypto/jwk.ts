// Public keys as JWK (RFC 7517, RFC 7518 §6.2, RFC 8037). Only the public parameters of a key are read. Other
// members (kid, x5c, jku, alg, key_ops, even d) have no effect.

import { decodeBase64url } from '../codec/base64url.ts'
import { utf8 } from '../codec/bytes.ts'
import { isJsonObject, member } from '../codec/json.ts'
import type { SignatureAlgorithm } from './algorithms.ts'
import { isEd25519Key, isOnCurve } from './curve-point.ts'
import { sha256 } from './digest.ts'

/** The public parameters of an elliptic-curve key. */
export type PublicJwk = {
  readonly kty: 'EC' | 'OKP'
  readonly crv: 'P-256' | 'P-384' | 'P-521' | 'Ed25519'
  readonly x: string
  readonly y?: string
}

/** A private key. */
export type PrivateJwk = PublicJwk & { readonly d: string }

const COORDINATE_BYTES = { 'P-256': 32, 'P-384': 48, 'P-521': 66, Ed25519: 32 } as const

/**
 * Parses the public parameters. Returns `undefined` for other key types, wrong lengths or non-canonical
 * base64url, and for keys that `isOnCurve` or `isEd25519Key` rejects.
 *
 * @example
 * parsePublicJwk({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: '1' })
 * // the same key without `kid`
 */
export function parsePublicJwk(value: unknown): PublicJwk | undefined {
  if (!isJsonObject(value)) return undefined
  const crv = member(value, 'crv')
  if (typeof crv !== 'string' || !Object.hasOwn(COORDINATE_BYTES, crv)) return undefined
  const curve = crv as PublicJwk['crv']
  const [kty, x, y] = [member(value, 'kty'), member(value, 'x'), member(value, 'y')]
  const xBytes = coordinate(x, COORDINATE_BYTES[curve])
  if (typeof x !== 'string' || xBytes === undefined) return undefined
  if (curve === 'Ed25519') return kty === 'OKP' && isEd25519Key(xBytes) ? { kty, crv: curve, x } : undefined
  const yBytes = coordinate(y, COORDINATE_BYTES[curve])
  if (kty !== 'EC' || typeof y !== 'string' || yBytes === undefined) return undefined
  return isOnCurve(curve, xBytes, yBytes) ? { kty, crv: curve, x, y } : undefined
}

/**
 * Imports a key for verification with exactly this algorithm. Returns `undefined` if key and algorithm do not
 * fit, or if the point is not on the curve. Each key object is imported once, so a key object must not
 * change.
 */
export async function importVerificationKey(
  jwk: PublicJwk,
  algorithm: SignatureAlgorithm,
): Promise<CryptoKey | undefined> {
  if (jwk.kty !== algorithm.kty || jwk.crv !== algorithm.crv) return undefined
  const importedKey = imported.get(jwk)
  if (importedKey !== undefined) return importedKey
  try {
    const { importParameters } = algorithm
    const key = await crypto.subtle.importKey('jwk', publicMembers(jwk), importParameters, false, ['verify'])
    imported.set(jwk, key)
    return key
  } catch {
    return undefined // WebCrypto rejects points that are not on the curve
  }
}

/**
 * Cache of imported keys by JWK object. One entry of a key serves all its algorithms, because key type and
 * curve alone determine the import parameters.
 */
const imported = new WeakMap<PublicJwk, CryptoKey>()

/** Imports a public key for ECDH. Returns `undefined` if the point is not on its curve. */
export async function importAgreementKey(jwk: PublicJwk): Promise<CryptoKey | undefined> {
  try {
    const parameters = { name: 'ECDH', namedCurve: jwk.crv }
    return await crypto.subtle.importKey('jwk', publicMembers(jwk), parameters, false, [])
  } catch {
    return undefined // WebCrypto rejects points that are not on the curve
  }
}

/** Verifies a raw signature over `data`. Returns false also for a key that does not fit the algorithm. */
export async function verifySignature(
  {
    algorithm,
    signature,
  }: { readonly algorithm: SignatureAlgorithm; readonly signature: Uint8Array<ArrayBuffer> },
  data: Uint8Array<ArrayBuffer>,
  jwk: PublicJwk,
): Promise<boolean> {
  if (signature.length !== algorithm.signatureBytes) return false
  const key = await importVerificationKey(jwk, algorithm)
  return key !== undefined && crypto.subtle.verify(algorithm.verifyParameters, key, signature, data)
}

/** Returns the SHA-256 JWK thumbprint (RFC 7638): 32 bytes. */
export function jwkThumbprint(jwk: PublicJwk): Promise<Uint8Array<ArrayBuffer>> {
  // RFC 7638 §3.2: required members only, in lexicographic order.
  return sha256(utf8(JSON.stringify(publicMembers(jwk))))
}

/**
 * Returns the public members only. A `PublicJwk` object may have more members (`alg`, `use`, …), and
 * WebCrypto would apply them.
 */
function publicMembers({ crv, kty, x, y }: PublicJwk): PublicJwk {
  return y === undefined ? { crv, kty, x } : { crv, kty, x, y }
}

function coordinate(value: unknown, length: number): Uint8Array | undefined {
  const bytes = typeof value === 'string' ? decodeBase64url(value) : undefined
  return bytes?.length === length ? bytes : undefined
}
