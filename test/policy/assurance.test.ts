import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/codec/json.ts'
import { deriveLevel, lowestLevel, reachesLevel } from '../../src/policy/assurance.ts'
import { decide } from '../../src/policy/decide.ts'
import { ASSURANCE_LEVELS, type AssuranceLevel } from '../../src/trust/anchors/anchor.ts'
import { NOW, policyOf, presented } from './fixtures.ts'

const credentialOf = (assurance_level: AssuranceLevel, claims: JsonObject = {}, holderBound = true) =>
  presented('pid', claims, { anchor: { name: 'Authority', assurance_level }, holderBound }).credential

const levelOf = (...credential: Parameters<typeof credentialOf>) =>
  deriveLevel('pid', credentialOf(...credential)).level

describe('the assurance level of a credential', () => {
  test.each(ASSURANCE_LEVELS)('is the level of its anchor: %s', (level) => {
    expect(levelOf(level)).toBe(level)
  })

  test.each(ASSURANCE_LEVELS)('is low without holder binding, even with an anchor of level %s', (level) => {
    expect(levelOf(level, {}, false)).toBe('low')
  })

  test.each(ASSURANCE_LEVELS)(
    'is low if its status could not be checked, even with an anchor of level %s',
    (level) => {
      const unknown = { ...credentialOf(level), status: 'unavailable' } as const
      expect(deriveLevel('pid', unknown)).toEqual({
        level: 'low',
        derivation: [
          { step: 'anchor', id: 'pid', anchor: 'Authority', level },
          { step: 'holder_binding', id: 'pid', level },
          { step: 'status_unavailable', id: 'pid', level: 'low' },
        ],
      })
    },
  )

  test.each(ASSURANCE_LEVELS)(
    'is low if the issuer’s certificates may have been revoked, even with an anchor of level %s',
    (level) => {
      const certificates = { status: 'unavailable', cause: 'stale' } as const
      expect(deriveLevel('pid', { ...credentialOf(level), certificates })).toEqual({
        level: 'low',
        derivation: [
          { step: 'anchor', id: 'pid', anchor: 'Authority', level },
          { step: 'certificate_status_unavailable', id: 'pid', level: 'low' },
          { step: 'holder_binding', id: 'pid', level: 'low' },
          { step: 'status', id: 'pid', status: 'not_present', as_of: null, level: 'low' },
        ],
      })
    },
  )

  test.each([
    ['are on no revocation list', { status: 'valid', asOf: NOW }, new Date(NOW * 1000).toISOString()],
    ['name no revocation list', { status: 'not_present' }, null],
  ] as const)(
    'is unchanged if the issuer’s certificates %s, and the derivation has the as_of %s',
    (_, found, as_of) => {
      const { level, derivation } = deriveLevel('pid', { ...credentialOf('high'), certificates: found })
      expect(level).toBe('high')
      const { status } = found
      expect(derivation[1]).toEqual({ step: 'certificate_status', id: 'pid', status, as_of, level: 'high' })
      expect(derivation).toHaveLength(4)
    },
  )

  test.each<[AssuranceLevel, Json, AssuranceLevel]>([
    ['high', 'substantial', 'substantial'],
    ['high', 'low', 'low'],
    ['substantial', 'low', 'low'],
    ['low', 'high', 'low'],
    ['substantial', 'high', 'substantial'],
    ['high', 'high', 'high'],
    // words we do not know are none to rely on
    ['high', 'very high', 'low'],
    ['high', 'High', 'low'],
    ['high', 3, 'low'],
    ['high', null, 'low'],
    ['high', ['high'], 'low'],
  ])(
    'the assurance level of a credential with an anchor of level %s and the declared level %j is %s',
    (anchor, said, level) => {
      expect(levelOf(anchor, { assurance_level: said })).toBe(level)
      expect(levelOf(anchor, { credentialSubject: { assurance_level: said } })).toBe(level)
      expect(levelOf(anchor, { verification: { assurance_level: said } })).toBe(level)
    },
  )

  test('is the lowest level that the credential declares', () => {
    const claims = { assurance_level: 'substantial', verification: { assurance_level: 'low' } }
    expect(levelOf('high', claims)).toBe('low')
  })

  test('is unchanged if the credential declares a verification without a level', () => {
    expect(levelOf('high', { verification: { trust_framework: 'eidas' } })).toBe('high')
    expect(levelOf('high', { verification: 'done' })).toBe('high')
  })
})

describe('the derivation of the assurance level', () => {
  const anchor = { step: 'anchor', id: 'pid', anchor: 'Authority', level: 'high' }
  const bound = { step: 'holder_binding', id: 'pid', level: 'high' }
  const unlisted = { step: 'status', id: 'pid', status: 'not_present', as_of: null }
  const derivationOf = (claims: JsonObject, isBound: boolean) =>
    deriveLevel('pid', credentialOf('high', claims, isBound)).derivation

  test('lists anchor, holder binding, status and declared level, and the level after each step', () => {
    expect(derivationOf({}, true)).toEqual([anchor, bound, { ...unlisted, level: 'high' }])
    expect(derivationOf({ assurance_level: 'substantial' }, true)).toEqual([
      anchor,
      bound,
      { ...unlisted, level: 'high' },
      { step: 'credential_says', id: 'pid', level: 'substantial' },
    ])
    expect(derivationOf({ assurance_level: 'high' }, false)).toEqual([
      anchor,
      { step: 'no_holder_binding', id: 'pid', level: 'low' },
      { ...unlisted, level: 'low' },
      { step: 'credential_says', id: 'pid', level: 'low' },
    ])
  })

  test('ends at low for an unsigned request, because any person may have answered', () => {
    expect(deriveLevel('pid', credentialOf('high', {}, true), true)).toEqual({
      level: 'low',
      derivation: [
        anchor,
        bound,
        { step: 'no_session_binding', id: 'pid', level: 'low' },
        { ...unlisted, level: 'low' },
      ],
    })
  })

  test.each(['valid', 'revoked', 'suspended'] as const)(
    'has the time of the status list if the status is %s',
    (status) => {
      const credential = { ...credentialOf('high'), status, statusAsOf: 1_790_000_000 }
      const as_of = '2026-09-21T14:13:20.000Z'
      expect(deriveLevel('pid', credential).derivation[2]).toEqual({
        ...unlisted,
        status,
        as_of,
        level: 'high',
      })
    },
  )

  test('has no status for a credential outside its validity period', () => {
    const step = deriveLevel('pid', { ...credentialOf('high'), status: null }).derivation[2]
    expect(step).toEqual({ ...unlisted, status: null, level: 'high' })
  })
})

test('the level is low if there is no credential', () => {
  expect(lowestLevel([])).toEqual({ level: 'low', derivation: [] })
})

test('a level satisfies a requirement of the same or a lower level', () => {
  const reached = ASSURANCE_LEVELS.map((level) =>
    ASSURANCE_LEVELS.filter((required) => reachesLevel(level, required)),
  )
  expect(reached).toEqual([['low'], ['low', 'substantial'], ['low', 'substantial', 'high']])
})

describe('the required level', () => {
  const cases = ASSURANCE_LEVELS.flatMap((required, r) =>
    ASSURANCE_LEVELS.map((level, l) => [required, level, l >= r ? 'verified' : 'rejected'] as const),
  )

  test.each(cases)(
    'the required level of %s with an anchor of level %s makes the response %s',
    (required, level, status) => {
      const policy = policyOf({ required_assurance_level: required })
      const anchor = { name: 'Authority', assurance_level: level }
      const presentations = [presented('age_attestation', { age_over_18: true }, { anchor })]
      const decision = decide({ policy, presentations, now: NOW })
      expect(decision).toMatchObject({
        status,
        reason: status === 'verified' ? null : 'assurance_level_too_low',
        assurance_level: level,
        // the value is proven, though not well enough
        checks: { age_over_18: true },
      })
    },
  )

  test('is not reached by a credential without holder binding, unless the required level is low', () => {
    const policy = policyOf({ required_assurance_level: 'substantial' })
    const presentations = [presented('age_attestation', { age_over_18: true }, { holderBound: false })]
    expect(decide({ policy, presentations, now: NOW })).toMatchObject({
      status: 'rejected',
      reason: 'assurance_level_too_low',
      assurance_level: 'low',
    })
  })
})
