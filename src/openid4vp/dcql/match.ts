// Does a verified credential answer its credential query, and does the whole answer satisfy the query (OpenID4VP 1.0
// §6, §8.6)? Nothing the wallet was asked to filter is taken for granted (§14.9).

import type { CredentialFormat, VerifiedCredential } from '../../formats/format.ts'
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

/** A credential that answers its query. */
export type Match = {
  /** Claims that are there with a value outside `values`. The policy judges them: wallets need not filter (§6.4.1). */
  readonly valueMismatches: readonly ClaimsPath[]
}

/** Matches a verified credential with the query it was presented for; `undefined` where it is no answer to it. */
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
 * Tells whether queries with these ids, each with a valid presentation, satisfy the whole query (§6.4.2). What completes
 * no credential set is no answer, even where every one of them is optional.
 */
export function isSatisfied(query: DcqlQuery, answered: ReadonlySet<string>): boolean {
  const { credentials, credential_sets: sets } = query
  if (sets === undefined) return credentials.every(({ id }) => answered.has(id))
  const isComplete = ({ options }: CredentialSetQuery) =>
    options.some((option) => option.every((id) => answered.has(id)))
  return sets.some(isComplete) && sets.every((set) => set.required === false || isComplete(set))
}

/**
 * §6.1.1: one of the authorities is enough. A hint to the wallet, checked because it was asked for: trust is the anchors'
 * affair. A list vouched where the anchor came from it (§6.1.1.2); what could not be checked is not satisfied.
 */
function isAuthorityOf({ authorityKeyIdentifiers, anchor }: VerifiedCredential) {
  return ({ type, values }: TrustedAuthority) => {
    if (type === 'aki') return values.some((value) => authorityKeyIdentifiers.includes(value))
    return type === 'etsi_tl' && values.some((value) => value === anchor.listUrl)
  }
}

/** §6.3: type and value match exactly. A path that selects several elements needs one of them. */
export function hasOneOf(selected: Selection, values: readonly ClaimValue[]): boolean {
  return selected.some((element) => values.some((value) => value === element))
}

function matchClaims(query: CredentialQuery, credential: VerifiedCredential): Match | undefined {
  const select = query.format === 'mso_mdoc' ? selectDataElement : selectClaims
  const matches = alternatives(query).map((claims) =>
    claims === undefined ? undefined : matchAll(claims, (path) => select(credential.claims, path)),
  )
  const present = matches.filter((match) => match !== undefined)
  // §6.4.1: the wallet chooses among the sets it can satisfy, so any complete one counts, one with fitting values first.
  return present.find(({ valueMismatches }) => valueMismatches.length === 0) ?? present[0]
}

/** The combinations of claims that answer the query; `undefined` for a set that names an unknown claim. */
function alternatives(query: CredentialQuery): readonly (readonly ClaimsQuery[] | undefined)[] {
  const claims = query.claims ?? []
  if (query.claim_sets === undefined) return [claims]
  return query.claim_sets.map((set) => {
    const named = claims.filter(({ id }) => id !== undefined && set.includes(id))
    return new Set(set).size === named.length ? named : undefined
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
