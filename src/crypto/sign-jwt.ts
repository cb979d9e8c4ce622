// What this service says under its own name: JWTs (RFC 7519) that /.well-known/jwks.json verifies.

import { CompactSign } from 'jose'
import { utf8 } from '../codec/bytes.ts'

/** A key of ours, known by its `kid`. */
type SigningKey = {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly d: string
  readonly kid: string
}

/** Signs with ES256. `typ` keeps one kind of our JWTs from being taken for another (RFC 8725 §3.11). */
export function signJwt(
  claims: object,
  typ: string,
  { kty, crv, x, y, d, kid }: SigningKey,
): Promise<string> {
  return new CompactSign(utf8(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', typ, kid })
    .sign({ kty, crv, x, y, d })
}
