// A validated policy of a relying party: stored with the session, used to build the query and to decide.

import type { Json } from '../codec/json.ts'
import type {
  ConfirmedTransactionData,
  CredentialReason,
  RevocationStatus,
} from '../formats/verification/format.ts'
import type { ClaimsPath, ClaimValue, DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { AssuranceLevel, ListReference } from '../trust/anchors/anchor.ts'

/**
 * A policy that credentials can satisfy. It contains what follows from the stored request, and not the
 * request itself.
 */
export type Policy = {
  /** The requested scopes in their order, each once. Empty for a caller's own query. */
  readonly scope: readonly string[]
  /** Query that the wallet receives and that its response is matched with. */
  readonly query: DcqlQuery
  /** Type and scope paths of each credential query id. A caller's query may request several types. */
  readonly descriptors: readonly PolicyDescriptor[]
}

/**
 * Returns true if anyone may present the credential of a query: the query waives the proof of its holder
 * (OpenID4VP 1.0 §6.1).
 */
export function waivesHolderBinding({ query }: Pick<Policy, 'query'>, queryId: string): boolean {
  const asked = query.credentials.find(({ id }) => id === queryId)
  return asked?.require_cryptographic_holder_binding === false
}

/** Meaning of one credential query for the relying party. */
export type PolicyDescriptor = {
  readonly query_id: string
  readonly credential_type: string
  readonly scopes: readonly ScopePath[]
  /** Lists of scopes, one of which is enough. Absent: all are needed (OpenID4VP 1.0 §6.4.1). */
  readonly claim_sets?: readonly (readonly string[])[]
}

/** Path of a scope's claim in a credential. */
export type ScopePath = {
  /** Name in `checks`. For a caller's own query it is `<query id>.<path>`. */
  readonly scope: string
  /** Name for people, if it differs from `scope`. */
  readonly display_name?: string
  readonly path: ClaimsPath
  /** A boolean claim proves its scope only if it is `true`. Any other claim must be present and not empty. */
  readonly boolean: boolean
  /** The scope is proven by one of these values only. */
  readonly values?: readonly ClaimValue[]
  /** With `allow_derived`: the claim that the scope may be computed from, and the requested age. */
  readonly derived?: { readonly path: ClaimsPath; readonly age: number }
}

/** A credential type that a relying party added (admin API `credential_types`), or a built-in type. */
export type CredentialTypeDefinition = {
  readonly name: string
  /** Per format: the type's identifiers, all of which are requested and accepted, and its scopes. */
  readonly formats: Readonly<Record<string, CredentialTypeFormat>>
}

export type CredentialTypeFormat = {
  readonly identifiers: readonly string[]
  /**
   * Path of each scope's claim. `age_over_NN` means every age from 01 to 99; the digits replace `NN` in its
   * path. `{type}` at the start of a path means the type's identifier. Ages are derived from `birthdate`.
   */
  readonly scopes: Readonly<Record<string, { readonly path: ClaimsPath; readonly boolean?: boolean }>>
}

/** Decision of the policy on an authentic response. */
export type Decision = {
  readonly status: 'verified' | 'rejected'
  /** Reason for `rejected`; null for `verified`. */
  readonly reason: PolicyReason | null
  /** Requested scope -> proven. For `verified` every scope requested by name is `true`. */
  readonly checks: Readonly<Record<string, boolean>>
  /**
   * True if the presenter proved to hold every credential used. Otherwise anyone may have sent the response.
   */
  readonly holder_bound: boolean
  /**
   * True if one key holds every credential used, null if no credential has holder binding. One key need not
   * mean one person, and several keys may belong to one person.
   */
  readonly same_holder_key: boolean | null
  /** Lowest level of the credentials used. */
  readonly assurance_level: AssuranceLevel
  /** Credentials that the decision uses. All other credentials are dropped. */
  readonly credentials: readonly DecidedCredential[]
  /**
   * Scope -> value, one object per credential, in the order of `credentials`. All other claims are dropped.
   * The value of a derived scope is its boolean. Empty unless `verified`. Never stored in the clear.
   */
  readonly claims: readonly { readonly id: string; readonly claims: Readonly<Record<string, Json>> }[]
  /** Steps of the assurance level, in order. */
  readonly derivation: readonly LevelDerivation[]
}

/** One step of an assurance level's derivation, and the level after it. */
export type LevelDerivation =
  /** Lowest level of several credentials. */
  | { readonly step: 'lowest'; readonly level: AssuranceLevel }
  | ({ readonly id: string; readonly level: AssuranceLevel } & CredentialStep)

type CredentialStep =
  /**
   * The trust anchor that vouched for the issuer gives the first level. `list`: the trust list of the anchor,
   * if any.
   */
  | { readonly step: 'anchor'; readonly anchor: string; readonly list?: ListReference }
  /** Revocation of the issuer's certificates by a list of the time `as_of` (as below). The level stays. */
  | {
      readonly step: 'certificate_status'
      readonly status: 'valid' | 'not_present'
      readonly as_of: string | null
    }
  /** Revocation of the credential at `as_of` (ISO 8601 in UTC; null if no list was read). The level stays. */
  | {
      readonly step: 'status'
      readonly status: Exclude<RevocationStatus, 'unavailable'> | null
      readonly as_of: string | null
    }
  | {
      readonly step: /** Unknown: a certificate may have been revoked. */
        | 'certificate_status_unavailable'
        /** The presenter proved to hold the credential. The level stays. */
        | 'holder_binding'
        /** Without cryptographic holder binding the level is at most `low`. */
        | 'no_holder_binding'
        /** The request was unsigned, and no browser returned: the level is at most `low`. */
        | 'no_session_binding'
        /** The status is unknown: the credential may have been revoked. */
        | 'status_unavailable'
        /** A level that the credential declares can lower the level, never raise it. */
        | 'credential_says'
    }

export type DecidedCredential = {
  /** Id of its credential query. */
  readonly id: string
  readonly credential_type: string
  readonly format: string
  readonly issuer: string | null
  readonly assurance_level: AssuranceLevel
  /** Revocation; `null` if not checked, because the credential is outside its validity period. */
  readonly status: RevocationStatus | null
  /** Transactions that its holder confirmed. Absent if this credential was asked to confirm none. */
  readonly transaction_data?: readonly ConfirmedTransactionData[]
  readonly checks: Readonly<Record<string, boolean>>
}

/** Reason why an authentic response does not satisfy the policy. */
export type PolicyReason =
  | CredentialReason
  | 'predicate_false'
  | 'value_mismatch'
  | 'assurance_level_too_low'
  | 'holder_key_mismatch'
