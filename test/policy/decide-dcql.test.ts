// Decision on responses to a caller's own query (api/result): proof of a claim, and the returned claims.

import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/codec/json.ts'
import { mdoc } from '../../src/formats/mdoc/mdoc.ts'
import { sdJwtVc } from '../../src/formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { VerifiedCredential } from '../../src/formats/verification/format.ts'
import { matchCredential } from '../../src/openid4vp/dcql/match.ts'
import type { ClaimsQuery, CredentialQuery, DcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import { buildDcqlPolicy } from '../../src/policy/build-dcql-policy.ts'
import { typeDefinitions } from '../../src/policy/catalogue.ts'
import { decide } from '../../src/policy/decide.ts'
import { MEMBERSHIP, NOW, presented } from './fixtures.ts'

const CLUB = 'https://club.example/membership'
const AGE = 'urn:eu.europa.ec.av:1'

const query = (claims: readonly ClaimsQuery[], rest: Partial<CredentialQuery> = {}): CredentialQuery => ({
  id: 'q',
  format: 'dc+sd-jwt',
  meta: { vct_values: [CLUB, AGE] },
  claims,
  ...rest,
})

type CredentialInput = readonly [
  id: string,
  claims: JsonObject,
  changes?: Partial<VerifiedCredential> | undefined,
]

/** Decides on credentials of the club by default, each matched with its query as in a response. */
function decided(
  asked: DcqlQuery,
  inputs: readonly CredentialInput[],
  changes: Partial<Parameters<typeof decide>[0]['policy']> = {},
) {
  const catalogue = {
    definitions: typeDefinitions([MEMBERSHIP]),
    formats: [sdJwtVc, mdoc],
    hasTrustLists: false,
  }
  const built = buildDcqlPolicy(asked, catalogue)
  if (!built.ok) throw new Error(JSON.stringify(built.error))
  const presentations = inputs.map(([queryId, claims, changes]) => {
    const ours = { typeIdentifier: CLUB, credentialType: 'membership', ...changes }
    const { credential } = presented(queryId, claims, ours)
    const match = matchCredential(asked.credentials.find(({ id }) => id === queryId)!, credential, sdJwtVc)
    if (match === undefined) throw new Error('no answer to its query')
    return { queryId, credential, ...match }
  })
  const policy = { ...built.value, required_assurance_level: 'substantial', ...changes } as const
  return decide({ policy, presentations, now: NOW })
}

const one = (claim: ClaimsQuery, claims: JsonObject, changes?: Partial<VerifiedCredential>) =>
  decided({ credentials: [query([claim])] }, [['q', claims, changes]])

describe('a claim in a response to a DCQL query', () => {
  it.each<[claim: ClaimsQuery, value: Json, reason: string | null]>([
    [{ path: ['tier'] }, 'gold', null],
    [{ path: ['tier'] }, '', 'predicate_false'],
    [{ path: ['tier'] }, false, 'predicate_false'],
    [{ path: ['tier'] }, null, 'predicate_false'],
    [{ path: ['tier'], values: ['gold', 'silver'] }, 'silver', null],
    [{ path: ['tier'], values: ['gold'] }, 'Gold', 'value_mismatch'],
    [{ path: ['tier'], values: [1] }, '1', 'value_mismatch'],
    [{ path: ['tier'], values: [true] }, 1, 'value_mismatch'],
    [{ path: ['tier'], values: [false] }, false, null],
    // A claim that the catalogue knows as boolean is proven only by true, unless the caller states values.
    [{ path: ['active'] }, true, null],
    [{ path: ['active'] }, 'true', 'predicate_false'],
    [{ path: ['active'] }, 1, 'predicate_false'],
    [{ path: ['active'], values: ['true'] }, 'true', null],
  ])('a claim requested as %j with the value %j gives the reason %s', (claim, value, reason) => {
    const decision = one(claim, { [String(claim.path[0])]: value })
    expect([decision.reason, decision.status]).toEqual([reason, reason === null ? 'verified' : 'rejected'])
    expect(Object.values(decision.checks)).toEqual([reason === null])
  })

  it('must be boolean if the presented type declares it as boolean, even if other accepted types do not', () => {
    const attested = { typeIdentifier: AGE, credentialType: 'age_attestation' }
    expect(one({ path: ['active'] }, { active: 'yes' }, attested).status).toBe('verified')
    expect(one({ path: ['active'] }, { active: 'yes' }).reason).toBe('predicate_false')
  })

  it('must be a boolean if its name is an age, such as age_over_18, in any credential type', () => {
    expect(one({ path: ['age_over_18'] }, { age_over_18: 'false' }).reason).toBe('predicate_false')
    expect(one({ path: ['age_over_18'] }, { age_over_18: true }).status).toBe('verified')
  })

  it('a claim that is a list is proven by one matching element, and is returned as the whole list', () => {
    const claim = { path: ['badges', null, 'name'], values: ['swimmer'] }
    const decision = one(claim, { badges: [{ name: 'runner' }, { name: 'swimmer' }] })
    expect(decision.claims).toEqual([{ id: 'q', claims: { 'q.badges[*].name': ['runner', 'swimmer'] } }])
    expect(one(claim, { badges: [{ name: 'runner' }] }).reason).toBe('value_mismatch')
  })

  it('proves nothing in an expired credential', () => {
    const decision = one({ path: ['tier'] }, { tier: 'gold' }, { reasons: ['credential_expired'] })
    expect(decision).toMatchObject({ reason: 'credential_expired', checks: { 'q.tier': false }, claims: [] })
  })
})

describe('a response to a DCQL query', () => {
  it('is rejected if the definition of its credential type has changed since the request', () => {
    const decision = one({ path: ['tier'] }, { tier: 'gold' }, { credentialType: 'pid' })
    expect(decision).toMatchObject({ status: 'rejected', credentials: [], checks: { 'q.tier': false } })
  })

  it('a response to a DCQL query without requested claims proves possession of the credential, and returns no claims', () => {
    const { claims: _, ...bare } = query([])
    const decision = decided({ credentials: [bare] }, [['q', { tier: 'gold' }]])
    expect(decision).toMatchObject({ status: 'verified', checks: {}, claims: [{ id: 'q', claims: {} }] })
  })

  it('returns the first claim set that is proven, and no other claim', () => {
    const claims = [
      { id: 'a', path: ['active'] },
      { id: 't', path: ['tier'] },
      { id: 'n', path: ['member', 'number'] },
    ]
    const asked = { credentials: [query(claims, { claim_sets: [['a', 't'], ['n'], ['t']] })] }
    const decision = decided(asked, [['q', { active: false, tier: 'gold', member: { number: 7 } }]])
    expect(decision).toMatchObject({
      status: 'verified',
      checks: { 'q.active': false, 'q.tier': true, 'q.member.number': true },
    })
    expect(decision.claims).toEqual([{ id: 'q', claims: { 'q.member.number': 7 } }])
  })

  const tier = (id: string) => query([{ path: ['tier'], values: ['gold'] }], { id, multiple: true })

  it('a response to a DCQL query with several credentials uses only the credentials that satisfy the policy', () => {
    const inputs: CredentialInput[] = [
      ['a', { tier: 'iron' }],
      ['a', { tier: 'gold' }, { issuer: 'https://second.example' }],
      ['a', { tier: 'gold' }, { reasons: ['credential_revoked'] }],
      ['a', { tier: 'gold' }, { anchor: { name: 'Low', assurance_level: 'low' } }],
    ]
    const decision = decided({ credentials: [tier('a')] }, inputs)
    expect(decision).toMatchObject({
      status: 'verified',
      checks: { 'a.tier': true },
      assurance_level: 'high',
    })
    expect(decision.credentials.map(({ issuer }) => issuer)).toEqual(['https://second.example'])
  })

  it('is rejected with the reason of the highest precedence if no credential satisfies the policy', () => {
    const inputs: CredentialInput[] = [
      ['a', { tier: 'iron' }],
      ['a', { tier: 'gold' }, { reasons: ['credential_revoked'] }],
    ]
    const decision = decided({ credentials: [tier('a')] }, inputs)
    expect([decision.status, decision.reason, decision.credentials.length]).toEqual([
      'rejected',
      'credential_revoked',
      2,
    ])
  })

  const sets = {
    credentials: [tier('a'), tier('b'), tier('c')],
    credential_sets: [{ options: [['a', 'b'], ['c']] }, { options: [['b']], required: false }],
  }

  it('uses the first option whose credentials all satisfy the policy', () => {
    const inputs: CredentialInput[] = [
      ['a', { tier: 'gold' }],
      ['b', { tier: 'iron' }],
      ['c', { tier: 'gold' }],
    ]
    const decision = decided(sets, inputs)
    expect(decision.credentials.map(({ id }) => id)).toEqual(['c'])
    expect(decision.checks).toEqual({ 'a.tier': false, 'b.tier': false, 'c.tier': true })
  })

  it('is rejected for the reason of its first option if no option satisfies the policy', () => {
    const inputs: CredentialInput[] = [
      ['a', { tier: 'gold' }],
      ['b', { tier: 'iron' }],
    ]
    const decision = decided(sets, inputs)
    expect([decision.status, decision.reason]).toEqual(['rejected', 'value_mismatch'])
    expect(decision.credentials.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('does not use an option if one of its credentials is missing', () => {
    const inputs: CredentialInput[] = [
      ['a', { tier: 'gold' }],
      ['c', { tier: 'iron' }],
    ]
    const decision = decided(sets, inputs)
    expect([decision.status, decision.reason]).toEqual(['rejected', 'value_mismatch'])
    expect(decision.credentials.map(({ id }) => id)).toEqual(['c'])
  })

  it('a response to a DCQL query with only optional credential sets is rejected if no set is satisfied', () => {
    const optional = { credentials: [tier('a')], credential_sets: [{ options: [['a']], required: false }] }
    const decision = decided(optional, [['a', { tier: 'iron' }]])
    expect([decision.status, decision.reason]).toEqual(['rejected', 'value_mismatch'])
  })

  it('names the transactions that a credential confirmed, if the request has transactions', () => {
    const confirmed = [{ index: 0, hash: 'aGFzaA', hash_alg: 'sha-256' as const }]
    const { credentials } = decided({ credentials: [tier('a')] }, [['a', { tier: 'gold' }, { confirmed }]])
    expect(credentials).toMatchObject([{ transaction_data: confirmed }])
    expect(
      decided({ credentials: [tier('a')] }, [['a', { tier: 'gold' }]]).credentials[0],
    ).not.toHaveProperty('transaction_data')
  })

  it.each([
    [true, true, true],
    [true, false, false],
    [false, false, false],
  ])(
    'is bound to its holder only if both used credentials are bound (first bound: %s, second bound: %s)',
    (first, second, bound) => {
      const waived = { require_cryptographic_holder_binding: false }
      const credentials = ['a', 'b'].map((id) => query([{ path: ['tier'] }], { id, ...waived }))
      const inputs: CredentialInput[] = [
        ['a', { tier: 'gold' }, { holderBound: first }],
        ['b', { tier: 'gold' }, { holderBound: second }],
      ]
      expect(decided({ credentials }, inputs).holder_bound).toBe(bound)
    },
  )

  it.each([
    ['has the same holder key for two credentials bound to one key', 'x', 'x', true],
    ['does not have the same holder key for credentials bound to two keys', 'x', 'y', false],
    ['does not have the same holder key if only one credential is bound', 'x', undefined, false],
    ['has no known holder key if no credential is bound', undefined, undefined, null],
  ])('a response to a DCQL query %s', (_, first, second, same) => {
    const waived = { require_cryptographic_holder_binding: false }
    const credentials = ['a', 'b'].map((id) => query([{ path: ['tier'] }], { id, ...waived }))
    const told: CredentialInput[] = [
      ['a', { tier: 'gold' }, heldBy(first)],
      ['b', { tier: 'gold' }, heldBy(second)],
    ]
    const low = { required_assurance_level: 'low' } as const
    expect(decided({ credentials }, told, low)).toMatchObject({ status: 'verified', same_holder_key: same })
    const strict = decided({ credentials }, told, { ...low, require_same_holder_key: true })
    expect([strict.status, strict.reason, strict.same_holder_key]).toEqual(
      same ? ['verified', null, true] : ['rejected', 'holder_key_mismatch', same],
    )
  })

  it('needs the same holder key only for the credentials that are used', () => {
    const options = { credentials: [tier('a'), tier('b')], credential_sets: [{ options: [['a'], ['b']] }] }
    const told: CredentialInput[] = [
      ['a', { tier: 'gold' }, heldBy('x')],
      ['b', { tier: 'gold' }, heldBy('y')],
    ]
    const decision = decided(options, told, { require_same_holder_key: true })
    expect(decision).toMatchObject({ status: 'verified', same_holder_key: true })
  })

  it('gives an invalid credential as the reason before different holder keys, and these before a wrong value', () => {
    const credentials = [tier('a'), tier('b')]
    const reasonOf = (changes: CredentialInput[2], value = 'gold') =>
      decided(
        { credentials },
        [
          ['a', { tier: value }, heldBy('x')],
          ['b', { tier: 'gold' }, { ...heldBy('y'), ...changes }],
        ],
        { require_same_holder_key: true },
      ).reason
    expect(reasonOf({ reasons: ['credential_expired'] })).toBe('credential_expired')
    expect(reasonOf({}, 'iron')).toBe('holder_key_mismatch')
  })
})

const heldBy = (holderKey: string | undefined) =>
  holderKey === undefined ? { holderBound: false } : { holderBound: true, holderKey }
