// Reasons to reject a signer, for every credential format and for status lists.

/**
 * A reason to reject a signer. If the name of the reason ends in `_unavailable`, the authenticity of the
 * presentation cannot be checked now. With every other reason, the presentation is not authentic.
 */
export type TrustRefusal =
  /** No anchor of this credential type trusts the signer. */
  | { readonly reason: 'untrusted_issuer' }
  /** `x5c`/`x5chain` is not a list of strict DER certificates. */
  | { readonly reason: 'malformed_certificate_chain' }
  /**
   * A signature in the path is invalid, or a certificate does not name the next certificate as its issuer.
   */
  | { readonly reason: 'invalid_certificate_path' }
  | { readonly reason: 'certificate_expired' }
  | { readonly reason: 'certificate_not_yet_valid' }
  /**
   * A certificate breaks a rule: CA flag, path length, key usage, extended key usage, name constraints,
   * critical extensions.
   */
  | { readonly reason: 'certificate_profile_violation'; readonly rule: CertificateRule }
  /** An authority of the path has revoked a certificate, for good or on hold (RFC 5280 §6.3). */
  | { readonly reason: 'certificate_revoked' }
  /** The revocation cannot be checked now. A later try may succeed. */
  | { readonly reason: 'certificate_status_unavailable' }
  /** The chain contains the anchor itself, which HAIP 1.0 §6.1.1 forbids. */
  | { readonly reason: 'trust_anchor_in_chain' }
  | { readonly reason: 'self_signed_certificate' }
  /** No key of the issuer fits this signature. */
  | { readonly reason: 'issuer_key_not_found' }
  /** Issuer metadata, or the issuer's DID document, is not acceptable (SD-JWT VC §4.3, DID Core §3). */
  | { readonly reason: 'issuer_metadata_invalid' }
  /** Issuer metadata, or the issuer's DID document, could not be fetched. A later try may succeed. */
  | { readonly reason: 'issuer_metadata_unavailable' }

/** Rules of the certificate profile (RFC 5280 §6.1, ISO/IEC 18013-5 Annex B.1.4). */
export const CERTIFICATE_RULES = [
  'leaf_is_ca',
  'issuer_is_not_ca',
  'path_length',
  'key_usage',
  'extended_key_usage',
  'name_constraints',
  'critical_extension',
  'chain_too_long',
  'weak_key_or_signature',
  /**
   * The signer of a driving licence and its authority do not name the same country. Or the signer names a
   * state, and its authority does not name the same state.
   */
  'issuing_country',
] as const

/** The violated rule. */
export type CertificateRule = (typeof CERTIFICATE_RULES)[number]
