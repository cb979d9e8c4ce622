// An ID token that comes back to its issuer as `id_token_hint` (OpenID Connect Core 1.0 §3.1.2.1), and the
// keys that verify it.

import { compactVerify } from 'jose'
import * as z from 'zod/mini'
import { parseJsonObject } from '../../codec/json.ts'
import type { OidcJwk } from '../../config.ts'
import { OIDC_REQUEST } from '../../limits.ts'

/**
 * Claims that each of our ID tokens has. A signed UserInfo response has no `exp`, so it is not accepted here.
 */
const ID_TOKEN = z.object({ iss: z.string(), aud: z.string(), sub: z.string(), exp: z.number() })

/**
 * Returns the claims of an ID token that one of `keys` signed; `undefined` for any other text. The caller
 * must compare `iss` and `aud`, and decide about the age of the token.
 */
export async function openIdToken(token: string, keys: readonly OidcJwk[]) {
  for (const key of keys) {
    const { alg, use: _, ...jwk } = publicKey(key)
    const verified = await compactVerify(token, jwk, { algorithms: [alg] }).catch(() => undefined)
    const claims = verified && parseJsonObject(verified.payload, OIDC_REQUEST.idToken)
    if (claims?.ok) return ID_TOKEN.safeParse(claims.value).data
  }
  return undefined
}

/** Returns the public half of a key, with the algorithm of the key's signatures. */
export function publicKey(key: OidcJwk) {
  const { kid } = key
  if (key.kty === 'RSA') return { kty: key.kty, n: key.n, e: key.e, kid, alg: 'RS256', use: 'sig' }
  return { kty: key.kty, crv: key.crv, x: key.x, y: key.y, kid, alg: 'ES256', use: 'sig' }
}
