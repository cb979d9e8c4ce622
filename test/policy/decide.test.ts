import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/codec/json.ts'
import type { CredentialReason } from '../../src/formats/verification/format.ts'
import { decide } from '../../src/policy/decide.ts'
import type { PolicyReason } from '../../src/policy/policy.ts'
import type { AssuranceLevel } from '../../src/trust/anchors/anchor.ts'
import { MDOC, NOW, policyOf, presented, SD_JWT, type TestPolicy } from './fixtures.ts'

const ADULT = { age_over_18: true }
const AGE = policyOf()

const decideAge = (claims: JsonObject, policy: TestPolicy = AGE) =>
  decide({ policy, presentations: [presented('age_attestation', claims)], now: NOW })

describe('a good response', () => {
  test('is verified, with its checks, level, credential and claims', () => {
    expect(decideAge({ ...ADULT, iss: 'https://issuer.example', age_over_21: true })).toEqual({
      status: 'verified',
      reason: null,
      checks: { age_over_18: true },
      holder_bound: true,
      same_holder_key: null,
      assurance_level: 'high',
      credentials: [
        {
          id: 'age_attestation',
          credential_type: 'age_attestation',
          format: 'dc+sd-jwt',
          issuer: 'https://issuer.example',
          assurance_level: 'high',
          status: 'not_present',
          checks: { age_over_18: true },
        },
      ],
      claims: [{ id: 'age_attestation', claims: { age_over_18: true } }],
      subjectNamespaces: ['issuer:https://issuer.example'],
      derivation: [
        { step: 'anchor', id: 'age_attestation', anchor: 'Example Authority', level: 'high' },
        { step: 'holder_binding', id: 'age_attestation', level: 'high' },
        { step: 'status', id: 'age_attestation', status: 'not_present', as_of: null, level: 'high' },
      ],
    })
  })
})

describe('a boolean claim', () => {
  test.each<[Json]>([
    [false],
    ['true'],
    ['TRUE'],
    [1],
    [0],
    [null],
    [''],
    [[]],
    [[true]],
    [{}],
    [{ value: true }],
    ['yes'],
  ])('a boolean claim with the value %j is not true', (value) => {
    expect(decideAge({ age_over_18: value })).toMatchObject({
      status: 'rejected',
      reason: 'predicate_false',
      checks: { age_over_18: false },
      claims: [],
    })
  })

  test('a boolean claim that is missing is not true', () => {
    expect(decideAge({ age_over_21: true })).toMatchObject({
      status: 'rejected',
      checks: { age_over_18: false },
    })
  })

  test('proves only its own age: age_over_21 does not prove age_over_18', () => {
    const pid = policyOf({ credential_types: ['pid'] })
    const claims = { age_equal_or_over: { 21: true, 17: true, 180: true } }
    expect(decide({ policy: pid, presentations: [presented('pid', claims)], now: NOW }).checks).toEqual({
      age_over_18: false,
    })
  })

  test('is not read from the prototype of an object', () => {
    const claims = JSON.parse('{"__proto__": {"age_over_18": true}}') as JsonObject
    expect(decideAge(claims).status).toBe('rejected')
    const inherited = Object.create({ age_over_18: true }) as JsonObject
    expect(decideAge(inherited).status).toBe('rejected')
  })
})

describe('a claim that is not boolean', () => {
  const policy = policyOf({ credential_types: ['pid'], scope: ['nationalities', 'family_name'] })
  const family = (family_name: Json) =>
    decide({ policy, presentations: [presented('pid', { family_name, nationalities: ['SE'] })], now: NOW })

  test.each<[Json]>([['Holmgren'], [' '], ['0'], [0], [true], [['a']], [{ a: null, b: [false] }]])(
    'with the value %j is proven',
    (value) => {
      expect(family(value)).toMatchObject({ status: 'verified', checks: { family_name: true } })
    },
  )

  test.each<[Json]>([
    [null],
    [''],
    [[]],
    [{}],
    [false],
    [[{}, {}]],
    [{ a: {} }],
    [{ a: null }],
    [['', [null]]],
  ])('with the value %j is not proven', (value) => {
    expect(family(value)).toMatchObject({
      status: 'rejected',
      reason: 'predicate_false',
      checks: { family_name: false, nationalities: true },
    })
  })

  test('is collected from all elements of a list along its path', () => {
    const membership = policyOf({ credential_types: ['membership'], scope: ['badges', 'member_number'] })
    const claims = { member: { number: 7 }, badges: [{ name: 'gold', since: 1 }, { name: 'old' }] }
    const decision = decide({
      policy: membership,
      presentations: [presented('membership', claims)],
      now: NOW,
    })
    expect(decision.claims).toEqual([
      { id: 'membership', claims: { badges: ['gold', 'old'], member_number: 7 } },
    ])
  })

  test.each<[string, JsonObject]>([
    ['an empty list', { badges: [] }],
    ['a list with names that are null', { badges: [{ name: null }] }],
    ['an object in place of the list', { badges: { 0: { name: 'gold' } } }],
    ['a credential that does not disclose the list', {}],
  ])('is not proven by %s', (_, badges) => {
    const membership = policyOf({ credential_types: ['membership'], scope: ['badges'] })
    const presentations = [presented('membership', badges)]
    expect(decide({ policy: membership, presentations, now: NOW })).toMatchObject({
      status: 'rejected',
      checks: { badges: false },
    })
  })
})

describe('the derivation of an age from the birthdate', () => {
  const policy = policyOf({ credential_types: ['pid'], allow_derived: true })
  const strict = policyOf({ credential_types: ['pid'] })
  const decidePid = (claims: JsonObject, by = policy) =>
    decide({ policy: by, presentations: [presented('pid', claims)], now: NOW })

  test('proves the age, and returns the age claim instead of the birthdate', () => {
    expect(decidePid({ birthdate: '2008-06-15' })).toMatchObject({
      status: 'verified',
      checks: { age_over_18: true },
      claims: [{ id: 'pid', claims: { age_over_18: true } }],
    })
  })

  test('does not prove the age one day before the birthday', () => {
    expect(decidePid({ birthdate: '2008-06-16' })).toMatchObject({
      status: 'rejected',
      reason: 'predicate_false',
    })
  })

  test('proves nothing if the request does not allow derived ages', () => {
    expect(decidePid({ birthdate: '1978-04-10' }, strict)).toMatchObject({ status: 'rejected' })
  })

  test.each<[Json]>([[false], ['true'], [null], [1], [{}]])('never overrides an age claim of %j', (claim) => {
    const claims = { age_equal_or_over: { 18: claim }, birthdate: '1978-04-10' }
    expect(decidePid(claims)).toMatchObject({ status: 'rejected', checks: { age_over_18: false } })
  })

  test('never overrides an age claim that is true', () => {
    const claims = { age_equal_or_over: { 18: true }, birthdate: '2025-01-01' }
    expect(decidePid(claims)).toMatchObject({ status: 'verified' })
  })

  test('proves a missing age claim even if the credential has other age claims', () => {
    const claims = { age_equal_or_over: { 21: true }, birthdate: '1978-04-10' }
    expect(decidePid(claims)).toMatchObject({ status: 'verified' })
  })

  test.each<[Json]>([
    ['1978'],
    ['1978-04'],
    ['10.04.1978'],
    ['garbage'],
    [null],
    [1978],
    [['1978-04-10']],
    ['1978-02-30'],
  ])('proves nothing if the birthdate is %j', (birthdate) => {
    expect(decidePid({ birthdate })).toMatchObject({ status: 'rejected', checks: { age_over_18: false } })
  })

  test('proves nothing if the credential has two birthdates, even if one is old enough', () => {
    const scopes = { birthdate: { path: ['persons', null, 'born'] }, age_over_18: { path: ['adult'] } }
    const family = { name: 'family', formats: { 'dc+sd-jwt': { identifiers: ['urn:family'], scopes } } }
    const request = { credential_types: ['family'], allow_derived: true }
    const decideFamily = (...born: string[]) => {
      const presentations = [presented('family', { persons: born.map((day) => ({ born: day })) })]
      return decide({ policy: policyOf(request, [SD_JWT], [family]), presentations, now: NOW }).status
    }
    expect(decideFamily('1978-04-10')).toBe('verified')
    expect(decideFamily('1978-04-10', '2025-04-10')).toBe('rejected')
  })

  test('works for an mdoc, whose birthdate is in a namespace', () => {
    const mdl = policyOf({ credential_types: ['mdl'], scope: ['age_over_21'], allow_derived: true }, [MDOC])
    const claims = { 'org.iso.18013.5.1': { birth_date: '2005-06-15' } }
    const presentations = [presented('mdl', claims, { format: 'mso_mdoc' })]
    expect(decide({ policy: mdl, presentations, now: NOW }).status).toBe('verified')
    expect(decide({ policy: mdl, presentations, now: NOW - 86_400 }).status).toBe('rejected')
  })

  test('returns the birthdate if the request also names the birthdate', () => {
    const both = policyOf({
      credential_types: ['pid'],
      scope: ['age_over_18', 'birthdate'],
      allow_derived: true,
    })
    expect(decidePid({ birthdate: '1978-04-10' }, both).claims).toEqual([
      { id: 'pid', claims: { age_over_18: true, birthdate: '1978-04-10' } },
    ])
  })
})

describe('the reasons of a credential', () => {
  test.each<[CredentialReason]>([
    ['credential_expired'],
    ['credential_not_yet_valid'],
    ['credential_revoked'],
    ['credential_suspended'],
  ])('reject the response in the case of %s, and no claim is proven', (finding) => {
    const presentations = [presented('age_attestation', ADULT, { reasons: [finding] })]
    expect(decide({ policy: AGE, presentations, now: NOW })).toMatchObject({
      status: 'rejected',
      reason: finding,
      checks: { age_over_18: false },
      credentials: [{ checks: { age_over_18: false } }],
      claims: [],
    })
  })

  test('reject the response even if no claim of the credential is requested', () => {
    const both = policyOf({
      credential_types: ['pid', 'membership'],
      scope: ['family_name', 'active'],
      credential_match: 'all',
    })
    const policy = {
      ...both,
      scope: ['family_name'],
      descriptors: both.descriptors.map((one) => (one.query_id === 'pid' ? one : { ...one, scopes: [] })),
    }
    const presentations = [
      presented('pid', { family_name: 'Holmgren' }),
      presented('membership', {}, { reasons: ['credential_revoked'] }),
    ]
    expect(decide({ policy, presentations, now: NOW })).toMatchObject({
      status: 'rejected',
      reason: 'credential_revoked',
      checks: { family_name: true },
    })
  })
})

describe('the reason of a rejected response', () => {
  const everything: readonly PolicyReason[] = [
    'credential_revoked',
    'credential_suspended',
    'credential_expired',
    'credential_not_yet_valid',
    'assurance_level_too_low',
    'value_mismatch',
    'predicate_false',
  ]

  test.each(everything.map((reason, index) => [reason, everything.slice(index)] as const))(
    'is %s if no reason with a higher precedence applies',
    (reason, present) => {
      const policy = policyOf({ required_assurance_level: 'substantial' })
      const reasons = present
        .filter((one): one is CredentialReason => one.startsWith('credential_'))
        .reverse()
      const level: AssuranceLevel = present.includes('assurance_level_too_low') ? 'low' : 'high'
      const valueMismatches = present.includes('value_mismatch') ? [['age_over_18']] : []
      const anchor = { name: 'Example Authority', assurance_level: level }
      const presentation = presented('age_attestation', { age_over_18: false }, { reasons, anchor })
      const decision = decide({ policy, presentations: [{ ...presentation, valueMismatches }], now: NOW })
      expect(decision).toMatchObject({ status: 'rejected', reason })
    },
  )
})

test('a value that the query does not allow rejects the response, and the scope of this value is not proven', () => {
  const presentation = { ...presented('age_attestation', ADULT), valueMismatches: [['age_over_18']] }
  expect(decide({ policy: AGE, presentations: [presentation], now: NOW })).toMatchObject({
    status: 'rejected',
    reason: 'value_mismatch',
    checks: { age_over_18: false },
  })
})

describe('credential_match any', () => {
  const policy = policyOf({ credential_types: ['age_attestation', 'pid'] }, [SD_JWT])
  const attestation = (claim: Json, reasons: readonly CredentialReason[] = []) =>
    presented('age_attestation', { age_over_18: claim }, { reasons })
  const pid = (claim: Json) => presented('pid', { age_equal_or_over: { 18: claim } })

  test('verifies a response with only one of the two credentials', () => {
    expect(decide({ policy, presentations: [attestation(true)], now: NOW }).status).toBe('verified')
    expect(decide({ policy, presentations: [pid(true)], now: NOW }).status).toBe('verified')
  })

  test('uses the first credential that satisfies the policy, and drops the other credential', () => {
    for (const presentations of [
      [attestation(true, ['credential_expired']), pid(true)],
      [pid(true), attestation(false)],
    ]) {
      const decision = decide({ policy, presentations, now: NOW })
      expect(decision.status).toBe('verified')
      expect(decision.credentials.map(({ id }) => id)).toEqual(['pid'])
      expect(decision.claims.map(({ id }) => id)).toEqual(['pid'])
    }
    const both = decide({ policy, presentations: [pid(true), attestation(true)], now: NOW })
    expect(both.credentials.map(({ id }) => id)).toEqual(['age_attestation'])
  })

  test('returns the reason of the first requested type if no credential satisfies the policy', () => {
    const presentations = [pid(false), attestation(true, ['credential_expired'])]
    expect(decide({ policy, presentations, now: NOW })).toMatchObject({
      status: 'rejected',
      reason: 'credential_expired',
      credentials: [{ id: 'age_attestation' }],
    })
  })

  test('does not combine claims of several credentials to prove one policy', () => {
    const names = policyOf({ credential_types: ['pid', 'mdl'], scope: ['family_name', 'given_name'] }, [
      SD_JWT,
      MDOC,
    ])
    const presentations = [
      presented('pid', { family_name: 'Holmgren' }),
      presented('mdl', { 'org.iso.18013.5.1': { given_name: 'Astrid' } }, { format: 'mso_mdoc' }),
    ]
    expect(decide({ policy: names, presentations, now: NOW }).status).toBe('rejected')
  })
})

describe('credential_match all', () => {
  const policy = policyOf({
    credential_types: ['age_attestation', 'pid'],
    scope: ['age_over_18', 'family_name'],
    credential_match: 'all',
  })
  const attestation = (claim: Json) => presented('age_attestation', { age_over_18: claim })
  const pid = (claim: Json, level: AssuranceLevel = 'high') =>
    presented(
      'pid',
      { age_equal_or_over: { 18: claim }, family_name: 'Holmgren' },
      { anchor: { name: 'Example Authority', assurance_level: level } },
    )

  test('verifies a response with a credential of each type, and checks the requested scopes of each type', () => {
    expect(decide({ policy, presentations: [attestation(true), pid(true)], now: NOW })).toMatchObject({
      status: 'verified',
      checks: { age_over_18: true, family_name: true },
      credentials: [
        { id: 'age_attestation', checks: { age_over_18: true } },
        { id: 'pid', checks: { age_over_18: true, family_name: true } },
      ],
      claims: [
        { id: 'age_attestation', claims: { age_over_18: true } },
        { id: 'pid', claims: { age_over_18: true, family_name: 'Holmgren' } },
      ],
    })
  })

  test('rejects the response if one credential has a true claim and the other has a false claim', () => {
    for (const presentations of [
      [attestation(true), pid(false)],
      [attestation(false), pid(true)],
    ]) {
      expect(decide({ policy, presentations, now: NOW })).toMatchObject({
        status: 'rejected',
        reason: 'predicate_false',
        checks: { age_over_18: false, family_name: true },
      })
    }
  })

  test('rejects the response if a credential is missing', () => {
    for (const presentations of [[], [attestation(true)], [pid(true)], [pid(true), pid(true)]]) {
      expect(decide({ policy, presentations, now: NOW })).toMatchObject({
        status: 'rejected',
        reason: 'predicate_false',
      })
    }
  })

  test('gives the response the lowest level of its credentials', () => {
    const decision = decide({ policy, presentations: [attestation(true), pid(true, 'low')], now: NOW })
    expect(decision).toMatchObject({
      status: 'verified',
      assurance_level: 'low',
      credentials: [{ assurance_level: 'high' }, { assurance_level: 'low' }],
    })
    expect(decision.derivation.at(-1)).toEqual({ step: 'lowest', level: 'low' })
    const required = { ...policy, required_assurance_level: 'substantial' } as const
    expect(
      decide({ policy: required, presentations: [attestation(true), pid(true, 'low')], now: NOW }),
    ).toMatchObject({
      status: 'rejected',
      reason: 'assurance_level_too_low',
    })
  })

  test('uses the format that satisfies the policy if a type is presented in two formats', () => {
    const two = policyOf({ credential_types: ['pid'], scope: ['family_name'], credential_match: 'all' }, [
      SD_JWT,
      MDOC,
    ])
    const expired = { credentialType: 'pid', reasons: ['credential_expired' as const] }
    const element = { 'eu.europa.ec.eudi.pid.1': { family_name: 'Holmgren' } }
    const presentations = [
      presented('pid-dc_sd-jwt', { family_name: 'Holmgren' }, expired),
      presented('pid-mso_mdoc', element, { credentialType: 'pid', format: 'mso_mdoc' }),
    ]
    const decision = decide({ policy: two, presentations, now: NOW })
    expect(decision).toMatchObject({ status: 'verified', credentials: [{ id: 'pid-mso_mdoc' }] })
  })
})

describe('an optional credential set', () => {
  const required = policyOf({
    credential_types: ['age_attestation', 'membership'],
    scope: ['age_over_18', 'active'],
    credential_match: 'all',
  })
  const policy: TestPolicy = {
    ...required,
    scope: ['age_over_18'],
    query: {
      ...required.query,
      credential_sets: [{ options: [['age_attestation']] }, { options: [['membership']], required: false }],
    },
  }
  const adult = presented('age_attestation', ADULT)

  test('may be missing; it is used only if it satisfies the policy', () => {
    const used = (presentations: Parameters<typeof decide>[0]['presentations']) => {
      const decision = decide({ policy, presentations, now: NOW })
      return [decision.status, ...decision.credentials.map(({ id }) => id)]
    }
    expect(used([adult])).toEqual(['verified', 'age_attestation'])
    expect(used([adult, presented('membership', { active: true })])).toEqual([
      'verified',
      'age_attestation',
      'membership',
    ])
    expect(used([adult, presented('membership', { active: false })])).toEqual(['verified', 'age_attestation'])
  })

  test('does not replace a missing required set, and does not make an empty response valid', () => {
    const presentations = [presented('membership', { active: true })]
    expect(decide({ policy, presentations, now: NOW }).status).toBe('rejected')
    const optional: TestPolicy = {
      ...policy,
      scope: [],
      query: { ...policy.query, credential_sets: [{ options: [['membership']], required: false }] },
    }
    expect(decide({ policy: optional, presentations: [], now: NOW }).status).toBe('rejected')
  })
})

describe('a presentation that matches no query', () => {
  test('is ignored if its query is unknown', () => {
    const presentations = [
      presented('age_attestation', ADULT, {}),
      presented('other', { age_over_18: false }),
    ]
    expect(decide({ policy: AGE, presentations, now: NOW }).status).toBe('verified')
    expect(decide({ policy: AGE, presentations: [presented('other', ADULT)], now: NOW })).toMatchObject({
      status: 'rejected',
      credentials: [],
      assurance_level: 'low',
    })
  })

  test('is ignored if its type was not requested', () => {
    const presentations = [presented('age_attestation', ADULT, { credentialType: 'membership' })]
    expect(decide({ policy: AGE, presentations, now: NOW })).toMatchObject({
      status: 'rejected',
      credentials: [],
    })
  })

  test('a response without any presentation is rejected, too', () => {
    expect(decide({ policy: AGE, presentations: [], now: NOW })).toMatchObject({
      status: 'rejected',
      reason: 'predicate_false',
      checks: { age_over_18: false },
      derivation: [],
    })
  })
})

describe('names such as __proto__ and constructor', () => {
  const scopes = JSON.parse(
    '{"__proto__": {"path": ["__proto__", "polluted"]}, "constructor": {"path": ["constructor"]}, "toString": {"path": ["toString"]}}',
  ) as Record<string, { path: string[] }>
  const type = { name: '__proto__', formats: { 'dc+sd-jwt': { identifiers: ['urn:p'], scopes } } }
  const names = ['__proto__', 'constructor', 'toString']
  const policy = policyOf({ credential_types: ['__proto__'], scope: names }, [SD_JWT], [type])

  test('work as scopes: they are checked, and returned as own members of the result', () => {
    const claims = JSON.parse(
      '{"__proto__": {"polluted": 1}, "constructor": "c", "toString": "t"}',
    ) as JsonObject
    const decision = decide({ policy, presentations: [presented('__proto__', claims)], now: NOW })
    expect(decision.status).toBe('verified')
    expect(Object.keys(decision.checks)).toEqual(names)
    expect(Object.entries(decision.claims[0]?.claims ?? {})).toEqual([
      ['__proto__', 1],
      ['constructor', 'c'],
      ['toString', 't'],
    ])
    expect(Object.getPrototypeOf(decision.checks)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('are not proven by the inherited members of an object', () => {
    const decision = decide({ policy, presentations: [presented('__proto__', {})], now: NOW })
    expect(Object.entries(decision.checks)).toEqual(names.map((name) => [name, false]))
    expect(decision.status).toBe('rejected')
  })
})
