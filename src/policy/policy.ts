// What a relying party asked for, past validation: stored with the session, read by query building and by the decision.

import type { Json } from '../codec/json.ts'
import type { ClaimsPath, DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { AssuranceLevel } from '../trust/anchor.ts'

/** A satisfiable policy: every type, scope and format in it is known, and the query follows from it. */
export type Policy = {
  readonly credential_types: readonly string[]
  readonly scope: readonly string[]
  readonly required_assurance_level: AssuranceLevel
  readonly credential_match: 'any' | 'all'
  readonly formats: readonly string[]
  readonly allow_derived: boolean
  /** What the wallet is asked, and what its answer is matched against again. */
  readonly query: DcqlQuery
  /** For each credential query id: the type it asks for and where each scope is found. */
  readonly descriptors: readonly PolicyDescriptor[]
}

/** One credential query's meaning in the relying party's words. */
export type PolicyDescriptor = {
  readonly query_id: string
  readonly credential_type: string
  readonly scopes: readonly ScopePath[]
}

/** Where a scope's claim stands in a credential. */
export type ScopePath = {
  readonly scope: string
  readonly path: ClaimsPath
  /** A boolean claim proves its scope only when it is `true`. */
  readonly boolean: boolean
  /** With `allow_derived`: the claim that the scope may be computed from, and the age asked for. */
  readonly derived?: { readonly path: ClaimsPath; readonly age: number }
}

/** A credential type a relying party added (admin API `credential_types`), or a built-in one. */
export type CredentialTypeDefinition = {
  readonly name: string
  /** Per format: the identifiers we ask for (the first is asked, all are accepted) and the path of each scope. */
  readonly formats: Readonly<Record<string, CredentialTypeFormat>>
}

export type CredentialTypeFormat = {
  readonly identifiers: readonly string[]
  readonly scopes: Readonly<Record<string, { readonly path: ClaimsPath; readonly boolean?: boolean }>>
}

/** What the policy found in an authentic answer. */
export type Decision = {
  readonly outcome: 'verified' | 'rejected'
  /** Why `rejected`; null when verified. */
  readonly reason: PolicyReason | null
  /** Requested scope -> proven. */
  readonly checks: Readonly<Record<string, boolean>>
  readonly assurance_level: AssuranceLevel
  readonly credentials: readonly DecidedCredential[]
  /** The requested claims only, one object per credential; what was not asked for is dropped. Never stored in the clear. */
  readonly claims: readonly { readonly id: string; readonly claims: Readonly<Record<string, Json>> }[]
  /** How the level came about, as trace entries. */
  readonly derivation: readonly string[]
}

export type DecidedCredential = {
  /** The credential query it answers. */
  readonly id: string
  readonly credential_type: string
  readonly format: string
  readonly issuer: string | null
  readonly assurance_level: AssuranceLevel
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
