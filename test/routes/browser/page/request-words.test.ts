import { describe, expect, it } from 'vitest'
import TEXTS from '../../../../assets/texts/en.json' with { type: 'json' }
import { BUILT_IN_TYPES } from '../../../../src/policy/built-in-types.ts'
import type { RequestedGroup } from '../../../../src/policy/requested-claims.ts'
import { claimLines, credentialLines } from '../../../../src/routes/browser/page/request-words.ts'
import { fill } from '../../../../src/routes/browser/page/texts.ts'

describe('the text about the requested claims', () => {
  it('has words for every built-in type and scope, and for no other type or scope', () => {
    const types = BUILT_IN_TYPES.map(({ name }) => name)
    const scopes = BUILT_IN_TYPES.flatMap(({ formats }) =>
      Object.values(formats).flatMap((format) => Object.keys(format?.scopes ?? {})),
    )
    expect(Object.keys(TEXTS.types).sort()).toEqual(types.sort())
    // The words for `age_over_18` and so on have the number in them.
    const named = [...new Set(scopes)].filter((scope) => !/^age_over_(NN|\d\d)$/.test(scope))
    expect(Object.keys(TEXTS.scopes).sort()).toEqual(named.sort())
  })

  it('names two claims with the same meaning only once', () => {
    const items = ['birthdate', 'birth_date', 'age_over_06'].map((name) => claim(name))
    expect(claimLines({ items }, TEXTS)).toEqual(['date of birth', 'that you are 6 or older'])
  })

  it('marks a claim as optional, unless the same claim is also required', () => {
    const items = [
      claim('birthdate', true),
      claim('birth_date'),
      claim('email', true),
      { kind: 'credential' as const, name: 'pid', optional: false },
    ]
    expect(claimLines({ items }, TEXTS)).toEqual([
      'date of birth',
      'email address (if you like)',
      'national digital ID',
    ])
  })

  it.each<[string, RequestedGroup, string]>([
    [
      'alternatives',
      { alternatives: [[['mdl']], [['pid']], [['constructor']]], optional: false },
      'From: driving licence, national digital ID, or constructor',
    ],
    [
      'a combination',
      { alternatives: [[['mdl'], ['pid'], ['constructor']]], optional: false },
      'From: driving licence, national digital ID, and constructor',
    ],
    [
      'alternatives of combinations, one of several types',
      { alternatives: [[['mdl', 'photo_id'], ['age_attestation']], [['pid']]], optional: true },
      'If you like, also from: driving licence or photo ID and proof of age or national digital ID',
    ],
  ])('joins credentials as the query combines them: %s', (_, group, words) => {
    expect(credentialLines({ groups: [group] }, TEXTS)).toEqual([words])
  })

  it('inserts values unchanged, even values that look like placeholders', () => {
    expect(fill('{name}, {missing}', { name: '$& {name}' })).toBe('$& {name}, {missing}')
  })
})

function claim(name: string, optional = false) {
  return { kind: 'claim' as const, name, optional }
}
