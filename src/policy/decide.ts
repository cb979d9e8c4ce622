// Whether an authentic answer satisfies the policy (CONTRACT 4). Its integrity, trust, holder binding and fit to the query have
// been verified before; here validity, assurance level and values are judged, by our own rules alone.

import type { Json } from '../codec/json.ts'
import type { VerifiedCredential } from '../formats/format.ts'
import type { VerifiedPresentation } from '../openid4vp/response/verify-response.ts'
import type { AssuranceLevel } from '../trust/anchors/anchor.ts'
import { type DerivedLevel, deriveLevel, lowestLevel, reachesLevel } from './assurance.ts'
import type { Decision, Policy, PolicyDescriptor, PolicyReason } from './policy.ts'
import { readScope } from './read-scope.ts'

type RequiredPolicy = Policy & { readonly required_assurance_level: AssuranceLevel }

/** What is decided, and when: `now` in Unix seconds, the time at which the answer arrived. */
export type DecisionInput = {
  readonly policy: RequiredPolicy
  readonly presentations: readonly VerifiedPresentation[]
  readonly now: number
}

/** Decides. Presentations that answer no query of the policy, or with a credential of another type, count for nothing. */
export function decide({ policy, presentations, now }: DecisionInput): Decision {
  const judged = presentations.flatMap((presentation) => {
    const descriptor = policy.descriptors.find(
      ({ query_id, credential_type }) =>
        query_id === presentation.queryId && credential_type === presentation.credential.credentialType,
    )
    return descriptor === undefined ? [] : [judge(presentation, descriptor, policy, now)]
  })
  const chosen = choose(policy, judged)
  const used = chosen.length > 0 ? chosen : judged
  const checks = new Map(scopesOf(policy).map((scope) => [scope, isProven(scope, used)]))
  const proven = chosen.length > 0 && policy.scope.every((scope) => checks.get(scope))
  const reason = firstReason(used.flatMap((one) => one.reason ?? [])) ?? (proven ? null : 'predicate_false')
  const { level, derivation } = lowestLevel(used.map((one) => one.level))
  return {
    status: reason === null ? 'verified' : 'rejected',
    reason,
    checks: Object.fromEntries(checks),
    holder_bound: used.every(({ credential }) => credential.holderBound),
    assurance_level: level,
    credentials: used.map(toDecidedCredential),
    claims: reason === null ? used.map(({ id, claims }) => ({ id, claims: Object.fromEntries(claims) })) : [],
    derivation,
  }
}

/**
 * Reasons, the one that is given first. What ended the credential comes before what it is worth, and that before what it
 * says: the values of a credential that does not hold mean nothing.
 */
const PRECEDENCE: readonly PolicyReason[] = [
  'credential_revoked',
  'credential_suspended',
  'credential_expired',
  'credential_not_yet_valid',
  'assurance_level_too_low',
  'value_mismatch',
  'predicate_false',
]

function firstReason(reasons: readonly PolicyReason[]): PolicyReason | null {
  return PRECEDENCE.find((candidate) => reasons.includes(candidate)) ?? null
}

/** One presented credential, seen through its query's descriptor. */
type Judged = {
  readonly id: string
  readonly credential: VerifiedCredential
  readonly checks: ReadonlyMap<string, boolean>
  readonly claims: ReadonlyMap<string, Json>
  readonly level: DerivedLevel
  readonly reason: PolicyReason | null
}

function judge(
  { credential, valueMismatches }: VerifiedPresentation,
  { query_id, scopes, claim_sets }: PolicyDescriptor,
  policy: RequiredPolicy,
  now: number,
): Judged {
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
  const level = deriveLevel(query_id, credential)
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
    reason: firstReason(reasons.filter((reason) => reason !== false)),
  }
}

/**
 * The credentials to rest on: of each credential set the first option that satisfies the policy, else the first that is
 * answered (OpenID4VP 1.0 §6.4.2); of several credentials for one query those that satisfy, else all. None where a required
 * set is not answered at all. An optional set is used only where it satisfies.
 */
function choose({ query }: Policy, judged: readonly Judged[]): readonly Judged[] {
  const sets =
    query.credential_sets ?? query.credentials.map(({ id }) => ({ options: [[id]], required: true }))
  const answers = new Map(
    query.credentials.map(({ id }) => [id, bestOf(judged.filter((one) => one.id === id))]),
  )
  const satisfies = (id: string) => answers.get(id)?.some(({ reason }) => reason === null)
  const chosen = new Set<string>()
  for (const { options, required } of sets) {
    const answered = options.filter((option) => option.every((id) => answers.get(id)?.length))
    const satisfying = answered.find((option) => option.every(satisfies))
    const option = satisfying ?? (required === false ? [] : answered[0])
    if (option === undefined) return []
    for (const id of option) chosen.add(id)
  }
  return judged.filter((one) => chosen.has(one.id) && answers.get(one.id)?.includes(one))
}

/** Whoever presents one that does not satisfy beside others could have left it out. */
function bestOf(answers: readonly Judged[]): readonly Judged[] {
  const satisfying = answers.filter(({ reason }) => reason === null)
  return satisfying.length > 0 ? satisfying : answers
}

/** What is answered for in `checks`: the scopes asked by name, or those of the caller's queries. */
function scopesOf({ scope, descriptors }: Policy): readonly string[] {
  return [...scope, ...descriptors.flatMap(({ scopes }) => scopes.map((entry) => entry.scope))]
}

/** A scope is proven when every credential it was asked of proves it, and it was asked of at least one. */
function isProven(scope: string, used: readonly Judged[]): boolean {
  const asked = used.filter(({ checks }) => checks.has(scope))
  return asked.length > 0 && asked.every(({ checks }) => checks.get(scope) === true)
}

function toDecidedCredential({ id, credential, level, checks }: Judged): Decision['credentials'][number] {
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
