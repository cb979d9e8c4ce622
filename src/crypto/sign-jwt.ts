// Signs the JWTs (RFC 7519) of this service. The public keys are in /.well-known/jwks.json.

import { CompactSign } from 'jose'
import { utf8 } from '../codec/bytes.ts'
import type { PrivateJwk } from './jwk.ts'
import { openRecentKeys } from './recent-keys.ts'

/** One of our keys, identified by its `kid`. */
type SigningKey = Required<PrivateJwk> & { readonly kid: string }

/** Signs with ES256. `typ` prevents confusion between different kinds of our JWTs (RFC 8725 §3.11). */
export async function signJwt(claims: object, typ: string, key: SigningKey): Promise<string> {
  return new CompactSign(utf8(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', typ, kid: key.kid })
    .sign(await importSigningKey(key))
}

/** Limit of cached keys. A relying party has one or two keys. */
const KEYS = 100
const imported = openRecentKeys<CryptoKey>(KEYS)

/**
 * Imports a P-256 key for ES256, or returns the cached key. The cache identifies a key by all its members,
 * including the private `d`. Otherwise a caller that knows only the public members of a key could get the
 * cached private key.
 */
export async function importSigningKey({ kty, crv, x, y = '', d }: PrivateJwk): Promise<CryptoKey> {
  const jwk = { kty, crv, x, y, d }
  const name = JSON.stringify(jwk)
  const importedKey = imported.get(name)
  if (importedKey !== undefined) return importedKey
  const parameters = { name: 'ECDSA', namedCurve: 'P-256' }
  const key = await crypto.subtle.importKey('jwk', jwk, parameters, false, ['sign'])
  imported.set(name, key)
  return key
}
