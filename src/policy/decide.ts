// Decides if an authentic response satisfies the policy (api/result). Integrity, trust, holder binding and
// the match with the query are verified earlier. The rules here concern validity and revocation, assurance
// level, equal holder keys, and values.

import type { Json } from '../codec/json.ts'
import type { VerifiedCredential } from '../formats/verification/format.ts'
import type { VerifiedPresentation } from '../openid4vp/response/verify-response.ts'
import type { AssuranceLevel } from '../trust/anchors/anchor.ts'
import { type DerivedLevel, deriveLevel, lowestLevel, reachesLevel } from './assurance.ts'
import type { Decision, Policy, PolicyDescriptor, PolicyReason } from './policy.ts'
import { readScope } from './read-scope.ts'

/** A policy, and the members of the request that restrict the decision. */
export type RequiredPolicy = Policy & {
  readonly required_assurance_level: AssuranceLevel
  /** True if every credential used must be bound to the same key. */
  readonly require_same_holder_key?: boolean
}

/** Input of a decision. `now`: Unix seconds at which the response arrived. */
type DecisionInput = {
  readonly policy: RequiredPolicy
  readonly presentations: readonly VerifiedPresentation[]
  readonly now: number
  /** True for a response to an unsigned request that any person may have answered. */
  readonly isUnbound?: boolean | undefined
}

/**
 * Decides on the presentations of a response. Ignores presentations that match no query, and credentials of a
 * type that was not requested.
 */
export function decide({ policy, presentations, now, isUnbound }: DecisionInput): Decision {
  const checked = presentations.flatMap((presentation) => {
    const descriptor = policy.descriptors.find(
      ({ query_id, credential_type }) =>
        query_id === presentation.queryId && credential_type === presentation.credential.credentialType,
    )
    return descriptor === undefined
      ? []
      : [checkCredential(presentation, descriptor, policy, { now, isUnbound })]
  })
  const chosen = choose(policy, checked)
  const used = chosen.length > 0 ? chosen : checked
  const checks = new Map(listScopes(policy).map((scope) => [scope, isProven(scope, used)]))
  const proven = chosen.length > 0 && policy.scope.every((scope) => checks.get(scope))
  const same_holder_key = isHeldByOneKey(used)
  const reasons: readonly (PolicyReason | false)[] = [
    ...used.map((one) => one.reason ?? false),
    policy.require_same_holder_key === true && same_holder_key !== true && 'holder_key_mismatch',
    !proven && 'predicate_false',
  ]
  const reason = firstReason(reasons)
  const { level, derivation } = lowestLevel(used.map((one) => one.level))
  return {
    status: reason === null ? 'verified' : 'rejected',
    reason,
    checks: Object.fromEntries(checks),
    holder_bound: used.every(({ credential }) => credential.holderBound),
    same_holder_key,
    assurance_level: level,
    credentials: used.map(toDecidedCredential),
    claims: reason === null ? used.map(({ id, claims }) => ({ id, claims: Object.fromEntries(claims) })) : [],
    subjectNamespaces: used.map(({ credential }) => credential.subjectNamespace),
    derivation,
  }
}

/**
 * Reasons in order of precedence. The decision reports the first reason that applies. The validity of a
 * credential comes before its values, because the values of an invalid credential have no meaning.
 */
const PRECEDENCE: readonly PolicyReason[] = [
  'credential_revoked',
  'credential_suspended',
  'credential_expired',
  'credential_not_yet_valid',
  'assurance_level_too_low',
  'holder_key_mismatch',
  'value_mismatch',
  'predicate_false',
]

function firstReason(reasons: readonly (PolicyReason | false)[]): PolicyReason | null {
  return PRECEDENCE.find((candidate) => reasons.includes(candidate)) ?? null
}

/** One presented credential, checked with the descriptor of its query. */
type CheckedCredential = {
  readonly id: string
  readonly credential: VerifiedCredential
  readonly checks: ReadonlyMap<string, boolean>
  readonly claims: ReadonlyMap<string, Json>
  readonly level: DerivedLevel
  readonly reason: PolicyReason | null
}

function checkCredential(
  { credential, valueMismatches }: VerifiedPresentation,
  { query_id, scopes, claim_sets }: PolicyDescriptor,
  policy: RequiredPolicy,
  { now, isUnbound }: Pick<DecisionInput, 'now' | 'isUnbound'>,
): CheckedCredential {
  const holds = credential.reasons.length === 0
  const mismatched = new Set(valueMismatches.map((path) => JSON.stringify(path)))
  const readings = scopes.map((scope) => {
    const { proven, value } = readScope(credential.claims, scope, now)
    return {
      scope: scope.scope,
      value,
      proven: holds && proven && !mismatched.has(JSON.stringify(scope.path)),
    }
  })
  const checks = new Map(readings.map(({ scope, proven }) => [scope, proven]))
  const sets = claim_sets ?? [scopes.map(({ scope }) => scope)]
  const enough = sets.find((set) => set.every((scope) => checks.get(scope)))
  const level = deriveLevel(query_id, credential, isUnbound)
  const reasons: readonly (PolicyReason | false)[] = [
    ...credential.reasons,
    !reachesLevel(level.level, policy.required_assurance_level) && 'assurance_level_too_low',
    mismatched.size > 0 && 'value_mismatch',
    enough === undefined && 'predicate_false',
  ]
  return {
    id: query_id,
    credential,
    checks,
    claims: new Map(
      readings.filter(({ scope }) => enough?.includes(scope)).map(({ scope, value }) => [scope, value]),
    ),
    level,
    reason: firstReason(reasons),
  }
}

/**
 * Chooses the credentials that the decision uses (OpenID4VP 1.0 §6.4.2). From each credential set, uses the
 * first option that satisfies the policy. If no option does, uses the first presented option of a required
 * set, but no option of an optional set. If a query has several credentials, uses the credentials that
 * satisfy the policy, or all if none does. Returns an empty list if a required set was not presented.
 */
function choose({ query }: Policy, checked: readonly CheckedCredential[]): readonly CheckedCredential[] {
  const sets =
    query.credential_sets ?? query.credentials.map(({ id }) => ({ options: [[id]], required: true }))
  const presented = new Map(
    query.credentials.map(({ id }) => [id, chooseBest(checked.filter((one) => one.id === id))]),
  )
  const satisfies = (id: string) => presented.get(id)?.some(({ reason }) => reason === null)
  const chosen = new Set<string>()
  for (const { options, required } of sets) {
    const complete = options.filter((option) => option.every((id) => presented.get(id)?.length))
    const satisfying = complete.find((option) => option.every(satisfies))
    const option = satisfying ?? (required === false ? [] : complete[0])
    if (option === undefined) return []
    for (const id of option) chosen.add(id)
  }
  return checked.filter((one) => chosen.has(one.id) && presented.get(one.id)?.includes(one))
}

/**
 * Returns the credentials that satisfy the policy, or all credentials if none does. A failing credential is
 * ignored beside a satisfying credential, because the wallet could have omitted the failing credential.
 */
function chooseBest(credentials: readonly CheckedCredential[]): readonly CheckedCredential[] {
  const satisfying = credentials.filter(({ reason }) => reason === null)
  return satisfying.length > 0 ? satisfying : credentials
}

/** Returns true if all credentials are bound to the same key; null if no credential has holder binding. */
function isHeldByOneKey(used: readonly CheckedCredential[]): boolean | null {
  const [key] = used.flatMap(({ credential }) => credential.holderKey ?? [])
  return key === undefined ? null : used.every(({ credential }) => credential.holderKey === key)
}

/** Returns the names in `checks`: the requested scopes, or the claims of a caller's own query. */
function listScopes({ scope, descriptors }: Policy): readonly string[] {
  return [...scope, ...descriptors.flatMap(({ scopes }) => scopes.map((entry) => entry.scope))]
}

/**
 * Returns true if the scope was requested from at least one used credential, and every such credential proves
 * the scope.
 */
function isProven(scope: string, used: readonly CheckedCredential[]): boolean {
  const requested = used.filter(({ checks }) => checks.has(scope))
  return requested.length > 0 && requested.every(({ checks }) => checks.get(scope) === true)
}

function toDecidedCredential({
  id,
  credential,
  level,
  checks,
}: CheckedCredential): Decision['credentials'][number] {
  return {
    id,
    credential_type: credential.credentialType,
    format: credential.format,
    issuer: credential.issuer,
    assurance_level: level.level,
    status: credential.status,
    ...(credential.confirmed === undefined ? {} : { transaction_data: credential.confirmed }),
    checks: Object.fromEntries(checks),
  }
}
