// A JWT that an issuer signed, shared by the formats that are made of JWTs: refusals, trusted signers,
// signature.

import type { PublicJwk } from '../crypto/jwk.ts'
import { type DecodedJws, type JwsError, verifyJws } from '../crypto/jws.ts'
import { err, ok, type Result } from '../result.ts'
import { readJwsSigner } from '../trust/anchors/jws-signer.ts'
import { resolveSigner } from '../trust/anchors/resolve-signer.ts'
import type { TrustedSigner } from '../trust/anchors/signer.ts'
import type { Context, CredentialType, PresentationRefusal } from './format.ts'

/** Refusal for a JWS that cannot be decoded; `malformed` is the reason for a malformed one. */
export function jwsRefusal<Malformed extends 'malformed_credential' | 'malformed_holder_binding'>(
  error: JwsError,
  malformed: Malformed,
) {
  if (error === 'malformed') return { reason: malformed }
  return { reason: error === 'too_large' ? 'limit_exceeded' : error } as const
}

/**
 * Finds the trusted signers that a JWT with this `iss` may have. Its claims select an anchor; they prove
 * nothing.
 */
export async function resolveJwtIssuer(
  jws: DecodedJws,
  iss: string | undefined,
  credentialType: CredentialType,
  { now, anchors, fetchResource, signerProfile }: Context,
): Promise<Result<readonly TrustedSigner[], PresentationRefusal>> {
  const signer = readJwsSigner(jws, iss)
  if (!signer.ok) {
    return err({ reason: signer.error === 'x5c' ? 'malformed_certificate_chain' : 'malformed_credential' })
  }
  return resolveSigner(signer.value, {
    ...{ now, anchors, fetchResource, credentialType, purpose: 'issuer' },
    ...signerProfile,
  })
}

/** Returns the issuer whose key made the signature. */
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
