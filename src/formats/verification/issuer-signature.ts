// Verifies the issuer's signature of a credential with the keys of its possible issuers.

import type { PublicJwk } from '../../crypto/jwk.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialRefusal } from './format.ts'

/** Returns the first issuer with a key that verifies the signature. Refuses the credential if no key does. */
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
