// The `claims` parameter (OpenID Connect Core 1.0 §5.5, Identity Assurance 1.0 §6).

import { describe, expect, it } from 'vitest'
import { parseClaims } from '../../../src/routes/oidc/claims-parameter.ts'
import { verifiedClaims } from '../../../src/session/login/released-claims.ts'

const HIGH = 'urn:wallet-verifier:assurance:high'
const LOW = 'urn:wallet-verifier:assurance:low'

const parse = (claims: object) => parseClaims(JSON.stringify(claims))

describe('a malformed request', () => {
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
  ])('is refused under both tokens: %s', (_, claims) => {
    expect(parse({ id_token: claims })).toBeUndefined()
    expect(parse({ userinfo: claims })).toBeUndefined()
  })

  it('is none where null, an object or a list of `verified_claims` is well-formed', () => {
    const claims = { family_name: null, given_name: { essential: true }, birthdate: { essential: false } }
    const names = [...Object.keys(claims), 'verified_claims']
    expect(parse({ id_token: { ...claims, verified_claims: [{ claims: {} }] } })?.id_token.names).toEqual(
      names,
    )
  })
})

describe('conditions on one claim', () => {
  it.each<[string, object, readonly string[] | null]>([
    ['there is none', { id_token: { sub: null }, userinfo: { sub: { essential: true } } }, null],
    ['only one token has it', { userinfo: { sub: { value: 'a' } } }, ['a']],
    ['both are the same', { id_token: { sub: { value: 'a' } }, userinfo: { sub: { value: 'a' } } }, ['a']],
    ['they differ', { id_token: { sub: { value: 'a' } }, userinfo: { sub: { value: 'b' } } }, []],
    [
      'they have one in common',
      { id_token: { sub: { values: ['a', 'b'] } }, userinfo: { sub: { values: ['b', 'c'] } } },
      ['b'],
    ],
    ['`value` is among `values`', { id_token: { sub: { value: 'a', values: ['b', 'a'] } } }, ['a']],
    ['`values` is empty', { id_token: { sub: { values: [] } } }, []],
  ])('the acceptable sub satisfies all of them: %s', (_, claims, sub) => {
    expect(parse(claims)?.sub).toEqual(sub)
  })

  it.each<[string, object, readonly string[] | null]>([
    ['voluntary', { id_token: { acr: { value: HIGH } }, userinfo: { acr: { value: HIGH } } }, null],
    ['under id_token', { id_token: { acr: { essential: true, value: HIGH } } }, [HIGH]],
    ['under userinfo', { userinfo: { acr: { essential: true, value: HIGH } } }, [HIGH]],
    ['without a value', { userinfo: { acr: { essential: true } } }, null],
    [
      'under both, with one value in common',
      {
        id_token: { acr: { essential: true, values: [LOW, HIGH] } },
        userinfo: { acr: { essential: true, value: HIGH } },
      },
      [HIGH],
    ],
    [
      'under one, and voluntary under the other',
      { id_token: { acr: { essential: true, value: LOW } }, userinfo: { acr: { value: HIGH } } },
      [LOW],
    ],
  ])('only an essential acr is one: %s', (_, claims, acr) => {
    expect(parse(claims)?.acr).toEqual(acr)
  })
})

describe('verification of verified_claims', () => {
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
    ['the framework', { trust_framework: { value: FRAMEWORK } }],
    ['the level', { trust_framework: null, assurance_level: { values: ['high', 'substantial'] } }],
  ])('is met with %s', (_, verification) => {
    expect(releasedWith(verification)).toEqual({ family_name: 'Mustermann' })
  })

  it.each<[string, unknown]>([
    ['another framework', { trust_framework: { value: 'eidas' } }],
    ['a framework that is a text', { trust_framework: FRAMEWORK }],
    ['a framework that is a number', { trust_framework: { value: 1 } }],
    ['a framework among values that are no texts', { trust_framework: { values: [FRAMEWORK, 1] } }],
    ['no value for the framework', { trust_framework: { values: [] } }],
    ['a `value` that differs from `values`', { assurance_level: { value: 'high', values: ['substantial'] } }],
    ['a maximum age of the framework', { trust_framework: { value: FRAMEWORK, max_age: 1 } }],
    ['a maximum age of the time', { time: { max_age: 63_113_852 } }],
    ['a maximum age without a number', { time: { max_age: null } }],
    ['a value of another member', { assurance_process: { policy: { value: 'gpg45' } } }],
    ['values of another member', { verification_process: { values: [] } }],
    ['a type of the evidence', { evidence: [{ type: { value: 'document' } }] }],
    ['a second piece of evidence', { evidence: [{ type: null }, { time: { max_age: 1 } }] }],
    ['a text as another member', { verification_process: 'f24c6f-6d3f' }],
  ])('is never met with %s', (_, verification) => {
    expect(releasedWith(verification)).toBeUndefined()
  })
})
