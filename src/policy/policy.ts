// What a relying party asked for, past validation: stored with the session, read by query building and by the decision.

import type { Json } from '../codec/json.ts'
import type { ConfirmedTransactionData, RevocationStatus } from '../formats/format.ts'
import type { ClaimsPath, ClaimValue, DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { AssuranceLevel, ListReference } from '../trust/anchors/anchor.ts'

/** A policy that credentials can satisfy. It adds to the stored request what follows from it. */
export type Policy = {
  /** The requested scopes in their order, each once. Empty for a caller's own query. */
  readonly scope: readonly string[]
  /** What the wallet is asked, and what its answer is matched against again. */
  readonly query: DcqlQuery
  /** For each credential query id: the type it asks for and where each scope is found. A caller's query may ask for several. */
  readonly descriptors: readonly PolicyDescriptor[]
}

/** One credential query's meaning in the relying party's words. */
export type PolicyDescriptor = {
  readonly query_id: string
  readonly credential_type: string
  readonly scopes: readonly ScopePath[]
  /** Scopes that are enough together, one of the lists; absent: all are needed (OpenID4VP 1.0 §6.4.1). */
  readonly claim_sets?: readonly (readonly string[])[]
}

/** Where a scope's claim stands in a credential. */
export type ScopePath = {
  /** Its name in `checks`: with a caller's own query `<query id>.<path>`. */
  readonly scope: string
  /** What it is called before people, where that is not its name. */
  readonly shown?: string
  readonly path: ClaimsPath
  /** A boolean claim proves its scope only when it is `true`. Any other claim must be there and say something. */
  readonly boolean: boolean
  /** One of these proves the scope, and nothing else does. */
  readonly values?: readonly ClaimValue[]
  /** With `allow_derived`: the claim that the scope may be computed from, and the age asked for. */
  readonly derived?: { readonly path: ClaimsPath; readonly age: number }
}

/** A credential type a relying party added (admin API `credential_types`), or a built-in one. */
export type CredentialTypeDefinition = {
  readonly name: string
  /** Per format: the type's identifiers (all are asked for and accepted) and its scopes. */
  readonly formats: Readonly<Record<string, CredentialTypeFormat>>
}

export type CredentialTypeFormat = {
  readonly identifiers: readonly string[]
  /**
   * Where each scope's claim stands. `age_over_NN` stands for every age from 01 to 99, the digits taking the place of `NN` in
   * its path; a path that begins with `{type}` has the type's identifier there; `birthdate` is the claim that ages are
   * derived from.
   */
  readonly scopes: Readonly<Record<string, { readonly path: ClaimsPath; readonly boolean?: boolean }>>
}

/** What the policy found in an authentic answer. */
export type Decision = {
  readonly status: 'verified' | 'rejected'
  /** Why `rejected`; null when verified. */
  readonly reason: PolicyReason | null
  /** Requested scope -> proven. Every scope asked by name is `true` where the status is `verified`. */
  readonly checks: Readonly<Record<string, boolean>>
  /** Whether the presenter was shown to hold every credential used: without that, an answer is nobody's refusal. */
  readonly holder_bound: boolean
  /** The lowest of the credentials used. */
  readonly assurance_level: AssuranceLevel
  /** The credentials the decision rests on: what was presented beside them is dropped. */
  readonly credentials: readonly DecidedCredential[]
  /**
   * Scope -> value of the requested claims, one object per credential, in the order of `credentials`; what was not asked for
   * is dropped, and a derived scope is its boolean. Empty unless `verified`. Never stored in the clear.
   */
  readonly claims: readonly { readonly id: string; readonly claims: Readonly<Record<string, Json>> }[]
  /** How the level came about, in order. */
  readonly derivation: readonly LevelDerivation[]
}

/** One step of an assurance level's derivation, and the level after it. */
export type LevelDerivation =
  /** The trust anchor that vouched for the issuer gives the level to start from; `list`: where the anchor came from one. */
  | {
      readonly step: 'anchor'
      readonly id: string
      readonly anchor: string
      readonly list?: ListReference
      readonly level: AssuranceLevel
    }
  /** What is known of the revocation of the issuer's certificates, by a list of that time (`as_of` as below): the level stays. */
  | {
      readonly step: 'certificate_status'
      readonly id: string
      readonly status: 'valid' | 'not_present'
      readonly as_of: string | null
      readonly level: AssuranceLevel
    }
  /** That could not be told: a certificate may have been revoked. */
  | { readonly step: 'certificate_status_unavailable'; readonly id: string; readonly level: AssuranceLevel }
  /** The presenter was shown to hold the credential: the level stays. */
  | { readonly step: 'holder_binding'; readonly id: string; readonly level: AssuranceLevel }
  /** Without cryptographic holder binding nothing is worth more than `low`. */
  | { readonly step: 'no_holder_binding'; readonly id: string; readonly level: AssuranceLevel }
  /** What is known of its revocation, and as of when (ISO 8601 in UTC; null where no list was read): the level stays. */
  | {
      readonly step: 'status'
      readonly id: string
      readonly status: Exclude<RevocationStatus, 'unavailable'> | null
      readonly as_of: string | null
      readonly level: AssuranceLevel
    }
  /** A status that could not be told: the credential may have been revoked. */
  | { readonly step: 'status_unavailable'; readonly id: string; readonly level: AssuranceLevel }
  /** What the credential says of itself lowers the level, never raises it. */
  | { readonly step: 'credential_says'; readonly id: string; readonly level: AssuranceLevel }
  /** The lowest of several credentials. */
  | { readonly step: 'lowest'; readonly level: AssuranceLevel }

export type DecidedCredential = {
  /** The credential query it answers. */
  readonly id: string
  readonly credential_type: string
  readonly format: string
  readonly issuer: string | null
  readonly assurance_level: AssuranceLevel
  /** What is known of its revocation; `null` where nobody asked, because it is out of time. */
  readonly status: RevocationStatus | null
  /** What its holder confirmed; absent where it was asked to confirm nothing. */
  readonly transaction_data?: readonly ConfirmedTransactionData[]
  readonly checks: Readonly<Record<string, boolean>>
}

/** Why an authentic answer does not satisfy the policy. */
export type PolicyReason =
  | 'predicate_false'
  | 'value_mismatch'
  | 'assurance_level_too_low'
  | 'credential_expired'
  | 'credential_not_yet_valid'
  | 'credential_revoked'
  | 'credential_suspended'
