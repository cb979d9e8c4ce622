// The validated policy of a relying party, which the session stores. The query and the decision are derived
// from the policy.

import type { Json } from '../codec/json.ts'
import type {
  ConfirmedTransactionData,
  CredentialReason,
  RevocationStatus,
} from '../formats/verification/format.ts'
import type { ClaimsPath, ClaimValue, DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { AssuranceLevel, ListReference } from '../trust/anchors/anchor.ts'

/**
 * A policy that credentials can satisfy. It is computed from the stored request, and does not contain the
 * request itself.
 */
export type Policy = {
  /** Requested scopes in the order of the request, without duplicates. Empty for a caller's own query. */
  readonly scope: readonly string[]
  /** DCQL query of the request. Every response is matched with this query. */
  readonly query: DcqlQuery
  /**
   * Type and scopes of each credential query. A caller's own query has one descriptor for each type that it
   * requests.
   */
  readonly descriptors: readonly PolicyDescriptor[]
}

/**
 * Returns true if the credential query requires no proof of the holder (OpenID4VP 1.0 §6.1). Anyone may
 * present such a credential.
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
  /** Lists of scopes. One complete list is enough. Absent: all scopes are needed (OpenID4VP 1.0 §6.4.1). */
  readonly claim_sets?: readonly (readonly string[])[]
}

/** A scope, and the path of its claim in a credential. */
export type ScopePath = {
  /** Name in `checks`. For a caller's own query it is `<query id>.<path>`. */
  readonly scope: string
  /** Name for people, if it differs from `scope`. */
  readonly display_name?: string
  readonly path: ClaimsPath
  /** A boolean claim proves its scope only if it is `true`. Any other claim must be present and not empty. */
  readonly boolean: boolean
  /** Values that prove the scope. No other value proves it. */
  readonly values?: readonly ClaimValue[]
  /**
   * Path of the birthdate, and the requested age. Present if `allow_derived` allows the age to be computed
   * from the birthdate.
   */
  readonly derived?: { readonly path: ClaimsPath; readonly age: number }
}

/** A credential type that a relying party added (admin API `credential_types`), or a built-in type. */
export type CredentialTypeDefinition = {
  readonly name: string
  /** Identifiers and scopes of the type in each format. All identifiers are requested and accepted. */
  readonly formats: Readonly<Record<string, CredentialTypeFormat>>
}

export type CredentialTypeFormat = {
  readonly identifiers: readonly string[]
  /**
   * Path of the claim of each scope. `age_over_NN` stands for every age from 01 to 99. The digits of the age
   * replace `NN` in the path. The identifier of the type replaces `{type}` at the start of a path. Ages may
   * be derived from the scope `birthdate`.
   */
  readonly scopes: Readonly<Record<string, { readonly path: ClaimsPath; readonly boolean?: boolean }>>
}

/** Decision of the policy on an authentic response. */
export type Decision = {
  readonly status: 'verified' | 'rejected'
  /** Reason for `rejected`; null for `verified`. */
  readonly reason: PolicyReason | null
  /**
   * Requested scopes, each with `true` if it is proven. For `verified`, every scope in `Policy.scope` is
   * `true`.
   */
  readonly checks: Readonly<Record<string, boolean>>
  /**
   * True if the presenter proved to hold every credential used. Otherwise anyone may have sent the response.
   */
  readonly holder_bound: boolean
  /**
   * True if every credential used is bound to the same key. Null if no credential has holder binding. The
   * same key does not prove the same person, and one person may have several keys.
   */
  readonly same_holder_key: boolean | null
  /** Lowest assurance level of the credentials used. */
  readonly assurance_level: AssuranceLevel
  /** Credentials that the decision uses. All other credentials are dropped. */
  readonly credentials: readonly DecidedCredential[]
  /**
   * Requested claims of each credential by scope, in the order of `credentials`. All other claims are
   * dropped. The value of a derived scope is a boolean. Empty unless `verified`. The claims are never stored
   * unencrypted.
   */
  readonly claims: readonly { readonly id: string; readonly claims: Readonly<Record<string, Json>> }[]
  /**
   * Namespaces in which the issuers' identifiers of persons are unique (`TrustedSigner`), in the order of
   * `credentials`. Only the `sub` of a login uses them.
   */
  readonly subjectNamespaces: readonly string[]
  /** Steps that led to the assurance level, in order. */
  readonly derivation: readonly LevelDerivation[]
}

/** One step in the derivation of an assurance level, and the level after the step. */
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
  /**
   * Revocation check of the issuer's certificates. `as_of` is the time of the revocation list (ISO 8601 in
   * UTC; null if no list was read). The level does not change.
   */
  | {
      readonly step: 'certificate_status'
      readonly status: 'valid' | 'not_present'
      readonly as_of: string | null
    }
  /**
   * Revocation check of the credential. `as_of` is the time of the status list (ISO 8601 in UTC; null if no
   * list was read). The level does not change.
   */
  | {
      readonly step: 'status'
      readonly status: Exclude<RevocationStatus, 'unavailable'> | null
      readonly as_of: string | null
    }
  | {
      readonly step: /** A certificate of the issuer may have been revoked. The level is at most `low`. */
        | 'certificate_status_unavailable'
        /** The presenter proved to hold the credential. The level stays. */
        | 'holder_binding'
        /** Without cryptographic holder binding the level is at most `low`. */
        | 'no_holder_binding'
        /**
         * The request was unsigned and is bound to no browser, so anyone may have answered. The level is at
         * most `low`.
         */
        | 'no_session_binding'
        /** The status is unknown, so the credential may have been revoked. The level is at most `low`. */
        | 'status_unavailable'
        /**
         * The credential declares a level of its own. That level can lower the result, but never raise it.
         */
        | 'credential_says'
    }

export type DecidedCredential = {
  /** Id of the credential query. */
  readonly id: string
  readonly credential_type: string
  readonly format: string
  readonly issuer: string | null
  readonly assurance_level: AssuranceLevel
  /**
   * Revocation status. `null` if it was not checked, because the credential is outside its validity period.
   */
  readonly status: RevocationStatus | null
  /**
   * Transactions that the holder of the credential confirmed. Absent if the request asked this credential to
   * confirm none.
   */
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
