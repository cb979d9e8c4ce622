// Signature of the issuer of a credential, whose keys come from a trust anchor.

import type { PublicJwk } from '../../crypto/jwk.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialRefusal } from './format.ts'

/** Returns the issuer whose key made the signature. */
export async function verifyIssuerSignature<Issuer extends { readonly keys: readonly PublicJwk[] }>(
  issuers: readonly Issuer[],
  verify: (key: PublicJwk) => Promise<boolean>,
): Promise<Result<Issuer, CredentialRefusal>> {
  for (const issuer of issuers) {
    for (const key of issuer.keys) {
      if (await verify(key)) return ok(issuer)
    }
  }
  return err({ reason: 'invalid_issuer_signature' })
}
