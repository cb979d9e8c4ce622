// Whether an authentic answer satisfies the policy (CONTRACT 4). Its integrity, trust, holder binding and fit to the query have
// been verified before; here validity, assurance level and values are judged, by our own rules alone.

import type { Json } from '../codec/json.ts'
import type { VerifiedCredential } from '../formats/format.ts'
import type { VerifiedPresentation } from '../openid4vp/verify-response.ts'
import { type DerivedLevel, deriveLevel, lowestLevel, reachesLevel } from './assurance.ts'
import type { Decision, Policy, PolicyDescriptor, PolicyReason } from './policy.ts'
import { readScope } from './read-scope.ts'

/** What is decided, and when: `now` in Unix seconds, the time at which the answer arrived. */
export type DecisionInput = {
  readonly policy: Policy
  readonly presentations: readonly VerifiedPresentation[]
  readonly now: number
}

/** Decides. Presentations that answer no query of the policy, or with a credential of another type, count for nothing. */
export function decide({ policy, presentations, now }: DecisionInput): Decision {
  const judged = presentations.flatMap((presentation) => {
    const descriptor = policy.descriptors.find(({ query_id }) => query_id === presentation.queryId)
    if (descriptor?.credential_type !== presentation.credential.credentialType) return []
    return [judge(presentation, descriptor, policy, now)]
  })
  const chosen = choose(policy, judged)
  const used = chosen ?? judged
  const checks = Object.fromEntries(policy.scope.map((scope) => [scope, isProven(scope, used)]))
  const proven = chosen !== undefined && used.length > 0 && Object.values(checks).every((check) => check)
  const reason = firstReason(used.flatMap((one) => one.reason ?? [])) ?? (proven ? null : 'predicate_false')
  const { level, derivation } = lowestLevel(used.map((one) => one.level))
  return {
    outcome: reason === null ? 'verified' : 'rejected',
    reason,
    checks,
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
  { query_id, scopes }: PolicyDescriptor,
  policy: Policy,
  now: number,
): Judged {
  const holds = credential.findings.length === 0
  const mismatched = new Set(valueMismatches.map((path) => JSON.stringify(path)))
  const readings = scopes.map((scope) => {
    const { proven, value } = readScope(credential.claims, scope, now)
    return {
      scope: scope.scope,
      value,
      proven: holds && proven && !mismatched.has(JSON.stringify(scope.path)),
    }
  })
  const level = deriveLevel(query_id, credential)
  const reasons: readonly (PolicyReason | false)[] = [
    ...credential.findings,
    !reachesLevel(level.level, policy.required_assurance_level) && 'assurance_level_too_low',
    mismatched.size > 0 && 'value_mismatch',
    !readings.every(({ proven }) => proven) && 'predicate_false',
  ]
  return {
    id: query_id,
    credential,
    checks: new Map(readings.map(({ scope, proven }) => [scope, proven])),
    claims: new Map(readings.map(({ scope, value }) => [scope, value])),
    level,
    reason: firstReason(reasons.filter((reason) => reason !== false)),
  }
}

/**
 * The credentials to rest on: of each credential set the first option that satisfies the policy, else the first that is
 * answered (OpenID4VP 1.0 §6.4.2). `undefined` where a required set is not answered at all; an optional one is used only
 * where it satisfies.
 */
function choose({ query }: Policy, judged: readonly Judged[]): readonly Judged[] | undefined {
  const sets =
    query.credential_sets ?? query.credentials.map(({ id }) => ({ options: [[id]], required: true }))
  const chosen = new Set<string>()
  for (const { options, required } of sets) {
    const answered = options.filter((option) => option.every((id) => judged.some((one) => one.id === id)))
    const satisfying = answered.find((option) =>
      judged.every(({ id, reason }) => reason === null || !option.includes(id)),
    )
    const option = satisfying ?? (required === false ? [] : answered[0])
    if (option === undefined) return undefined
    for (const id of option) chosen.add(id)
  }
  return judged.filter(({ id }) => chosen.has(id))
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
    checks: Object.fromEntries(checks),
  }
}
