// JWTs (RFC 7519) that this service signs. Their keys are in /.well-known/jwks.json.

import { CompactSign } from 'jose'
import { utf8 } from '../codec/bytes.ts'
import type { PrivateJwk } from './jwk.ts'

/** One of our keys, identified by its `kid`. */
type SigningKey = Required<PrivateJwk> & { readonly kid: string }

/** Signs with ES256. `typ` prevents confusion between different kinds of our JWTs (RFC 8725 §3.11). */
export function signJwt(
  claims: object,
  typ: string,
  { kty, crv, x, y, d, kid }: SigningKey,
): Promise<string> {
  return new CompactSign(utf8(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', typ, kid })
    .sign({ kty, crv, x, y, d })
}
