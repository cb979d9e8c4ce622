// Refusals of a signer. One union serves every credential format and status lists.

/**
 * A refusal because of trust: the presentation is not authentic, or (`…_unavailable`) cannot be checked now.
 */
export type TrustRefusal =
  /** No anchor of this credential type trusts the signer. */
  | { readonly reason: 'untrusted_issuer' }
  /** `x5c`/`x5chain` is not a list of strict DER certificates. */
  | { readonly reason: 'malformed_certificate_chain' }
  /** A signature in the path does not verify, or issuer and subject names do not chain. */
  | { readonly reason: 'invalid_certificate_path' }
  | { readonly reason: 'certificate_expired' }
  | { readonly reason: 'certificate_not_yet_valid' }
  /**
   * CA flags, path length, key usage, extended key usage, name constraints or an unknown critical extension.
   */
  | { readonly reason: 'certificate_profile_violation'; readonly rule: CertificateRule }
  /** An authority of the path has revoked a certificate, for good or on hold (RFC 5280 §6.3). */
  | { readonly reason: 'certificate_revoked' }
  /** The revocation cannot be checked: not valid now, but worth another try. */
  | { readonly reason: 'certificate_status_unavailable' }
  /** HAIP 1.0 §6.1.1: the anchor itself is never part of the chain. */
  | { readonly reason: 'trust_anchor_in_chain' }
  | { readonly reason: 'self_signed_certificate' }
  /** The anchored key set has no key that fits this signature. */
  | { readonly reason: 'issuer_key_not_found' }
  /** Issuer metadata, or the issuer's DID document, is not acceptable (SD-JWT VC §4.3, DID Core §3). */
  | { readonly reason: 'issuer_metadata_invalid' }
  /**
   * Issuer metadata, or the issuer's DID document, could not be fetched: not valid now, but worth another
   * try.
   */
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
  /** A signer of driving licences whose authority is in another country. */
  'issuing_country',
] as const

/** The violated rule. */
export type CertificateRule = (typeof CERTIFICATE_RULES)[number]
