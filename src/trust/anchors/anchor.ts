// Trust anchors: the parties that a relying party trusts as issuers, for which credential types, at which
// assurance level. The shape is the wire's (admin API, settings): `x509_*` are PEM texts, `jwks` is a JWK
// Set.

import type { PublicJwk } from '../../crypto/jwk.ts'

/** Assurance levels, weakest first (eIDAS Art. 8). */
export const ASSURANCE_LEVELS = ['low', 'substantial', 'high'] as const
export type AssuranceLevel = (typeof ASSURANCE_LEVELS)[number]

/** Purposes of an anchor: credentials, or status lists about them. */
export type AnchorPurpose = 'issuer' | 'status'

/** Mechanisms by which an anchor's signatures are recognised. */
export type AnchorMechanism =
  /** A certification authority: trusts the document signers below it. */
  | { readonly x509_ca_pem: string }
  /** A pinned signer: compared byte for byte. Only its validity dates are checked. */
  | { readonly x509_certificate_pem: string }
  /** An issuer that publishes its keys in its JWT VC Issuer Metadata (SD-JWT VC §4). */
  | { readonly issuer_url: string }
  | { readonly did: string }
  /** An issuer with its keys. `kid` and `alg` of the set's keys only select among them. */
  | { readonly issuer: string; readonly jwks: { readonly keys: readonly AnchorJwk[] } }

/** A key of an `issuer` + `jwks` anchor. */
export type AnchorJwk = PublicJwk & { readonly kid?: string; readonly alg?: string }

/** One trust anchor as the settings of a relying party store it. */
export type TrustAnchor = {
  readonly name: string
  /** Our type names. `*` covers the types that the relying party added, never a built-in type. */
  readonly credential_types: readonly string[]
  readonly assurance_level: AssuranceLevel
  /** Default: `['issuer']`. */
  readonly purpose?: readonly AnchorPurpose[]
  /** Extended key usages. A leaf below this anchor must have one of them. */
  readonly eku?: readonly string[]
  /** The list that the anchor came from. Never on the wire: anchors there are the relying party's own. */
  readonly list?: ListReference
  /** The URL at which that list is published, if it is. */
  readonly listUrl?: string
} & AnchorMechanism

/** One issue of one of the operator's lists, and when that issue was last known to be current. */
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
