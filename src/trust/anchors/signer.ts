// Input and result of `resolveSigner` (resolve-signer.ts), which finds the keys that may have made a
// signature.

import type { PublicJwk } from '../../crypto/jwk.ts'
import type { FetchResource } from '../../net/guarded-fetch.ts'
import type { Certificate } from '../x509/certificate.ts'
import { type AnchorPurpose, isInSets, type TrustAnchor } from './anchor.ts'

/**
 * Claims of an unverified token about its signer. The claims select among anchors and never add an anchor.
 */
export type SignerClaims = {
  /** `iss`, if the token has one. */
  readonly iss: string | undefined
  readonly kid: string | undefined
  /** DER certificates of the `x5c` or `x5chain` header, leaf first; `undefined` without a chain. */
  readonly chain: readonly Uint8Array<ArrayBuffer>[] | undefined
  /** JOSE algorithm of the signature. Keys that do not fit the algorithm are skipped. */
  readonly algorithm: string
}

/** Members of an unverified credential that name its signer. */
export type NamedSigner = Pick<SignerClaims, 'iss' | 'chain'>

/**
 * Rules for the signers of one credential format. The rules depend on the protocol and on the mode (live or
 * test).
 */
export type SignerProfile = {
  /**
   * Returns whether the keys of an anchor may be used. If an anchor names the `iss` of a token, the chain in
   * the token is ignored, even if this function rejects the anchor. Absent: all anchors are accepted.
   */
  readonly acceptsAnchor?: (anchor: TrustAnchor) => boolean
  /** Accepts a chain that contains the trust anchor. Absent: rejects such a chain (HAIP 1.0 §6.1.1). */
  readonly acceptsAnchorInChain?: true
  /** Accepts keys and certificates of the sandbox, whose private keys are public. Absent: rejects them. */
  readonly acceptsSandbox?: boolean
}

/**
 * Returns the rules of `profile`, restricted to the anchors of these sets (api/trust). If `sets` is
 * undefined, returns `profile` unchanged. An anchor outside the sets gives no trust, but still has two
 * effects. Anchors for `*` do not cover the credential types that this anchor names. If this anchor names the
 * issuer of a credential, the certificate chain of the credential gives no trust.
 */
export function restrictToSets(profile: SignerProfile, sets: readonly string[] | undefined): SignerProfile {
  if (sets === undefined) return profile
  const { acceptsAnchor = () => true } = profile
  return { ...profile, acceptsAnchor: (anchor) => isInSets(anchor, sets) && acceptsAnchor(anchor) }
}

/** The relying party's anchors, and the type and purpose for which the signer must be trusted. */
export type TrustContext = SignerProfile & {
  /** Unix seconds. */
  readonly now: number
  readonly anchors: readonly TrustAnchor[]
  readonly fetchResource: FetchResource
  readonly credentialType: { readonly name: string; readonly builtIn: boolean }
  readonly purpose: AnchorPurpose
  /**
   * Extended key usages. If a leaf has extended key usages, one of them must be in this list or be the usage
   * "any". If the leaf's anchor has an `eku`, this list is not used.
   */
  readonly usageIfRestricted?: readonly string[]
  /**
   * Requires a key usage in the leaf (ISO/IEC 18013-5 Annex B.1.4). Absent: a leaf without key usage is
   * accepted.
   */
  readonly requiresKeyUsage?: true
}

/**
 * The reported members of the anchor that trusts the signer. `listUrls` are the URLs of the list that the
 * anchor came from (OpenID4VP 1.0 §6.1.1.2).
 */
export type VouchingAnchor = Pick<TrustAnchor, 'name' | 'assurance_level' | 'list' | 'service' | 'listUrls'>

/** A signer that an anchor trusts. The signature must still be verified with one of the keys. */
export type TrustedSigner = {
  /** For a chain, the key of the leaf. For key sets, the keys that fit `kid` and algorithm (at most 8). */
  readonly keys: readonly PublicJwk[]
  /**
   * The issuer to report: an `iss` that an anchor names, or that a name in the leaf's SAN proves; otherwise
   * the leaf's subject. `null` if the subject is empty or too long.
   */
  readonly issuer: string | null
  readonly anchor: VouchingAnchor
  /**
   * Namespace in which identifiers of persons are unique, for the pairwise `sub` of a login. It has one of
   * three forms: `name:` + the anchor's `subject_namespace`, `key:` + the base64url SHA-256 of the anchor's
   * SubjectPublicKeyInfo, or `issuer:` + the issuer that the anchor names. It contains no text of the
   * signer's certificate.
   */
  readonly subjectNamespace: string
  /** base64url AuthorityKeyIdentifiers of the verified certificates. Empty without certificates. */
  readonly authorityKeyIdentifiers: readonly string[]
  /**
   * The verified certificates, leaf first and the certificate of the anchor last. Empty for a pinned signer
   * and for key sets.
   */
  readonly path: readonly Certificate[]
}
