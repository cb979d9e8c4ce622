// Trust anchors: the parties that a relying party trusts as issuers, for which credential types, at which
// assurance level. The members have the form of the admin API and of the settings: `x509_*` are PEM texts,
// `jwks` is a JWK Set.

import type { PublicJwk } from '../../crypto/jwk.ts'

/** Assurance levels, weakest first (eIDAS Art. 8). */
export const ASSURANCE_LEVELS = ['low', 'substantial', 'high'] as const
export type AssuranceLevel = (typeof ASSURANCE_LEVELS)[number]

/** Purposes of an anchor: `issuer` for credentials, `status` for status lists. */
export type AnchorPurpose = 'issuer' | 'status'

/** Mechanisms that define which signers an anchor trusts. */
export type AnchorMechanism =
  /** A certification authority. The signers that it certifies are trusted. */
  | { readonly x509_ca_pem: string }
  /**
   * A pinned certificate. The signer's certificate must equal it byte for byte, and its dates are checked.
   */
  | { readonly x509_certificate_pem: string }
  /** An issuer that publishes its keys in its JWT VC Issuer Metadata (SD-JWT VC §4). */
  | { readonly issuer_url: string }
  | { readonly did: string }
  /** An issuer with its keys. `kid` and `alg` of a key are used only to select a key. */
  | { readonly issuer: string; readonly jwks: { readonly keys: readonly AnchorJwk[] } }

/** A key of an `issuer` + `jwks` anchor. */
export type AnchorJwk = PublicJwk & { readonly kid?: string; readonly alg?: string }

/** One trust anchor as the settings of a relying party store it. */
export type TrustAnchor = {
  readonly name: string
  /** Names of credential types. `*` covers the types that the relying party added, but no built-in type. */
  readonly credential_types: readonly string[]
  readonly assurance_level: AssuranceLevel
  /** Default: `['issuer']`. */
  readonly purpose?: readonly AnchorPurpose[]
  /** Extended key usages. A leaf below this anchor must have one of them. */
  readonly eku?: readonly string[]
  /**
   * Name of the register that gives persons their identifiers, for the pairwise `sub` of a login. Under all
   * anchors with the same name, one identifier means the same person. Absent: the anchor's public key or
   * issuer is used.
   */
  readonly subject_namespace?: string
  /**
   * The trust list that the anchor came from. Absent for the relying party's own anchors. The admin API shows
   * only the relying party's own anchors.
   */
  readonly list?: ListReference
  /** URL at which that trust list is published. Absent if the list has no URL. */
  readonly listUrl?: string
} & AnchorMechanism

/**
 * One issue of a trust list of the operator. `trust_as_of` is the last time when the issue was known to be
 * current.
 */
export type ListReference = {
  readonly name: string
  /** The number of the issue; `null` if the list has none. */
  readonly sequence: number | null
  /** ISO 8601 in UTC. */
  readonly trust_as_of: string
}

/** Returns the lower of two levels. */
export function lowerLevel(a: AssuranceLevel, b: AssuranceLevel): AssuranceLevel {
  return ASSURANCE_LEVELS.indexOf(a) <= ASSURANCE_LEVELS.indexOf(b) ? a : b
}
