// The validated policy of a relying party, which the session stores. The policy contains the DCQL query. The
// decision on a response is derived from the policy.

import type { Json } from '../codec/json.ts'
import type {
  ConfirmedTransactionData,
  CredentialReason,
  RevocationStatus,
} from '../formats/verification/format.ts'
import type { ClaimsPath, ClaimValue, DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { AssuranceLevel, ListReference } from '../trust/anchors/anchor.ts'

/** A policy that credentials can satisfy. It is computed from the create request, and stored beside it. */
export type Policy = {
  /** Requested scopes in the order of the request, without duplicates. Empty for a caller's own query. */
  readonly scope: readonly string[]
  /** The DCQL query with which every response is matched. */
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

/** Credential type and scopes that the relying party requests by one credential query. */
export type PolicyDescriptor = {
  readonly query_id: string
  readonly credential_type: string
  readonly scopes: readonly ScopePath[]
  /**
   * Sets of claims (OpenID4VP 1.0 §6.4.1), each claim named by its scope. One complete set is enough.
   * Absent: all scopes are needed.
   */
  readonly claim_sets?: readonly (readonly string[])[]
}

/** A scope, and the path of its claim in a credential. */
export type ScopePath = {
  /** Name in `checks`. For a caller's own query, the name is `<query id>.<path>`. */
  readonly scope: string
  /** Name for people, if it differs from `scope`. */
  readonly display_name?: string
  readonly path: ClaimsPath
  /**
   * True: only the value `true` proves the scope. False: every value that is neither `false` nor empty proves
   * the scope. If `values` is present, `values` decides instead.
   */
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
   * Requested scopes, each with `true` if the scope is proven. For `verified`, every scope in `Policy.scope`
   * is `true`.
   */
  readonly checks: Readonly<Record<string, boolean>>
  /**
   * True if the presenter proved possession of the key of every credential that the decision used. Otherwise
   * anyone may have sent the response.
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
   * Requested claims of each credential by scope, in the order of `credentials`. The list is empty unless the
   * decision is `verified`. All other claims are dropped. The value of a derived scope is a boolean. The
   * claims are never stored unencrypted.
   */
  readonly claims: readonly { readonly id: string; readonly claims: Readonly<Record<string, Json>> }[]
  /**
   * Namespaces, one for each credential, in the order of `credentials`. The identifiers that an issuer gives
   * to persons are unique in its namespace (`TrustedSigner`). A namespace is used only to compute the `sub`
   * of a login by OpenID Connect.
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
   * if any. `service`: for a trust list in XML, the anchor's trust service and its status in the list.
   */
  | {
      readonly step: 'anchor'
      readonly anchor: string
      readonly list?: ListReference
      readonly service?: { readonly type: string; readonly status: string }
    }
  /**
   * Revocation check of the issuer's certificates, which leaves the level unchanged. `as_of` is the time of
   * the revocation list (ISO 8601 in UTC; null if no list was read).
   */
  | {
      readonly step: 'certificate_status'
      readonly status: 'valid' | 'not_present'
      readonly as_of: string | null
    }
  /**
   * Revocation check of the credential, which leaves the level unchanged. `as_of` is the time of the status
   * list (ISO 8601 in UTC; null if no list was read).
   */
  | {
      readonly step: 'status'
      readonly status: Exclude<RevocationStatus, 'unavailable'> | null
      readonly as_of: string | null
    }
  | {
      readonly step: /** A certificate of the issuer may have been revoked. The level is at most `low`. */
        | 'certificate_status_unavailable'
        /** The presenter proved possession of the credential's key. The level stays the same. */
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
   * Revocation status. `null` if the status was not checked, because the credential is outside its validity
   * period.
   */
  readonly status: RevocationStatus | null
  /**
   * Transactions that the holder of the credential confirmed. Absent if the credential had no transaction to
   * confirm.
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
