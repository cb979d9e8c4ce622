// Good input of `resolveSigner`, in which a test can change one thing.

import { utf8 } from '../../src/codec/bytes.ts'
import { ok, type Result } from '../../src/result.ts'
import type { TrustAnchor } from '../../src/trust/anchors/anchor.ts'
import { resolveSigner } from '../../src/trust/anchors/resolve-signer.ts'
import type { SignerClaims, TrustContext, TrustedSigner } from '../../src/trust/anchors/signer.ts'
import type { TrustRefusal } from '../../src/trust/refusal.ts'
import { type IssuerPki, mintIssuerPki } from '../support/certificates/certificates.ts'

/** 15 January 2027. */
export const NOW = 1_800_000_000

/** Made once: a root, an intermediate and a trusted document signer. */
export const pki: IssuerPki = await mintIssuerPki()

/** Every member of an anchor except its mechanism. */
export const SHARED = { name: 'test anchor', credential_types: ['pid'], assurance_level: 'high' } as const

export function caAnchor(pem: string, changes: Partial<TrustAnchor> = {}): TrustAnchor {
  return { ...SHARED, ...changes, x509_ca_pem: pem } as TrustAnchor
}

export function pinnedAnchor(pem: string, changes: Partial<TrustAnchor> = {}): TrustAnchor {
  return { ...SHARED, ...changes, x509_certificate_pem: pem } as TrustAnchor
}

/**
 * Resolves a built-in type with the good chain and its root as the anchor, with changes. Returns the first
 * signer.
 */
export async function ask(
  claims: Partial<SignerClaims> = {},
  context: Partial<TrustContext> = {},
): Promise<Result<TrustedSigner, TrustRefusal>> {
  const found = await askAll(claims, context)
  return found.ok ? ok(found.value[0]!) : found
}

/** As `ask`: every signer found. */
export function askAll(
  claims: Partial<SignerClaims> = {},
  context: Partial<TrustContext> = {},
): Promise<Result<readonly TrustedSigner[], TrustRefusal>> {
  return resolveSigner(
    { iss: undefined, kid: undefined, chain: pki.chain, algorithm: 'ES256', ...claims },
    {
      now: NOW,
      anchors: [caAnchor(pki.root.pem)],
      fetchResource: async ({ url }) => {
        throw new Error(`nothing may be fetched here: ${url}`)
      },
      credentialType: { name: 'pid', builtIn: true },
      purpose: 'issuer',
      ...context,
    },
  )
}

/** The result in one word or two, for tables. */
export function outcomeOf(result: Result<TrustedSigner, TrustRefusal>): string {
  if (result.ok) return 'trusted'
  const { error } = result
  return error.reason === 'certificate_profile_violation' ? `${error.reason}: ${error.rule}` : error.reason
}

/** Result of a fetch of JSON. */
export function jsonResource(value: unknown) {
  return ok({ body: utf8(JSON.stringify(value)), contentType: 'application/json' })
}
