// The claims and credentials that a policy requests, as pages and events present them to people.

import { uniqueJson } from '../codec/json.ts'
import type { ClaimsQuery, CredentialSetQuery } from '../openid4vp/dcql/query.ts'
import type { Policy } from './policy.ts'

/** Requested claims and the combinations of credentials that carry them. */
export type RequestedClaims = {
  /** The requested items, each once, in the order of the request. */
  readonly items: readonly RequestedItem[]
  /** Groups of alternatives. The wallet must present one alternative of each group that is not optional. */
  readonly groups: readonly RequestedGroup[]
}

/**
 * A requested claim, or a requested credential if the query names none of its claims. The name of a claim is
 * its scope, or its path if no scope has that path.
 */
type RequestedItem = {
  readonly kind: 'claim' | 'credential'
  readonly name: string
  readonly optional: boolean
  /** True if the verifier intends to store the item (OpenID4VP 1.0 B.2.4). */
  readonly retained?: true
}

/**
 * Alternatives of one group. An alternative is a combination of credentials. For each credential, the
 * alternative lists the types that the credential may have.
 */
export type RequestedGroup = {
  readonly alternatives: readonly (readonly (readonly string[])[])[]
  readonly optional: boolean
}

/** Derives the requested claims from the query and its descriptors. */
export function requestedClaims({
  scope: order,
  query,
  descriptors,
}: Pick<Policy, 'scope' | 'query' | 'descriptors'>): RequestedClaims {
  const sets: readonly CredentialSetQuery[] = query.credential_sets ?? [
    { options: [query.credentials.map(({ id }) => id)] },
  ]
  const needed = new Set(sets.filter(isRequired).flatMap(({ options }) => options.flat()))
  const items = descriptors.flatMap(({ query_id, credential_type, scopes }): readonly RequestedItem[] => {
    const optional = !needed.has(query_id)
    if (scopes.length === 0) return [{ kind: 'credential', name: credential_type, optional }]
    const { claims = [] } = query.credentials.find(({ id }) => id === query_id) ?? {}
    const stored = new Set(claims.filter(isRetained).map(({ path }) => JSON.stringify(path)))
    return scopes.map(({ scope, display_name, path }) => ({
      kind: 'claim',
      name: display_name ?? scope,
      optional,
      ...(stored.has(JSON.stringify(path)) && { retained: true }),
    }))
  })
  const typesOf = (id: string) =>
    uniqueJson(descriptors.filter(({ query_id }) => query_id === id).map((one) => one.credential_type))
  const groups = sets.map((set) => ({
    alternatives: uniqueJson(set.options.map((option) => option.map(typesOf))),
    optional: !isRequired(set),
  }))
  const place = ({ name }: RequestedItem) => (order.includes(name) ? order.indexOf(name) : order.length)
  return {
    items: onceEach(items).toSorted((a, b) => place(a) - place(b)),
    groups: joinCertain(groups),
  }
}

function isRetained({ intent_to_retain }: ClaimsQuery): boolean {
  return intent_to_retain === true
}

function isRequired({ required }: CredentialSetQuery): boolean {
  return required !== false
}

/**
 * Merges items of the same kind and name. The merged item is optional if all of them are optional, and
 * retained if one of them is retained.
 */
function onceEach(items: readonly RequestedItem[]): readonly RequestedItem[] {
  const isSame = (a: RequestedItem) => (b: RequestedItem) => a.kind === b.kind && a.name === b.name
  return items
    .filter((item, i) => items.findIndex(isSame(item)) === i)
    .map((item) => ({
      ...item,
      optional: items.filter(isSame(item)).every(({ optional }) => optional),
      ...(items.some((other) => isSame(item)(other) && other.retained) && { retained: true }),
    }))
}

/** Merges all required groups that have only one alternative into one group. */
function joinCertain(groups: readonly RequestedGroup[]): readonly RequestedGroup[] {
  const isCertain = ({ alternatives, optional }: RequestedGroup) => !optional && alternatives.length === 1
  const certain = groups.filter(isCertain).flatMap(({ alternatives }) => alternatives.flat())
  const others = groups.filter((group) => !isCertain(group))
  return certain.length === 0 ? others : [{ alternatives: [certain], optional: false }, ...others]
}
