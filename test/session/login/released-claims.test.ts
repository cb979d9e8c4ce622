// The claims of tokens, from what a presentation proved (OIDC Core 1.0 §5, api/logins).

import { describe, expect, it } from 'vitest'
import metadata from '../../../assets/oidc-metadata.json' with { type: 'json' }
import type { Json } from '../../../src/codec/json.ts'
import { AGE_PATTERN, BUILT_IN_TYPES } from '../../../src/policy/built-in-types.ts'
import type { Decision, Policy, ScopePath } from '../../../src/policy/policy.ts'
import {
  ofOneCredential,
  provenClaims,
  releasedClaims,
  verifiedClaims,
} from '../../../src/session/tokens/released-claims.ts'

/** The proof of one claim of a driving licence. */
function proven(scope: Partial<ScopePath> & { readonly scope: string }, value: Json) {
  const scopes = [{ path: ['org.iso.18013.5.1', scope.scope], boolean: false, ...scope }]
  const decision = {
    credentials: [{ id: 'mdl', credential_type: 'mdl' }],
    claims: [{ id: 'mdl', claims: { [scope.scope]: value } }],
  }
  const policy = { descriptors: [{ query_id: 'mdl', credential_type: 'mdl', scopes }] }
  return provenClaims(decision as unknown as Decision, policy as unknown as Policy)
}

const PLAIN = { names: null, encryption: null }
const ENCRYPTED = { names: null, encryption: { alg: 'ECDH-ES', enc: 'A256GCM', jwk: {} } } as never

describe('in a token without encryption', () => {
  it('a claim that is not always a boolean is released only by its name, even if its value is true', () => {
    const claims = proven({ scope: 'organ_donor' }, true)
    expect(releasedClaims(claims, PLAIN)).toEqual({ vp_data: { mdl: { presented: ['organ_donor'] } } })
    expect(releasedClaims(claims, ENCRYPTED)).toEqual({ vp_data: { mdl: { organ_donor: true } } })
  })

  it.each<[string, Partial<ScopePath>]>([
    ['a boolean of the catalogue', { boolean: true }],
    ['a claim that the policy requires to be true', { values: [true] }],
  ])('%s is released with its value, under its own name', (_, scope) => {
    expect(releasedClaims(proven({ scope: 'age_over_18', ...scope }, true), PLAIN)).toEqual({
      age_over_18: true,
    })
  })

  it('only the claim name is released if the policy allows two values', () => {
    const claims = proven({ scope: 'veteran', values: [true, false] }, true)
    expect(releasedClaims(claims, PLAIN)).toEqual({ vp_data: { mdl: { presented: ['veteran'] } } })
  })

  it('a list is released as true, under its own name, if each of its entries is true', () => {
    const list = { scope: 'checks', path: ['checks', null] }
    const rules: readonly Partial<ScopePath>[] = [{ boolean: true }, { values: [true] }]
    for (const rule of rules) {
      expect(releasedClaims(proven({ ...list, ...rule }, [true, true]), PLAIN)).toEqual({ checks: true })
    }
    const mixed = proven({ ...list, values: [true] }, [true, false])
    expect(releasedClaims(mixed, PLAIN)).toEqual({ vp_data: { mdl: { presented: ['checks'] } } })
  })
})

describe('a boolean claim', () => {
  const FACTS = { level: 'substantial', time: '2026-11-22T00:00:00Z' }
  const REQUEST = [{ trust_frameworks: null, assurance_levels: null, names: ['age_over_18'], values: [] }]

  it.each<[boolean[], boolean]>([
    [[false], false],
    [[true, false], false],
    [[true, false], true],
  ])('is not released as true if the policy allows the values %j and the claim is %j', (values, value) => {
    const claims = proven({ scope: 'age_over_18', boolean: true, values }, value)
    expect(releasedClaims(claims, PLAIN)).toEqual({ vp_data: { mdl: { presented: ['age_over_18'] } } })
    expect(releasedClaims(claims, ENCRYPTED)).toEqual({ vp_data: { mdl: { age_over_18: value } } })
    expect(verifiedClaims(claims, REQUEST, { ...FACTS, hasValues: false })).toBeUndefined()
    expect(verifiedClaims(claims, REQUEST, { ...FACTS, hasValues: true })).toMatchObject({
      claims: { age_over_18: value },
    })
  })

  it('is not released as true if its value is false and the policy has no values', () => {
    const claims = proven({ scope: 'age_over_18', boolean: true }, false)
    expect(releasedClaims(claims, PLAIN)).toEqual({ vp_data: { mdl: { presented: ['age_over_18'] } } })
  })
})

describe('in an encrypted token', () => {
  it.each<[string, Json, object]>([
    ['birth_date', '1963-08-12', { birthdate: '1963-08-12' }],
    ['nationality', 'DE', { nationalities: ['DE'] }],
    ['resident_address', 'Heidestraße 17', { address: { formatted: 'Heidestraße 17' } }],
    ['resident_city', 'Köln', { address: { locality: 'Köln' } }],
    ['resident_postal_code', '51147', { address: { postal_code: '51147' } }],
    ['family_name', 'Mustermann', { family_name: 'Mustermann' }],
    ['height', 170, { vp_data: { mdl: { height: 170 } } }],
    ['constructor', 'x', { vp_data: { mdl: { constructor: 'x' } } }],
  ])('the value of %s is released under its standard name, if it has one', (scope, value, released) => {
    expect(releasedClaims(proven({ scope }, value), ENCRYPTED)).toEqual(released)
  })

  it.each(['birth_date', 'birthdate'])('the birth date is released if requested as %s', (name) => {
    const rules = { ...(ENCRYPTED as object), names: [name] } as never
    expect(releasedClaims(proven({ scope: 'birth_date' }, '1963-08-12'), rules)).toEqual({
      birthdate: '1963-08-12',
    })
    expect(releasedClaims(proven({ scope: 'height' }, 170), rules)).toEqual({})
  })

  it.each(['sub', 'iss', 'policy', 'acr', 'verified_claims'])('no credential can set %s', (scope) => {
    const released = releasedClaims(proven({ scope, boolean: true }, true), ENCRYPTED)
    expect(released).not.toHaveProperty(scope)
  })
})

describe('two credentials of one query', () => {
  const scopes = ['given_name', 'family_name', 'height'].map((scope) => ({ scope, boolean: false }))
  const values = [
    { given_name: 'Anna', height: 170 },
    { given_name: 'Ben', family_name: 'Beier', height: 180 },
  ]
  const descriptor = { query_id: 'pid', credential_type: 'pid', scopes }
  const other = { query_id: 'mdl', credential_type: 'mdl', scopes: [{ scope: 'veteran', boolean: false }] }
  const decision = {
    credentials: [
      ...values.map(() => ({ id: 'pid', credential_type: 'pid' })),
      { id: 'mdl', credential_type: 'mdl' },
    ],
    claims: [...values.map((claims) => ({ id: 'pid', claims })), { id: 'mdl', claims: { veteran: 'no' } }],
  }
  const PROVEN = provenClaims(
    decision as unknown as Decision,
    { descriptors: [descriptor, other] } as unknown as Policy,
  )

  it.each<[string, number | null, object, object]>([
    ['the first credential', null, { given_name: 'Anna' }, { height: 170 }],
    ['the first credential', 2, { given_name: 'Anna' }, { height: 170 }],
    ['the credential of `sub`', 1, { given_name: 'Ben', family_name: 'Beier' }, { height: 180 }],
  ])(
    'are never mixed: a token has only values of %s, if the index of the credential for the `sub` is %s',
    (_, preferred, standard, pid) => {
      const claims = ofOneCredential(PROVEN, preferred)
      const released = { ...standard, vp_data: { pid, mdl: { veteran: 'no' } } }
      expect(releasedClaims(claims, ENCRYPTED)).toEqual(released)
    },
  )

  it('release each claim name only once if there is no encryption', () => {
    expect(releasedClaims(ofOneCredential(PROVEN, null), PLAIN)).toEqual({
      vp_data: { pid: { presented: ['given_name', 'height'] }, mdl: { presented: ['veteran'] } },
    })
  })
})

describe('verified_claims', () => {
  const PROVEN = [...proven({ scope: 'family_name' }, 'Mustermann'), ...proven({ scope: 'height' }, 170)]
  const FACTS = { level: 'substantial', time: '2026-11-22T00:00:00Z', hasValues: true }
  const any = { trust_frameworks: null, assurance_levels: null, values: [] }
  const claimsOf = (...requests: Parameters<typeof verifiedClaims>[1]) =>
    verifiedClaims(PROVEN, requests, FACTS)?.claims

  it('contains the claims of all entries in the requested list', () => {
    expect(claimsOf({ ...any, names: ['height'] }, { ...any, names: ['family_name'] })).toEqual({
      family_name: 'Mustermann',
      height: 170,
    })
  })

  it('leaves out the claims of a requested entry whose trust framework or assurance level is not met', () => {
    const met = { ...any, assurance_levels: ['low', 'substantial'], names: ['height'] }
    const framework = { ...any, trust_frameworks: ['eidas'], names: ['family_name'] }
    const level = { ...any, assurance_levels: ['high'], names: ['family_name'] }
    expect(claimsOf(framework, level, met)).toEqual({ height: 170 })
    expect(claimsOf(framework, level)).toBeUndefined()
  })
})

it('the metadata lists every catalogue claim that `verified_claims` may have', () => {
  const ages = Array.from({ length: 99 }, (_, i) => `age_over_${String(i + 1).padStart(2, '0')}`)
  const scopes = BUILT_IN_TYPES.flatMap(({ formats }) =>
    Object.values(formats).flatMap((format) => Object.keys(format.scopes)),
  )
  const released = scopes
    .flatMap((scope) => (scope === AGE_PATTERN ? ages : [scope]))
    .flatMap((scope) => {
      const request = [{ trust_frameworks: null, assurance_levels: null, names: [scope], values: [] }]
      const facts = { level: 'low', time: '2026-11-22T00:00:00Z', hasValues: true }
      return Object.keys(Object(verifiedClaims(proven({ scope }, 'text'), request, facts)?.claims))
    })
  expect(metadata.claims_in_verified_claims_supported).toEqual([...new Set(released)].sort())
})
