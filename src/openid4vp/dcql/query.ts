// DCQL queries (OpenID4VP 1.0 §6) as this service builds and stores them.

import type { Json, JsonObject } from '../../codec/json.ts'

/** A claims path pointer (§7): names, array indexes, or null for all elements. Never empty. */
export type ClaimsPath = readonly (string | number | null)[]

/** A requested value of a claim (§6.3). */
export type ClaimValue = string | number | boolean

/** §6.3 */
export type ClaimsQuery = {
  readonly id?: string
  readonly path: ClaimsPath
  readonly values?: readonly ClaimValue[]
  /** Only in mdoc queries (B.2.4). */
  readonly intent_to_retain?: boolean
}

/** §6.1.1 */
export type TrustedAuthority = { readonly type: string; readonly values: readonly string[] }

/** §6.1 */
export type CredentialQuery = {
  readonly id: string
  readonly format: string
  readonly meta: JsonObject
  readonly multiple?: boolean
  readonly require_cryptographic_holder_binding?: boolean
  readonly trusted_authorities?: readonly TrustedAuthority[]
  readonly claims?: readonly ClaimsQuery[]
  readonly claim_sets?: readonly (readonly string[])[]
}

/** §6.2 */
export type CredentialSetQuery = {
  readonly options: readonly (readonly string[])[]
  readonly required?: boolean
}

/** §6 */
export type DcqlQuery = {
  readonly credentials: readonly CredentialQuery[]
  readonly credential_sets?: readonly CredentialSetQuery[]
}

/** Elements that a claims path selects (§7.1). */
export type Selection = readonly Json[]
