// The interface of a credential format to the protocol and the policy. Its members follow the headings of
// OpenID4VP 1.0 Appendix B. A new format needs one folder that exports one `CredentialFormat`, and one line
// in `index.ts`.

import type { Json, JsonObject } from '../../codec/json.ts'
import type { HashName } from '../../crypto/digest.ts'
import type { PrivateJwk } from '../../crypto/jwk.ts'
import type { FetchResource } from '../../net/guarded-fetch.ts'
import type { SharedCache } from '../../net/shared-cache.ts'
import type { Result } from '../../result.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import type { NamedSigner, SignerProfile, VouchingAnchor } from '../../trust/anchors/signer.ts'
import type { TrustRefusal } from '../../trust/refusal.ts'
import type {
  CertificateRevocation,
  CertificateStatus,
  CheckCertificates,
} from '../../trust/revocation/certificate-revocation.ts'
import type { Certificate } from '../../trust/x509/certificate.ts'

/** One credential format (OpenID4VP 1.0 Appendix B). */
export type CredentialFormat<Id extends string = string> = {
  /** Credential Format Identifier. */
  readonly id: Id
  /**
   * True if a request contains this format in two cases only: the relying party names the format, or the
   * other formats cannot satisfy the request. The reason is that some wallets refuse a whole request because
   * of one unknown format.
   */
  readonly requestedByName?: true
  /** True if only certificates identify an issuer. Anchors with keys or a DID never vouch for this format. */
  readonly issuersByCertificate?: true
  /** Entry of the format in `vp_formats_supported` (§11.1). */
  readonly metadata: JsonObject
  /** Clause that each check implements for this format. */
  readonly clauses: Readonly<Record<CheckId, string>>
  /**
   * Returns the type identifiers in a DCQL `meta` object; `undefined` if the object is not a `meta` of this
   * format.
   */
  readonly metaTypes: (meta: JsonObject) => readonly string[] | undefined
  /** Number of types that one `meta` object can request. */
  readonly typesPerMeta: 'one' | 'several'
  /** Builds the DCQL `meta` object for type identifiers, as many as `typesPerMeta` allows. */
  readonly buildMeta: (types: readonly string[]) => JsonObject
  /** True if a claims path (§7) can select a claim in this format. */
  readonly isClaimsPath: (path: readonly (string | number | null)[]) => boolean
  /** Members that every claims query has besides its path. */
  readonly claimsParameters: { readonly intent_to_retain?: boolean }
  /** Top-level claims that are always disclosed, so a query must not name them. */
  readonly clearClaims?: ReadonlySet<string>
  /** True if a profile of the format defines how a holder confirms transaction data (§8.4). */
  readonly confirmsTransactionData?: true
  /** Verifies one presentation: integrity, trust, holder binding, validity. Never throws for bad input. */
  readonly verify: (
    presentation: Json,
    expected: RequestBinding,
    context: Context,
  ) => Promise<Result<VerifiedCredential, PresentationRefusal>>
}

/**
 * Values that the response must be bound to. They come from our own request, except the wallet's nonce in
 * `handover`.
 */
export type RequestBinding = {
  readonly nonce: string
  /** The one accepted audience: the full Client Identifier (§14.8), or `origin:` + origin for the DC API. */
  readonly audience: string
  /** Type identifiers of the query. They select the type of a credential that has several types. */
  readonly types?: readonly string[]
  /** True if the query requires cryptographic holder binding (§6.1). */
  readonly holderBinding: boolean
  /**
   * Time of the request in Unix seconds. A key binding JWT must not be older than the request, apart from
   * clock skew.
   */
  readonly requestedAt: number
  readonly handover: Handover
  /** Transaction data that this credential may confirm (§5.1). Absent: none. */
  readonly transactionData?: readonly TransactionData[]
}

/** One string of the request's `transaction_data`. */
export type TransactionData = {
  /** Index in the list of the request. */
  readonly index: number
  /** The text as sent, which the holder hashes. */
  readonly encoded: string
  /**
   * Hash algorithms in `transaction_data_hashes_alg`. Absent: SHA-256, and the response need not name the
   * algorithm (B.3.3.1).
   */
  readonly hashAlgorithms?: readonly HashName[]
}

/** Transaction data that a holder confirmed by a signature. */
export type ConfirmedTransactionData = {
  readonly index: number
  /** base64url, as the holder signed it. */
  readonly hash: string
  readonly hash_alg: HashName
}

/**
 * Channel of the request and its response, for formats whose proof covers the channel (OpenID4VP 1.0 B.2.6).
 */
export type Handover = {
  /** Our key that decrypted the response; null for a plain response. */
  readonly encryptionKey: PrivateJwk | null
} & (
  | { readonly kind: 'redirect'; readonly responseUri: string }
  /**
   * ISO/IEC TS 18013-7 B.4.4, used by the OpenID4VP drafts. `mdocGeneratedNonce` is null if the wallet sent
   * none.
   */
  | {
      readonly kind: 'iso_18013_7'
      readonly responseUri: string
      readonly mdocGeneratedNonce: string | null
    }
  /** Digital Credentials API. The origin has no prefix, unlike the audience. */
  | { readonly kind: 'dc_api'; readonly origin: string }
  /** ISO/IEC TS 18013-7 Annex C. `encryptionInfo` is the text as sent (base64url). */
  | { readonly kind: 'iso_dc_api'; readonly origin: string; readonly encryptionInfo: string }
)

/** Dependencies of a verification. */
export type Context = {
  /** Unix seconds at which the response arrived. */
  readonly now: number
  /** Tolerated difference of clocks in seconds. Default: `CLOCK_SKEW`. */
  readonly clockSkew?: number | undefined
  readonly anchors: readonly TrustAnchor[]
  /** The protocol's rules for signers of this format. */
  readonly signerProfile?: SignerProfile
  /** Returns our type for a type identifier (`vct`, docType, …); `undefined` if the identifier is unknown. */
  readonly typeOf: (format: string, identifier: string) => CredentialType | undefined
  /**
   * Fetch with checks and limits. Used only for addresses that a trust anchor names or a trusted issuer
   * signed.
   */
  readonly fetchResource: FetchResource
  /** Cache shared with other isolates, if the platform has one. */
  readonly sharedCache?: SharedCache | undefined
  /** The relying party's setting for credentials of unknown status. Default: `refuse`. */
  readonly statusUnavailable?: 'refuse' | 'accept'
  /** The relying party's setting for the revocation check of issuers' certificates. Default: `off`. */
  readonly certificateRevocation?: CertificateRevocation
  /**
   * Checks the revocation of issuers' certificates. Without this function, the result of this check is
   * `unavailable`. With the setting `off`, there is no check.
   */
  readonly checkCertificates?: CheckCertificates
  /** True if `cnf` of a JWT may contain the holder's key in a `kid` instead of a `jwk`. Default: false. */
  readonly acceptsHolderKeyId?: boolean
  /** Called once for each check that is made or skipped, in the order of `CHECKS`. */
  readonly trace: (check: CheckId, result: CheckResult) => void
  /** Called with the signer that the credential names, before anything about the signer is verified. */
  readonly onSigner?: (signer: NamedSigner) => void
}

export type CredentialType = { readonly name: string; readonly builtIn: boolean }

export type CheckResult = 'pass' | 'fail' | 'skip'

/** Checks of one presentation, in order. */
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

/** A credential whose issuer, certificates, holder binding, nonce and audience are verified. */
export type VerifiedCredential = {
  readonly format: string
  /** `vct`, docType, … as the issuer signed it. */
  readonly typeIdentifier: string
  /** Our name for the type. */
  readonly credentialType: string
  /**
   * The proven issuer: an `iss` that an anchor names, an `iss` in the SAN of the leaf certificate, or the
   * subject of that certificate. `null` if that subject is empty or too long.
   */
  readonly issuer: string | null
  readonly anchor: VouchingAnchor
  /** Namespace in which the issuer's identifiers of persons are unique (`TrustedSigner`). */
  readonly subjectNamespace: string
  /** base64url AuthorityKeyIdentifiers of the verified certificates (§6.1.1.1). */
  readonly authorityKeyIdentifiers: readonly string[]
  /**
   * The verified certificates of the issuer, from the leaf to the trust anchor's certificate. Empty if the
   * anchor pins the leaf, or if the issuer has no certificates.
   */
  readonly issuerPath: readonly Certificate[]
  /** Disclosed claims, without the members that belong to the format. */
  readonly claims: JsonObject
  readonly holderBound: boolean
  /** SHA-256 thumbprint (RFC 7638, base64url) of the key that proved possession. Absent without a proof. */
  readonly holderKey?: string
  /**
   * Transaction data that the holder confirmed, in the order of the request. Absent if the request named no
   * transaction data for this credential.
   */
  readonly confirmed?: readonly ConfirmedTransactionData[]
  /** Revocation of the issuer's certificates. Absent with the setting `off`, or if `issuerPath` is empty. */
  readonly certificates?: Exclude<CertificateStatus, { readonly status: 'revoked' }>
  /**
   * Revocation of the credential. `null` if the revocation was not checked, because the credential is outside
   * its validity period.
   */
  readonly status: RevocationStatus | null
  /** Unix seconds at which the status list was fetched. Absent if no list gives a known status. */
  readonly statusAsOf?: number
  /**
   * Reasons to end the session as `rejected`. The reasons are used only if all other checks pass
   * (api/outcome).
   */
  readonly reasons: readonly CredentialReason[]
}

/**
 * `not_present`: the credential refers to no status list. `unavailable`: the status is unknown, and is never
 * reported as `valid`.
 */
export type RevocationStatus = 'valid' | 'revoked' | 'suspended' | 'unavailable' | 'not_present'

/** Reason why no policy accepts a credential that is authentic. */
export type CredentialReason =
  | 'credential_expired'
  | 'credential_not_yet_valid'
  | 'credential_revoked'
  | 'credential_suspended'

/** Refusal of a presentation that is not authentic. The session stays pending. */
export type PresentationRefusal = CredentialRefusal | HolderRefusal | TrustRefusal | StatusRefusal

/** Refusal because of the credential itself. */
export type CredentialRefusal =
  | {
      readonly reason:
        | 'malformed_credential'
        | 'limit_exceeded'
        | 'unsupported_algorithm'
        | 'unsupported_critical_header'
        /** JOSE `typ` (or its equivalent) is not the `typ` of the format. */
        | 'wrong_token_type'
        | 'unknown_credential_type'
        | 'invalid_issuer_signature'
        | 'malformed_disclosure'
        | 'unreferenced_disclosure'
        | 'duplicate_digest'
        | 'unsupported_hash_algorithm'
        /**
         * One of three causes. A disclosure has a reserved name, or a name that is present already. A
         * disclosure contains a claim that must be in the clear (SD-JWT VC §2.2.2.3). An mdoc has
         * device-signed elements.
         */
        | 'forbidden_disclosure'
    }
  /** The wallet returned no document. `documentErrors` has the wallet's error codes by document type. */
  | { readonly reason: 'document_not_returned'; readonly documentErrors: DocumentErrors }
  /** A claim that the format defines is missing, invalid or at a wrong place, or `aud` does not name us. */
  | { readonly reason: 'invalid_claim'; readonly claim: string }

/**
 * Error code of each document that a wallet does not return, by document type (ISO/IEC 18013-5 §8.3.2.1.2.3).
 */
export type DocumentErrors = Readonly<Record<string, number>>

/** Refusal because of the proof of possession. */
export type HolderRefusal = {
  readonly reason:
    | 'holder_binding_missing'
    | 'holder_key_missing'
    /** The holder's DID document could not be fetched. A later attempt may succeed. */
    | 'holder_key_unavailable'
    | 'malformed_holder_binding'
    | 'invalid_holder_signature'
    | 'nonce_mismatch'
    | 'audience_mismatch'
    | 'sd_hash_mismatch'
    /**
     * The proof was issued before the request or in the future, or is otherwise outside the accepted time.
     */
    | 'holder_binding_not_current'
    /**
     * The holder signed transaction data that was not requested from this credential, or used a hash
     * algorithm that was not offered.
     */
    | 'transaction_data_mismatch'
}

/** Refusal because revocation could not be checked. An unknown status is never treated as valid. */
export type StatusRefusal = { readonly reason: 'status_unavailable' }
