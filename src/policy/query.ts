// Builds the DCQL query of a policy (OpenID4VP 1.0 §6), and the list of types from which a presentation
// definition is built.

import { uniqueJson } from '../codec/json.ts'
import type { CredentialFormat } from '../formats/verification/format.ts'
import type { ClaimsPath, ClaimsQuery, CredentialQuery, DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { RequestedType } from '../openid4vp/presentation-exchange/presentation-definition.ts'
import type { Policy, PolicyDescriptor, ScopePath } from './policy.ts'

/** Members of a credential format that query building uses. */
export type QueryFormat = Pick<
  CredentialFormat,
  'id' | 'requestedByName' | 'typesPerMeta' | 'buildMeta' | 'claimsParameters'
>

/**
 * One credential that may be presented: its type, its format and the requested scopes. Each alternative
 * becomes one credential query.
 */
export type Alternative = {
  readonly type: string
  readonly format: QueryFormat
  /** Type identifiers that the `meta` of the credential query requests. */
  readonly identifiers: readonly string[]
  readonly scopes: readonly ScopePath[]
}

/**
 * Builds the query for groups of alternatives. The wallet must present one alternative of each group. The
 * descriptors have the same order as the credential queries. If every group has one alternative, the query
 * has no `credential_sets`. Then every credential is required (§6.4.2), and wallets without support for sets
 * can respond too (api/creation).
 */
export function buildQuery(
  groups: readonly (readonly Alternative[])[],
  intentToRetain = false,
): {
  readonly query: DcqlQuery
  readonly descriptors: readonly PolicyDescriptor[]
} {
  const alternatives = groups.flat()
  const ids = queryIds(alternatives)
  const idOf = (alternative: Alternative) => ids[alternatives.indexOf(alternative)] ?? ''
  const credentials = alternatives.map((alternative) =>
    buildCredentialQuery(idOf(alternative), alternative, intentToRetain),
  )
  const sets = groups.map((group) => ({ options: group.map((alternative) => [idOf(alternative)]) }))
  return {
    query: sets.every(({ options }) => options.length === 1)
      ? { credentials }
      : { credentials, credential_sets: sets },
    descriptors: alternatives.map((alternative) => ({
      query_id: idOf(alternative),
      credential_type: alternative.type,
      scopes: alternative.scopes,
    })),
  }
}

/**
 * Returns the requested types with the paths of each scope, for `buildPresentationDefinition`. Returns an
 * empty list for a caller's own query.
 */
export function requestedTypes(policy: Policy): readonly RequestedType[] {
  if (policy.scope.length === 0) return [] // a caller's own query
  const names = new Set(policy.descriptors.map(({ credential_type }) => credential_type))
  return [...names].map((name) => {
    const descriptors = policy.descriptors.filter((descriptor) => descriptor.credential_type === name)
    const scopes = descriptors.flatMap((descriptor) => descriptor.scopes)
    const claims = [...new Set(scopes.map(({ scope }) => scope))].map((scope) => ({
      scope,
      paths: uniqueJson(scopes.filter((entry) => entry.scope === scope).map(({ path }) => path)),
    }))
    return { name, claims }
  })
}

/**
 * Returns a unique id for each alternative, of the characters `[A-Za-z0-9_-]` (§6.1). The id is `<type>`, or
 * `<type>-<format>` if several alternatives have the type. A number is added if the id is taken.
 */
function queryIds(alternatives: readonly Alternative[]): readonly string[] {
  const ids: string[] = []
  for (const { type, format } of alternatives) {
    const single = alternatives.filter((other) => other.type === type).length === 1
    const name = (single ? type : `${type}-${format.id}`).replace(/[^A-Za-z0-9_-]/g, '_') || '_'
    let id = name
    for (let n = 2; ids.includes(id); n++) id = `${name}-${n}`
    ids.push(id)
  }
  return ids
}

function buildCredentialQuery(
  id: string,
  { format, identifiers, scopes }: Alternative,
  intentToRetain: boolean,
): CredentialQuery {
  const query = { id, format: format.id, meta: format.buildMeta(identifiers) }
  const { claimsParameters } = format
  const isStated = intentToRetain && 'intent_to_retain' in claimsParameters
  return { ...query, ...buildClaims(scopes, isStated ? { intent_to_retain: true } : claimsParameters) }
}

/**
 * Builds the requested claims. `values` is never set. A wallet that filters by `values` leaves out a claim
 * with another value, and the missing claim reveals this. Verifiers must not rely on this filter (§6.4.1). If
 * an age may be computed from the birthdate, there are two claim sets in order of preference (§6.4.1). The
 * first set has the age claims, which reveal less. The second set has the birthdate instead.
 */
function buildClaims(
  scopes: readonly ScopePath[],
  parameters: QueryFormat['claimsParameters'],
): Pick<CredentialQuery, 'claims' | 'claim_sets'> {
  // §6.3: two entries of `claims` must not have the same path.
  const paths = uniqueJson(scopes.map(({ path }) => path))
  const derived = uniqueJson(scopes.map((scope) => scope.derived?.path ?? scope.path))
  if (derived.every((path) => includesPath(paths, path)) && derived.length === paths.length) {
    return { claims: paths.map((path) => ({ path, ...parameters })) }
  }
  const claims: readonly (ClaimsQuery & { readonly id: string })[] = uniqueJson([...paths, ...derived]).map(
    (path, index) => ({ id: `c${index + 1}`, path, ...parameters }),
  )
  const idsOf = (set: readonly ClaimsPath[]) =>
    claims.filter(({ path }) => includesPath(set, path)).map(({ id }) => id)
  return { claims, claim_sets: [idsOf(paths), idsOf(derived)] }
}

function includesPath(paths: readonly ClaimsPath[], path: ClaimsPath): boolean {
  return paths.some((other) => JSON.stringify(other) === JSON.stringify(path))
}
