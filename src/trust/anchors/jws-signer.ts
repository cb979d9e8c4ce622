// Claims of a JWS about its signer. The claims only select among our anchors. `jwk`, `jku` and `x5u` are not
// read.

import { decodeBase64 } from '../../codec/base64url.ts'
import { decodeEach } from '../../codec/decode-each.ts'
import { type Json, member } from '../../codec/json.ts'
import type { DecodedJws } from '../../crypto/jws.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SignerClaims } from './signer.ts'

/**
 * Reads the claims about the signer from the protected header of a JWS. `iss` is the issuer that the payload
 * names. The error names the invalid header parameter.
 */
export function readJwsSigner(
  { header, algorithm }: DecodedJws,
  iss: string | undefined,
): Result<SignerClaims, 'kid' | 'x5c'> {
  const kid = member(header, 'kid')
  if (kid !== undefined && typeof kid !== 'string') return err('kid')
  const signer = { iss, kid, chain: undefined, algorithm: algorithm.name }
  if (!Object.hasOwn(header, 'x5c')) return ok(signer)
  const chain = decodeChain(member(header, 'x5c'))
  return chain === undefined ? err('x5c') : ok({ ...signer, chain })
}

/**
 * Decodes `x5c` (RFC 7515 §4.1.6): one or more certificates in standard base64, not base64url. Returns
 * `undefined` if `x5c` is malformed.
 */
function decodeChain(x5c: Json | undefined): readonly Uint8Array<ArrayBuffer>[] | undefined {
  if (!Array.isArray(x5c)) return undefined
  return decodeEach(x5c, (encoded: Json) => {
    const certificate = typeof encoded === 'string' ? decodeBase64(encoded) : undefined
    return certificate?.length === 0 ? undefined : certificate
  })
}
