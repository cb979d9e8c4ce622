// The `claims` parameter (OpenID Connect Core 1.0 §5.5, Identity Assurance 1.0 §6).

import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/codec/json.ts'
import { parseClaims } from '../../../src/routes/oidc/claims-parameter.ts'
import { verifiedClaims } from '../../../src/session/tokens/released-claims.ts'

const HIGH = 'urn:wallet-verifier:assurance:high'
const LOW = 'urn:wallet-verifier:assurance:low'

const parse = (claims: object) => parseClaims(JSON.stringify(claims))

describe('a request for a claim', () => {
  it.each<[string, object]>([
    ['a list for acr', { acr: [{ essential: true, value: HIGH }] }],
    ['a list for sub', { sub: [{ value: 'x' }] }],
    ['an empty list for another claim', { family_name: [] }],
    ['a list with an entry that is no object', { verified_claims: [null] }],
    ['a text', { sub: 'x' }],
    ['an essential that is a text', { acr: { essential: 'true', value: HIGH } }],
    ['an essential that is a number', { acr: { essential: 1, value: HIGH } }],
    ['an essential that is null', { family_name: { essential: null } }],
    ['an acr that is no text', { acr: { value: 1 } }],
    ['a sub that is no text', { sub: { values: ['x', null] } }],
    ['a sub whose value is a list', { sub: { value: ['x'] } }],
  ])('is refused in `id_token` and in `userinfo` if it is malformed: %s', (_, claims) => {
    expect(parse({ id_token: claims })).toBeUndefined()
    expect(parse({ userinfo: claims })).toBeUndefined()
  })

  it('is well-formed if it is null, an object, or a list for `verified_claims`', () => {
    const claims = { family_name: null, given_name: { essential: true }, birthdate: { essential: false } }
    expect(parse({ id_token: { ...claims, verified_claims: [{ claims: {} }] } })?.id_token.names).toEqual(
      Object.keys(claims),
    )
  })
})

it.each<[string, object]>([
  ['claims that every token has', { sub: null, acr: null }],
  ['`verified_claims`, which only adds claims', { verified_claims: { claims: { family_name: null } } }],
])('a `claims` parameter that names only %s does not reduce the claims that are released', (_, claims) => {
  expect(parse({ id_token: claims })?.id_token.names).toBeNull()
})

describe('conditions on one claim', () => {
  it.each<[string, object, readonly string[] | null]>([
    ['no condition', { id_token: { sub: null }, userinfo: { sub: { essential: true } } }, null],
    ['a condition in `userinfo` only', { userinfo: { sub: { value: 'a' } } }, ['a']],
    [
      'the same condition in `id_token` and `userinfo`',
      { id_token: { sub: { value: 'a' } }, userinfo: { sub: { value: 'a' } } },
      ['a'],
    ],
    ['different conditions', { id_token: { sub: { value: 'a' } }, userinfo: { sub: { value: 'b' } } }, []],
    [
      'conditions with one common value',
      { id_token: { sub: { values: ['a', 'b'] } }, userinfo: { sub: { values: ['b', 'c'] } } },
      ['b'],
    ],
    ['`value` is among `values`', { id_token: { sub: { value: 'a', values: ['b', 'a'] } } }, ['a']],
    ['`values` is empty', { id_token: { sub: { values: [] } } }, []],
  ])('on sub must all be satisfied by the same value: %s', (_, claims, sub) => {
    expect(parse(claims)?.sub).toEqual(sub)
  })

  it.each<[string, object, readonly string[] | null]>([
    [
      'voluntary in `id_token` and `userinfo`',
      { id_token: { acr: { value: HIGH } }, userinfo: { acr: { value: HIGH } } },
      null,
    ],
    ['essential in `id_token` only', { id_token: { acr: { essential: true, value: HIGH } } }, [HIGH]],
    ['essential in `userinfo` only', { userinfo: { acr: { essential: true, value: HIGH } } }, [HIGH]],
    ['essential without a value', { userinfo: { acr: { essential: true } } }, null],
    [
      'essential in `id_token` and `userinfo`, with one common value',
      {
        id_token: { acr: { essential: true, values: [LOW, HIGH] } },
        userinfo: { acr: { essential: true, value: HIGH } },
      },
      [HIGH],
    ],
    [
      'essential in `id_token`, and voluntary in `userinfo`',
      { id_token: { acr: { essential: true, value: LOW } }, userinfo: { acr: { value: HIGH } } },
      [LOW],
    ],
  ])('on acr are considered only if acr is essential: %s', (_, claims, acr) => {
    expect(parse(claims)?.acr).toEqual(acr)
  })
})

describe('the member `verification` of verified_claims', () => {
  const PROVEN = [{ credential: 0, query: 'mdl', name: 'family_name', isBoolean: false, value: 'Mustermann' }]
  const FACTS = { level: 'substantial', time: '2026-11-22T00:00:00Z', hasValues: true }
  const FRAMEWORK = 'urn:wallet-verifier:trust-anchors'

  /** Returns the claims that are released for one entry. */
  function releasedWith(verification: unknown) {
    const entry = { verification, claims: { family_name: null } }
    const parsed = parse({ id_token: { verified_claims: entry } })
    return verifiedClaims(PROVEN, parsed?.id_token.verified ?? [], FACTS)?.claims
  }

  it.each<[string, unknown]>([
    ['no condition', { trust_framework: null, time: null, evidence: [{ type: null, time: null }] }],
    ['essential members', { trust_framework: { essential: true }, time: { essential: true } }],
    ['our trust framework', { trust_framework: { value: FRAMEWORK } }],
    [
      'the reached assurance level',
      { trust_framework: null, assurance_level: { values: ['high', 'substantial'] } },
    ],
  ])('is satisfied with %s', (_, verification) => {
    expect(releasedWith(verification)).toEqual({ family_name: 'Mustermann' })
  })

  it.each<[string, unknown]>([
    ['another framework', { trust_framework: { value: 'eidas' } }],
    ['a framework that is a text', { trust_framework: FRAMEWORK }],
    ['a framework that is a number', { trust_framework: { value: 1 } }],
    ['a framework among values that are no texts', { trust_framework: { values: [FRAMEWORK, 1] } }],
    ['an empty list of frameworks', { trust_framework: { values: [] } }],
    ['a `value` that differs from `values`', { assurance_level: { value: 'high', values: ['substantial'] } }],
    ['a maximum age of the framework', { trust_framework: { value: FRAMEWORK, max_age: 1 } }],
    ['a maximum age of the time', { time: { max_age: 63_113_852 } }],
    ['a maximum age without a number', { time: { max_age: null } }],
    ['a value of another member', { assurance_process: { policy: { value: 'gpg45' } } }],
    ['values of another member', { verification_process: { values: [] } }],
    ['a type of the evidence', { evidence: [{ type: { value: 'document' } }] }],
    ['a second piece of evidence', { evidence: [{ type: null }, { time: { max_age: 1 } }] }],
    ['a text as another member', { verification_process: 'f24c6f-6d3f' }],
  ])('is never satisfied with %s', (_, verification) => {
    expect(releasedWith(verification)).toBeUndefined()
  })
})

describe('a condition on a claim of verified_claims', () => {
  const FACTS = { level: 'low', time: '2026-11-22T00:00:00Z', hasValues: true }
  const claim = (name: string, value: Json, isBoolean = false) => ({
    ...{ credential: 0, query: 'pid', name, isBoolean, value },
  })
  const ADDRESS = [claim('resident_city', 'Köln'), claim('resident_country', 'DE')]
  const PROVEN = [
    ...[claim('family_name', 'Mustermann'), claim('birth_date', '1963-08-12'), claim('nationality', 'DE')],
    ...[claim('age_over_18', true, true), claim('height', 170), ...ADDRESS],
  ]

  /** Returns the claims that are released for entries with these claims. */
  function releasedWith(...entries: readonly object[]) {
    const verified_claims = entries.map((claims) => ({ verification: { trust_framework: null }, claims }))
    const parsed = parse({ id_token: { verified_claims } })
    return verifiedClaims(PROVEN, parsed?.id_token.verified ?? [], FACTS)?.claims
  }

  it.each<[string, string, object, Json]>([
    ['the value of the claim', 'family_name', { value: 'Mustermann' }, 'Mustermann'],
    ['one of several allowed values', 'family_name', { values: ['Musterfrau', 'Mustermann'] }, 'Mustermann'],
    ['an essential value', 'family_name', { essential: true, value: 'Mustermann' }, 'Mustermann'],
    ['a `value` among `values`', 'height', { value: 170, values: [170, 180] }, 170],
    ['a boolean', 'age_over_18', { value: true }, true],
  ])('is satisfied if it requires %s', (_, name, condition, value) => {
    expect(releasedWith({ [name]: condition })).toEqual({ [name]: value })
  })

  it.each<[string, object, object]>([
    ['the catalogue name of the claim', { birth_date: { value: '1963-08-12' } }, { birthdate: '1963-08-12' }],
    ['the standard name of the claim', { birthdate: { value: '1963-08-12' } }, { birthdate: '1963-08-12' }],
    ['the value as the credential has it', { nationality: { value: 'DE' } }, { nationalities: ['DE'] }],
    ['the value as the standard has it', { nationalities: { value: ['DE'] } }, { nationalities: ['DE'] }],
    ['a part of the address', { resident_city: { value: 'Köln' } }, { address: { locality: 'Köln' } }],
  ])('may use %s', (_, entry, released) => {
    expect(releasedWith(entry)).toEqual(released)
  })

  it.each<[string, object]>([
    ['another value', { family_name: { value: 'Musterfrau' } }],
    ['a value in another case', { family_name: { value: 'mustermann' } }],
    ['a value of another type', { height: { value: '170' } }],
    ['an empty list of values', { family_name: { values: [] } }],
    ['a value that is null', { family_name: { value: null } }],
    ['a `value` that differs from `values`', { height: { value: 170, values: [180] } }],
    ['another boolean', { age_over_18: { value: false } }],
    ['another value under the standard name', { birthdate: { value: '1964-08-12' } }],
    ['a list with an additional value', { nationalities: { value: ['DE', 'FR'] } }],
    ['an address as one object', { address: { value: { locality: 'Köln' } } }],
    ['a maximum age', { birth_date: { max_age: 1 } }],
    ['a condition on a member of the address', { address: { locality: { value: 'Köln' } } }],
    ['a text', { family_name: 'Mustermann' }],
    ['a list', { family_name: [{ value: 'Mustermann' }] }],
    ['another value under one of two names', { birth_date: null, birthdate: { value: '1964-08-12' } }],
  ])('leaves the claim out if the condition is %s', (_, entry) => {
    expect(releasedWith(entry)).toBeUndefined()
    expect(releasedWith({ ...entry, given_name: null })).toBeUndefined()
    expect(releasedWith(entry, { resident_country: { value: 'DE' } })).toEqual({ address: { country: 'DE' } })
  })

  it('applies only to its own entry of verified_claims', () => {
    const other = { family_name: { value: 'Musterfrau' } }
    expect(releasedWith(other, { family_name: null })).toEqual({ family_name: 'Mustermann' })
    expect(releasedWith(other, { height: null })).toEqual({ height: 170 })
  })
})
