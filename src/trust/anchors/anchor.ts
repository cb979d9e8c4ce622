// Trust anchors: which issuers a relying party trusts, for which credential types, and at which assurance
// level. The members have the form of the admin API and of the settings: `x509_*` are PEM texts,
// `jwks` is a JWK Set.

import type { PublicJwk } from '../../crypto/jwk.ts'

/** Assurance levels, weakest first (eIDAS Art. 8). */
export const ASSURANCE_LEVELS = ['low', 'substantial', 'high'] as const
export type AssuranceLevel = (typeof ASSURANCE_LEVELS)[number]

/** Purposes of an anchor: `issuer` for credentials, `status` for status lists. */
export type AnchorPurpose = 'issuer' | 'status'

/** Mechanisms that define which signers an anchor trusts. */
export type AnchorMechanism =
  /** A certification authority. The signers that this authority certifies are trusted. */
  | { readonly x509_ca_pem: string }
  /**
   * A pinned certificate. The signer's certificate must equal the pinned certificate byte for byte, and must
   * be valid now.
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
  /** Names of credential types. `*`: the types that the relying party added and that no anchor names. */
  readonly credential_types: readonly string[]
  readonly assurance_level: AssuranceLevel
  /** Default: `['issuer']`. */
  readonly purpose?: readonly AnchorPurpose[]
  /** Extended key usages. A leaf below this anchor must have one of them. */
  readonly eku?: readonly string[]
  /**
   * Name of the register that gives persons their identifiers. The pairwise `sub` of a login is derived from
   * this name. If two anchors have the same `subject_namespace`, the same identifier means the same person.
   * Absent: the public key or the issuer of the anchor is used instead of the name.
   */
  readonly subject_namespace?: string
  /** Names of the sets that the anchor belongs to. A verification may be restricted to sets (api/trust). */
  readonly sets?: readonly string[]
  /**
   * The trust list that the anchor came from. Absent for the relying party's own anchors. The admin API shows
   * only the relying party's own anchors.
   */
  readonly list?: ListReference
  /** Type and status of the service in an XML list that the anchor came from, as URIs of the list. */
  readonly service?: { readonly type: string; readonly status: string }
  /**
   * URLs by which a query can name the anchor's list: the URL of the list itself and, for a national list,
   * the URL of the list of lists. Absent if the anchor does not come from an ETSI list.
   */
  readonly listUrls?: readonly string[]
} & AnchorMechanism

/**
 * One issue (published version) of a trust list of the operator. `trust_as_of` is the last time when the
 * issue was known to be current.
 */
export type ListReference = {
  readonly name: string
  /** Territory of the national list, if a list of lists led to it. `name` then names the list of lists. */
  readonly territory?: string
  /** The number of the issue; `null` if the list has none. */
  readonly sequence: number | null
  /** ISO 8601 in UTC. */
  readonly trust_as_of: string
}

/**
 * Returns true if an anchor belongs to one of these sets. An anchor from a trust list belongs only to the set
 * with the name of the list.
 */
export function isInSets({ sets = [], list }: TrustAnchor, names: readonly string[]): boolean {
  return list === undefined ? sets.some((name) => names.includes(name)) : names.includes(list.name)
}

/** Returns the lower of two levels. */
export function lowerLevel(a: AssuranceLevel, b: AssuranceLevel): AssuranceLevel {
  return ASSURANCE_LEVELS.indexOf(a) <= ASSURANCE_LEVELS.indexOf(b) ? a : b
}
