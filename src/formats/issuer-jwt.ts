// A JWT that an issuer signed, as the formats have it that are made of JWTs: its faults in their words, what it says of its
// signer, and whose signature it is.

import { decodeBase64 } from '../codec/base64url.ts'
import { type Json, member } from '../codec/json.ts'
import type { PublicJwk } from '../crypto/jwk.ts'
import { type DecodedJws, type JwsFault, verifyJws } from '../crypto/jws.ts'
import { err, ok, type Result } from '../result.ts'
import type { SignerClaims } from '../trust/signer.ts'
import type { Rejection } from './format.ts'

/** Faults of a JWS in the words of credential formats. */
export const JWS_REJECTIONS: Readonly<Record<JwsFault, Rejection>> = {
  malformed: { reason: 'malformed_credential' },
  too_large: { reason: 'limit_exceeded' },
  unsupported_algorithm: { reason: 'unsupported_algorithm' },
  unsupported_critical_header: { reason: 'unsupported_critical_header' },
}

/** What a JWT says of its signer, who calls himself `iss`. Of the header `jwk`, `jku` and `x5u` are not read. */
export function readSigner(
  { header, algorithm }: DecodedJws,
  iss: string | undefined,
): Result<SignerClaims, Rejection> {
  const kid = member(header, 'kid')
  if (kid !== undefined && typeof kid !== 'string') return err({ reason: 'malformed_credential' })
  const signer = { iss, kid, chain: undefined, algorithm: algorithm.name }
  if (!Object.hasOwn(header, 'x5c')) return ok(signer)
  const chain = decodeChain(member(header, 'x5c'))
  return chain === undefined ? err({ reason: 'malformed_certificate_chain' }) : ok({ ...signer, chain })
}

/** Finds whose signature it is: one of the keys that an issuer is known by made it. */
export async function verifyIssuerSignature<Issuer extends { readonly keys: readonly PublicJwk[] }>(
  jws: DecodedJws,
  issuers: readonly Issuer[],
): Promise<Result<Issuer, Rejection>> {
  for (const issuer of issuers) {
    for (const key of issuer.keys) {
      if (await verifyJws(jws, key)) return ok(issuer)
    }
  }
  return err({ reason: 'invalid_issuer_signature' })
}

/** `x5c` (RFC 7515 §4.1.6): standard base64, not base64url, of at least one certificate. */
function decodeChain(x5c: Json | undefined): readonly Uint8Array<ArrayBuffer>[] | undefined {
  if (!Array.isArray(x5c) || x5c.length === 0) return undefined
  const chain: Uint8Array<ArrayBuffer>[] = []
  for (const encoded of x5c) {
    const certificate = typeof encoded === 'string' ? decodeBase64(encoded) : undefined
    if (certificate === undefined || certificate.length === 0) return undefined
    chain.push(certificate)
  }
  return chain
}
