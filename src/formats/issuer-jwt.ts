// A JWT that an issuer signed, as the formats have it that are made of JWTs: its faults in their words, what it says of its
// signer, and whose signature it is.

import type { PublicJwk } from '../crypto/jwk.ts'
import { type DecodedJws, type JwsError, verifyJws } from '../crypto/jws.ts'
import { err, ok, type Result } from '../result.ts'
import { readJwsSigner } from '../trust/anchors/jws-signer.ts'
import type { SignerClaims } from '../trust/anchors/signer.ts'
import type { PresentationRefusal } from './format.ts'

/** Faults of a JWS in the words of credential formats. */
export const JWS_REFUSALS: Readonly<Record<JwsError, PresentationRefusal>> = {
  malformed: { reason: 'malformed_credential' },
  too_large: { reason: 'limit_exceeded' },
  unsupported_algorithm: { reason: 'unsupported_algorithm' },
  unsupported_critical_header: { reason: 'unsupported_critical_header' },
}

/** What a JWT says of its signer, who calls himself `iss`. */
export function readSigner(
  jws: DecodedJws,
  iss: string | undefined,
): Result<SignerClaims, PresentationRefusal> {
  const signer = readJwsSigner(jws, iss)
  if (signer.ok) return signer
  return err({ reason: signer.error === 'x5c' ? 'malformed_certificate_chain' : 'malformed_credential' })
}

/** Finds whose signature it is: one of the keys that an issuer is known by made it. */
export async function verifyIssuerSignature<Issuer extends { readonly keys: readonly PublicJwk[] }>(
  jws: DecodedJws,
  issuers: readonly Issuer[],
): Promise<Result<Issuer, PresentationRefusal>> {
  for (const issuer of issuers) {
    for (const key of issuer.keys) {
      if (await verifyJws(jws, key)) return ok(issuer)
    }
  }
  return err({ reason: 'invalid_issuer_signature' })
}
