import { describe, expect, it } from 'vitest'
import { BUILT_IN_TYPES } from '../../../src/policy/catalogue.ts'
import { askedClaims, askedTypes } from '../../../src/routes/page/asked.ts'
import { fill, textsFor } from '../../../src/routes/page/texts.ts'

const TEXTS = textsFor(null)

describe('what is asked, in words', () => {
  it('has words for every built-in type and scope, and no word for any other', () => {
    const types = BUILT_IN_TYPES.map(({ name }) => name)
    const scopes = BUILT_IN_TYPES.flatMap(({ formats }) =>
      Object.values(formats).flatMap((format) => Object.keys(format?.scopes ?? {})),
    )
    expect(Object.keys(TEXTS.types).sort()).toEqual(types.sort())
    const named = [...new Set(scopes)].filter((scope) => scope !== 'age_over_NN')
    expect(Object.keys(TEXTS.scopes).sort()).toEqual(named.sort())
  })

  it('says what means the same only once', () => {
    expect(askedClaims({ scope: ['birthdate', 'birth_date', 'age_over_06'] }, TEXTS)).toEqual([
      'date of birth',
      'that you are 6 or older',
    ])
  })

  it.each([
    ['any', 'driving licence, national digital ID, or constructor'],
    ['all', 'driving licence, national digital ID, and constructor'],
  ] as const)('joins the credentials by how many of them are asked for: %s', (credential_match, words) => {
    const credential_types = ['mdl', 'pid', 'constructor']
    expect(askedTypes({ credential_types, credential_match }, TEXTS)).toBe(words)
  })

  it('puts a value in as it is, whatever it looks like', () => {
    expect(fill('{name}, {missing}', { name: '$& {name}' })).toBe('$& {name}, {missing}')
  })
})
