// What the protocol and the policy need to know of a credential format: the headings of OpenID4VP 1.0 Appendix B.
// A new format is one folder that exports one `CredentialFormat`, and one line in `index.ts`.

import type { Json, JsonObject } from '../codec/json.ts'
import type { HashName } from '../crypto/digest.ts'
import type { PrivateJwk } from '../crypto/jwk.ts'
import type { FetchResource } from '../net/guarded-fetch.ts'
import type { SharedCache } from '../net/shared-cache.ts'
import type { Result } from '../result.ts'
import type { TrustAnchor } from '../trust/anchors/anchor.ts'
import type { VouchingAnchor } from '../trust/anchors/signer.ts'
import type { TrustRefusal } from '../trust/refusal.ts'
import type { CertificateRevocation, CertificateStatus } from '../trust/revocation/certificate-revocation.ts'

/** One credential format (OpenID4VP 1.0 Appendix B). */
export type CredentialFormat<Id extends string = string> = {
  /** The Credential Format Identifier. */
  readonly id: Id
  /** The format's entry of `vp_formats_supported` (§11.1). */
  readonly metadata: JsonObject
  /** The clause each check implements for this format. */
  readonly clauses: Readonly<Record<CheckId, string>>
  /** The type identifiers a DCQL `meta` object asks for; `undefined` where it is not a `meta` of this format. */
  readonly metaTypes: (meta: JsonObject) => readonly string[] | undefined
  /** Whether one `meta` object asks for one type or for several. */
  readonly typesPerMeta: 'one' | 'several'
  /** The DCQL `meta` object that asks for these type identifiers, as many as `typesPerMeta` says. */
  readonly buildMeta: (types: readonly string[]) => JsonObject
  /** Tells whether a claims path (§7) can select anything in this format. */
  readonly isClaimsPath: (path: readonly (string | number | null)[]) => boolean
  /** What every claims query says besides its path. */
  readonly claimsParameters: { readonly intent_to_retain?: false }
  /** Top-level claims that are always disclosed and so not asked for. */
  readonly clearClaims?: ReadonlySet<string>
  /** Whether a holder can confirm transaction data (§8.4): only where a profile of the format says how. */
  readonly confirmsTransactionData?: true
  /** Verifies one presentation: integrity, trust, holder binding, validity. Never throws for bad input. */
  readonly verify: (
    presentation: Json,
    expected: RequestBinding,
    context: Context,
  ) => Promise<Result<VerifiedCredential, PresentationRefusal>>
}

/** What the answer must be bound to. It comes from our own request, never from the answer. */
export type RequestBinding = {
  readonly nonce: string
  /** The one acceptable audience: the full Client Identifier (§14.8), or `origin:` + origin for the DC API. */
  readonly audience: string
  /** The type identifiers that the query asks for: which one counts of a credential that has several. */
  readonly types?: readonly string[]
  /** Whether the query requires cryptographic holder binding (§6.1). */
  readonly holderBinding: boolean
  /** Unix seconds at which the request was made: a key binding JWT is not older (skew aside). */
  readonly requestedAt: number
  readonly handover: Handover
  /** The transaction data that this credential may confirm (§5.1). Absent: none. */
  readonly transactionData?: readonly TransactionData[]
}

/** One string of the request's `transaction_data`. */
export type TransactionData = {
  /** Its place in the request. */
  readonly index: number
  /** The very text that was sent: what is hashed. */
  readonly encoded: string
  /** `transaction_data_hashes_alg` of the object in it. Absent: SHA-256, and the answer need not say so (B.3.3.1). */
  readonly hashAlgorithms?: readonly HashName[]
}

/** Transaction data that a holder signed for. */
export type ConfirmedTransactionData = {
  readonly index: number
  /** base64url, as the holder signed it. */
  readonly hash: string
  readonly hash_alg: HashName
}

/** How the request went out and its answer came back, for formats that are bound to it (OpenID4VP 1.0 B.2.6). */
export type Handover = {
  /** The key of ours that the answer was decrypted with; null for an answer that came in the clear. */
  readonly encryptionKey: PrivateJwk | null
} & (
  | { readonly kind: 'redirect'; readonly responseUri: string }
  /** ISO/IEC TS 18013-7 B.4.4, which the drafts of OpenID4VP refer to. Null: the wallet told no nonce of its own. */
  | {
      readonly kind: 'iso_18013_7'
      readonly responseUri: string
      readonly mdocGeneratedNonce: string | null
    }
  /** The Digital Credentials API. The origin is the bare one, without the prefix it has as an audience. */
  | { readonly kind: 'dc_api'; readonly origin: string }
)

/** What a verification is given of the world. */
export type Context = {
  /** Unix seconds at which the answer arrived. */
  readonly now: number
  readonly anchors: readonly TrustAnchor[]
  /** Our name for a verified type identifier (`vct`, docType, …), and whether the type is built in. */
  readonly typeOf: (format: string, identifier: string) => CredentialType | undefined
  /** A guarded, bounded fetch, for what a trust anchor names only. */
  readonly fetchResource: FetchResource
  /** What other isolates have fetched, where there is such a cache. */
  readonly sharedCache?: SharedCache | undefined
  /** What to do with a credential whose status cannot be told: the relying party's word. Without it: `refuse`. */
  readonly statusUnavailable?: 'refuse' | 'accept'
  /** What to do about revoked certificates of issuers: the relying party's word. Without it: `off`. */
  readonly certificateRevocation?: CertificateRevocation
  /** Called once for each check, in order. */
  readonly trace: (check: CheckId, result: CheckResult) => void
}

export type CredentialType = { readonly name: string; readonly builtIn: boolean }

export type CheckResult = 'pass' | 'fail' | 'skip'

/** The checks of one presentation, in the order in which they are made. */
export const CHECKS = [
  'structure',
  'type',
  'issuer_trust',
  'issuer_signature',
  'disclosures',
  'holder_binding',
  'nonce',
  'audience',
  'validity',
  'certificate_revocation',
  'status',
] as const
export type CheckId = (typeof CHECKS)[number]

/** A credential whose issuer, path, holder binding, nonce and audience have all been verified. */
export type VerifiedCredential = {
  readonly format: string
  /** `vct`, docType, … as the issuer signed it. */
  readonly typeIdentifier: string
  /** Our name for the type. */
  readonly credentialType: string
  /** The issuer as far as it is proven: an anchored `iss`, an `iss` in the leaf's SAN, else the leaf's subject. */
  readonly issuer: string | null
  readonly anchor: VouchingAnchor
  /** base64url AuthorityKeyIdentifiers of the certificates that the path to the anchor was verified with (§6.1.1.1). */
  readonly authorityKeyIdentifiers: readonly string[]
  /** The processed claims: what was disclosed, without the format's own machinery. */
  readonly claims: JsonObject
  readonly holderBound: boolean
  /** In the order of the request. Absent where this credential was asked to confirm nothing. */
  readonly confirmed?: readonly ConfirmedTransactionData[]
  /** What is known of the revocation of its issuer's certificates; absent where nobody asked, or it has none that could be. */
  readonly certificates?: AcceptedStanding
  /** What is known of its revocation; `null` where nobody asked, because it is out of time anyway. */
  readonly status: RevocationStatus | null
  /** When the list that says so was fetched (Unix seconds); absent where no list was read. */
  readonly statusAsOf?: number
  /** Findings of authentic credentials that lead to `rejected` (CONTRACT: they count only when all else has passed). */
  readonly findings: readonly CredentialReason[]
}

/** What certificates can be found to be that a credential may rest on. */
export type AcceptedStanding = Exclude<CertificateStatus, { readonly status: 'revoked' }>

/** `not_present`: the credential names no status. `unavailable`: it names one that could not be told; that is never `valid`. */
export type RevocationStatus = 'valid' | 'revoked' | 'suspended' | 'unavailable' | 'not_present'

/** Something true of an authentic credential that no policy accepts. */
export type CredentialReason =
  | 'credential_expired'
  | 'credential_not_yet_valid'
  | 'credential_revoked'
  | 'credential_suspended'

/** Why a presentation is not an authentic answer. The session stays pending. */
export type PresentationRefusal = CredentialRefusal | HolderRefusal | TrustRefusal | StatusRefusal

/** The credential itself. */
export type CredentialRefusal =
  | { readonly reason: 'malformed_credential' }
  | { readonly reason: 'limit_exceeded' }
  | { readonly reason: 'unsupported_algorithm' }
  | { readonly reason: 'unsupported_critical_header' }
  /** JOSE `typ` (or its like) is not the format's. */
  | { readonly reason: 'wrong_token_type' }
  | { readonly reason: 'unknown_credential_type' }
  | { readonly reason: 'invalid_issuer_signature' }
  | { readonly reason: 'malformed_disclosure' }
  | { readonly reason: 'unreferenced_disclosure' }
  | { readonly reason: 'duplicate_digest' }
  | { readonly reason: 'unsupported_hash_algorithm' }
  /** A disclosure brings a claim that must be signed in the clear (SD-JWT VC §2.2.2.3), one of SD-JWT's own, or one that is there already. */
  | { readonly reason: 'forbidden_disclosure' }
  /** A claim of the format is missing, of the wrong type or out of place (`vct`, `exp`, `_sd`, …), or `aud` does not name us. */
  | { readonly reason: 'invalid_claim'; readonly claim: string }

/** The proof that the presenter holds the credential. */
export type HolderRefusal =
  | { readonly reason: 'holder_binding_missing' }
  | { readonly reason: 'holder_key_missing' }
  /** The holder's DID document could not be fetched: unknown, so not valid, but worth another try. */
  | { readonly reason: 'holder_key_unavailable' }
  | { readonly reason: 'malformed_holder_binding' }
  | { readonly reason: 'invalid_holder_signature' }
  | { readonly reason: 'nonce_mismatch' }
  | { readonly reason: 'audience_mismatch' }
  | { readonly reason: 'sd_hash_mismatch' }
  /** Issued before the request, in the future, or otherwise outside the window. */
  | { readonly reason: 'holder_binding_not_current' }
  /** Signs for other transaction data than this credential was asked to confirm, or with a hash that was not offered. */
  | { readonly reason: 'transaction_data_mismatch' }

/** Revocation that could not be checked: never valid. */
export type StatusRefusal = { readonly reason: 'status_unavailable' }
