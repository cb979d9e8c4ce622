// Finds the trusted signers of a JWT that an issuer signed, and the refusal for a JWT that cannot be decoded.
// All formats that consist of JWTs use these functions.

import type { DecodedJws, JwsError } from '../../crypto/jws.ts'
import { err, type Result } from '../../result.ts'
import { readJwsSigner } from '../../trust/anchors/jws-signer.ts'
import { resolveSigner } from '../../trust/anchors/resolve-signer.ts'
import type { TrustedSigner } from '../../trust/anchors/signer.ts'
import type { Context, CredentialType, PresentationRefusal } from './format.ts'

/** Returns the refusal for a JWS that cannot be decoded. `malformed` is the reason for a malformed JWS. */
export function jwsRefusal<Malformed extends 'malformed_credential' | 'malformed_holder_binding'>(
  error: JwsError,
  malformed: Malformed,
) {
  if (error === 'malformed') return { reason: malformed }
  return { reason: error === 'too_large' ? 'limit_exceeded' : error } as const
}

/**
 * Finds the trusted signers that may have signed a JWT with this `iss`. The unverified header and claims of
 * the JWT only select trust anchors. They prove nothing.
 */
export async function resolveJwtIssuer(
  jws: DecodedJws,
  iss: string | undefined,
  credentialType: CredentialType,
  { now, anchors, fetchResource, signerProfile, onSigner }: Context,
): Promise<Result<readonly TrustedSigner[], PresentationRefusal>> {
  const signer = readJwsSigner(jws, iss)
  onSigner?.({ iss, chain: signer.ok ? signer.value.chain : undefined })
  if (!signer.ok) {
    return err({ reason: signer.error === 'x5c' ? 'malformed_certificate_chain' : 'malformed_credential' })
  }
  return resolveSigner(signer.value, {
    ...{ now, anchors, fetchResource, credentialType, purpose: 'issuer' },
    ...signerProfile,
  })
}
