// Matches a verified credential with its credential query, and the whole response with the query (OpenID4VP
// 1.0 §6, §8.6). Every condition is checked again here, because wallets may ignore a condition (§14.9).

import type { CredentialFormat, VerifiedCredential } from '../../formats/verification/format.ts'
import { selectClaims, selectDataElement } from './claims-path.ts'
import type {
  ClaimsPath,
  ClaimsQuery,
  ClaimValue,
  CredentialQuery,
  CredentialSetQuery,
  DcqlQuery,
  Selection,
  TrustedAuthority,
} from './query.ts'

/** Result for a credential that satisfies its query. */
export type Match = {
  /**
   * Claims with a value outside `values`. The policy decides if they are accepted, because wallets need not
   * filter by value (§6.4.1).
   */
  readonly valueMismatches: readonly ClaimsPath[]
}

/**
 * Matches a verified credential with its query. Returns `undefined` if the credential does not satisfy the
 * query.
 */
export function matchCredential(
  query: CredentialQuery,
  credential: VerifiedCredential,
  format: Pick<CredentialFormat, 'metaTypes'>,
): Match | undefined {
  if (credential.format !== query.format) return undefined
  if (!format.metaTypes(query.meta)?.includes(credential.typeIdentifier)) return undefined
  if (query.require_cryptographic_holder_binding !== false && !credential.holderBound) return undefined
  if (query.trusted_authorities !== undefined && !query.trusted_authorities.some(isAuthorityOf(credential))) {
    return undefined
  }
  return matchClaims(query, credential)
}

/**
 * Returns true if valid presentations for these credential query ids satisfy the whole query (§6.4.2). At
 * least one credential set must be complete, even if all sets are optional.
 */
export function isSatisfied(query: DcqlQuery, presented: ReadonlySet<string>): boolean {
  const { credentials, credential_sets: sets } = query
  if (sets === undefined) return credentials.every(({ id }) => presented.has(id))
  const isComplete = ({ options }: CredentialSetQuery) =>
    options.some((option) => option.every((id) => presented.has(id)))
  return sets.some(isComplete) && sets.every((set) => set.required === false || isComplete(set))
}

/**
 * Returns a function that tests if the credential matches a trusted authorities query (§6.1.1). One matching
 * value is enough. The test does not establish trust, which comes from the anchors. A trusted list
 * (`etsi_tl`) matches if the anchor comes from that list (§6.1.1.2). Other authority types do not match.
 */
function isAuthorityOf({ authorityKeyIdentifiers, anchor }: VerifiedCredential) {
  return ({ type, values }: TrustedAuthority) => {
    if (type === 'aki') return values.some((value) => authorityKeyIdentifiers.includes(value))
    return type === 'etsi_tl' && values.some((value) => anchor.listUrls?.includes(value))
  }
}

/** Returns true if a selected element equals one of the values, in type and value (§6.3). */
export function hasOneOf(selected: Selection, values: readonly ClaimValue[]): boolean {
  return selected.some((element) => values.some((value) => value === element))
}

function matchClaims(query: CredentialQuery, credential: VerifiedCredential): Match | undefined {
  const select = query.format === 'mso_mdoc' ? selectDataElement : selectClaims
  const matches = alternatives(query).map((claims) =>
    claims === undefined ? undefined : matchAll(claims, (path) => select(credential.claims, path)),
  )
  const present = matches.filter((match) => match !== undefined)
  // §6.4.1: the wallet chooses a set, so any complete set is accepted. A set with matching values is
  // preferred.
  return present.find(({ valueMismatches }) => valueMismatches.length === 0) ?? present[0]
}

/**
 * Returns the alternative sets of claims. One complete set satisfies the query. A set that names an unknown
 * claim is `undefined`.
 */
function alternatives(query: CredentialQuery): readonly (readonly ClaimsQuery[] | undefined)[] {
  const claims = query.claims ?? []
  if (query.claim_sets === undefined) return [claims]
  return query.claim_sets.map((set) => {
    const setClaims = claims.filter(({ id }) => id !== undefined && set.includes(id))
    return new Set(set).size === setClaims.length ? setClaims : undefined
  })
}

function matchAll(
  claims: readonly ClaimsQuery[],
  select: (path: ClaimsPath) => Selection | undefined,
): Match | undefined {
  const valueMismatches: ClaimsPath[] = []
  for (const { path, values } of claims) {
    const selected = select(path)
    if (selected === undefined) return undefined
    if (values !== undefined && !hasOneOf(selected, values)) valueMismatches.push(path)
  }
  return { valueMismatches }
}
