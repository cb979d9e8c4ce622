// Parts of DCQL that several wallets evaluate alike (OpenID4VP 1.0 §6, §7). Before, a wallet refuses the
// members that it does not support.

import type { JWK } from 'jose'
import { claimAt, type Holding } from './holdings.ts'
import type { ClaimsQuery, CredentialQuery, DcqlQuery } from './request-object.ts'

/** True if format and type of a credential fit the query. */
export function hasType({ format, type }: Holding, query: CredentialQuery): boolean {
  if (format !== query.format) return false
  const { vct_values: vcts, doctype_value: docType } = query.meta ?? {}
  return format === 'dc+sd-jwt' ? vcts?.includes(type) === true : docType === type
}

/** True if the credential has the claim, with one of its `values` if the query has them. */
export function hasClaim(holding: Holding, { path, values }: ClaimsQuery): boolean {
  const value = claimAt(holding, path)
  if (value === undefined) return false
  return values === undefined || values.length === 0 || values.some((one) => one === value)
}

/** The first claim set whose claims the credential has; all claims without `claim_sets` (§6.4.1). */
export function firstClaimSet(
  holding: Holding,
  { claims = [], claim_sets: sets }: CredentialQuery,
): readonly ClaimsQuery[] | undefined {
  const options = sets?.flatMap((ids) => {
    const named = claims.filter(({ id }) => id !== undefined && ids.includes(id))
    return named.length === ids.length ? [named] : []
  }) ?? [claims]
  return options.find((option) => option.every((claim) => hasClaim(holding, claim)))
}

/**
 * One option of each required set: the first option whose queries all have an answer. Undefined without such
 * an option.
 */
export function firstOptions<T>(
  { credentials, credential_sets: sets }: DcqlQuery,
  answerOf: (query: CredentialQuery) => T | undefined,
): readonly T[] | undefined {
  const answers = new Map(credentials.map((query) => [query.id, answerOf(query)]))
  const required = (sets ?? credentials.map(({ id }) => ({ options: [[id]], required: true }))).filter(
    (set) => set.required !== false,
  )
  const chosen = required.map(({ options }) =>
    options.find((option) => option.every((id) => answers.get(id) !== undefined)),
  )
  if (chosen.includes(undefined)) return undefined
  return [...new Set(chosen.flatMap((option) => option ?? []))].flatMap((id) => answers.get(id) ?? [])
}

/** The first P-256 key for encryption. */
export function encryptionKeyOf(keys: readonly JWK[]): JWK | undefined {
  return keys.find(({ kty, crv, use }) => kty === 'EC' && crv === 'P-256' && (use ?? 'enc') === 'enc')
}
