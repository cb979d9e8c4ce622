// Trust anchors: whom a relying party lets vouch for which credential types, and how much that is worth.
// The shape is the wire's (admin API, settings); `x509_*` are PEM texts, `jwks` a JWK Set.

import type { PublicJwk } from '../../crypto/jwk.ts'

/** Assurance levels, weakest first (eIDAS Art. 8). */
export const ASSURANCE_LEVELS = ['low', 'substantial', 'high'] as const
export type AssuranceLevel = (typeof ASSURANCE_LEVELS)[number]

/** What an anchor may vouch for: credentials, or status lists about them. */
export type AnchorPurpose = 'issuer' | 'status'

/** How an anchor's signatures are recognised. */
export type AnchorMechanism =
  /** A certification authority: vouches for document signers below it. */
  | { readonly x509_ca_pem: string }
  /** A pinned signer: compared byte for byte, only its validity dates are checked. */
  | { readonly x509_certificate_pem: string }
  /** An issuer whose keys stand in its JWT VC Issuer Metadata (SD-JWT VC §4). */
  | { readonly issuer_url: string }
  | { readonly did: string }
  /** An issuer whose keys are given here. `kid` and `alg` of the set's keys only select among them. */
  | { readonly issuer: string; readonly jwks: { readonly keys: readonly AnchorJwk[] } }

/** A key of an `issuer` + `jwks` anchor. */
export type AnchorJwk = PublicJwk & { readonly kid?: string; readonly alg?: string }

/** One trust anchor as a relying party's settings hold it. */
export type TrustAnchor = {
  readonly name: string
  /** Our type names. `*` covers the types the relying party added itself, never a built-in one. */
  readonly credential_types: readonly string[]
  readonly assurance_level: AssuranceLevel
  /** Default: `['issuer']`. */
  readonly purpose?: readonly AnchorPurpose[]
  /** Extended key usage object identifiers, one of which a leaf below this anchor must carry. */
  readonly eku?: readonly string[]
  /** The list it came from; never on the wire, where anchors are a relying party's own. */
  readonly list?: ListReference
  /** Where that list is published, if it is. */
  readonly listUrl?: string
} & AnchorMechanism

/** Which issue of which of the operator's lists vouched, and when that issue was last known to be the current one. */
export type ListReference = {
  readonly name: string
  /** The number of the issue; `null` where the list has none. */
  readonly sequence: number | null
  /** ISO 8601 in UTC. */
  readonly trust_as_of: string
}

/** The lower of two levels. */
export function lowerLevel(a: AssuranceLevel, b: AssuranceLevel): AssuranceLevel {
  return ASSURANCE_LEVELS.indexOf(a) <= ASSURANCE_LEVELS.indexOf(b) ? a : b
}
