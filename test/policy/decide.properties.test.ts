// Whatever is presented: `verified` is never said if an independent reading of the claims does not bear it
// out.

import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/codec/json.ts'
import type { CredentialReason } from '../../src/formats/verification/format.ts'
import type { VerifiedPresentation } from '../../src/openid4vp/response/verify-response.ts'
import { decide } from '../../src/policy/decide.ts'
import { ASSURANCE_LEVELS } from '../../src/trust/anchors/anchor.ts'
import { generator, NOW, policyOf, presented, type TestPolicy } from './fixtures.ts'

const ROUNDS = 5_000
// Weighted towards good answers: with everything wrong at once no property is put to the test.
const CLAIMS: readonly Json[] = [true, true, true, true, false, 'true', 1, null, [true], { 18: true }]
const BIRTHDATES: readonly Json[] = [
  '1978-04-10',
  '2008-06-15',
  '2008-06-16',
  '2008-02-30',
  '0000-01-01',
  '1978',
  19780410,
  null,
]
const FINDINGS: readonly CredentialReason[] = [
  'credential_expired',
  'credential_not_yet_valid',
  'credential_revoked',
  'credential_suspended',
]

describe.each([11, 12, 13])('random decisions with the seed %i', (seed) => {
  const random = generator(seed)
  const cases = Array.from({ length: ROUNDS }, () => {
    const policy = generatePolicy(random)
    const presentations = generateResponse(policy, random)
    return { policy, presentations, decision: decide({ policy, presentations, now: NOW }) }
  })
  const verified = cases.filter(({ decision }) => decision.status === 'verified')

  test('are often verified and often rejected', () => {
    expect(verified.length).toBeGreaterThan(ROUNDS / 50)
    expect(ROUNDS - verified.length).toBeGreaterThan(ROUNDS / 50)
  })

  test('are verified only if every check is true and there is no reason', () => {
    for (const { policy, decision } of verified) {
      expect(decision.reason).toBeNull()
      expect(Object.keys(decision.checks)).toEqual(policy.scope)
      expect(Object.values(decision.checks).every((check) => check === true)).toBe(true)
      const wanted = ASSURANCE_LEVELS.indexOf(policy.required_assurance_level)
      expect(ASSURANCE_LEVELS.indexOf(decision.assurance_level)).toBeGreaterThanOrEqual(wanted)
    }
  })

  test('are verified only if each credential is valid and proves every requested age, by the age claim or the birthdate', () => {
    for (const { policy, presentations, decision } of verified) {
      expect(decision.credentials.length).toBe(
        policy.credential_match === 'all' ? policy.credential_types.length : 1,
      )
      for (const { id } of decision.credentials) {
        const credential = presentations.find(({ queryId }) => queryId === id)?.credential
        expect(credential?.reasons).toEqual([])
        for (const age of asksAges(policy, id))
          expect(bearsOut(credential?.claims, age, policy.allow_derived)).toBe(true)
      }
    }
  })

  test('have a reason and no claims if they are rejected', () => {
    for (const { decision } of cases) {
      expect(decision.status === 'rejected').toBe(decision.reason !== null)
      if (decision.status === 'rejected') expect(decision.claims).toEqual([])
    }
  })

  test('return only requested claims', () => {
    for (const { policy, decision } of cases) {
      for (const { claims } of decision.claims) {
        for (const scope of Object.keys(claims)) expect(policy.scope).toContain(scope)
        expect(JSON.stringify(claims)).not.toContain('canary')
        if (!policy.scope.includes('birthdate'))
          expect(JSON.stringify(claims)).not.toMatch(/\d{4}-\d{2}-\d{2}/)
      }
    }
  })

  test('never have a higher assurance level than the anchor of any of their credentials', () => {
    for (const { presentations, decision } of cases) {
      for (const { id } of decision.credentials) {
        const anchor =
          presentations.find(({ queryId }) => queryId === id)?.credential.anchor.assurance_level ?? 'low'
        expect(ASSURANCE_LEVELS.indexOf(decision.assurance_level)).toBeLessThanOrEqual(
          ASSURANCE_LEVELS.indexOf(anchor),
        )
      }
    }
  })

  test('do not depend on the order of the presentations, except for the order of the credentials', () => {
    for (const { policy, presentations, decision } of cases) {
      const reversed = decide({ policy, presentations: presentations.toReversed(), now: NOW })
      expect(reversed).toEqual({
        ...decision,
        credentials: reversed.credentials,
        claims: reversed.claims,
        derivation: reversed.derivation,
      })
      expect(reversed.credentials.map(({ id }) => id).sort()).toEqual(
        decision.credentials.map(({ id }) => id).sort(),
      )
    }
  })
})

function generatePolicy(random: ReturnType<typeof generator>): TestPolicy {
  const types = random.pick([
    ['pid'],
    ['age_attestation'],
    ['age_attestation', 'pid'],
    ['pid', 'age_attestation'],
  ])
  const match = random.pick(['any', 'all'] as const)
  const ages = random.pick([['age_over_18'], ['age_over_18', 'age_over_16']])
  const names =
    types.includes('pid') && match === 'all' ? random.pick([[], ['family_name'], ['birthdate']]) : []
  return policyOf({
    credential_types: types,
    scope: [...ages, ...names],
    credential_match: match,
    allow_derived: random.below(2) === 0,
    required_assurance_level: random.pick(['low', 'low', 'substantial', 'high']),
  })
}

/** An answer to some of the queries: mostly to all, mostly good. */
function generateResponse(
  { query }: TestPolicy,
  random: ReturnType<typeof generator>,
): readonly VerifiedPresentation[] {
  const answered = query.credentials.filter(() => random.below(8) > 0)
  return answered.map(({ id }) =>
    presented(id, generateClaims(id, random), {
      reasons: random.below(6) === 0 ? [random.pick(FINDINGS)] : [],
      anchor: { name: 'Authority', assurance_level: random.pick(['low', 'substantial', 'high', 'high']) },
      holderBound: random.below(8) > 0,
    }),
  )
}

function generateClaims(type: string, random: ReturnType<typeof generator>): JsonObject {
  const claims = new Map<string, Json>([['secret', 'canary']])
  const ages = ['16', '18']
    .filter(() => random.below(3) > 0)
    .map((age) => [age, random.pick(CLAIMS)] as const)
  if (type === 'age_attestation') for (const [age, claim] of ages) claims.set(`age_over_${age}`, claim)
  else if (ages.length > 0) claims.set('age_equal_or_over', Object.fromEntries(ages))
  if (random.below(3) > 0) claims.set('birthdate', random.pick(BIRTHDATES))
  if (random.below(4) > 0) claims.set('family_name', random.pick<Json>(['Holmgren', 'Holmgren', '', null, 7]))
  return Object.fromEntries(claims)
}

function asksAges(
  policy: TestPolicy,
  id: string,
): readonly { readonly type: string; readonly age: string }[] {
  return policy.scope
    .filter((scope) => scope.startsWith('age_over_'))
    .map((scope) => ({ type: id, age: scope.slice(-2) }))
}

/**
 * Computed by hand, without our path or age code: this literal `true`, or one of two old enough birthdates.
 */
function bearsOut(
  claims: JsonObject | undefined,
  { type, age }: { type: string; age: string },
  derive: boolean,
): boolean {
  const ages = claims?.age_equal_or_over as JsonObject | undefined
  const claim = type === 'pid' ? ages?.[age] : claims?.[`age_over_${age}`]
  if (claim !== undefined) return claim === true
  const enough = age === '18' ? ['1978-04-10', '2008-06-15'] : ['1978-04-10', '2008-06-15', '2008-06-16']
  return derive && type === 'pid' && enough.includes(String(claims?.birthdate))
}
