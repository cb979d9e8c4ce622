import { describe, expect, test } from 'vitest'
import { buildPolicy, POLICY_ERRORS, type PolicyRequest } from '../../src/policy/build-policy.ts'
import { typeDefinitions } from '../../src/policy/catalogue.ts'
import type { CredentialTypeDefinition } from '../../src/policy/policy.ts'
import { requestedTypes } from '../../src/policy/query.ts'
import { ALL_FORMATS, MDOC, MEMBERSHIP, policyOf, requestOf, SD_JWT } from './fixtures.ts'

function errorsOf(changes: Partial<PolicyRequest>, formats = [SD_JWT], added = [MEMBERSHIP]) {
  const built = buildPolicy(requestOf(changes), { definitions: typeDefinitions(added), formats })
  return built.ok ? 'a policy' : built.error
}

const unsatisfiable = (pointer: string, code: keyof typeof POLICY_ERRORS) => {
  expect(POLICY_ERRORS[code]).toBe('policy_unsatisfiable')
  return { code, pointer }
}

describe('a policy is refused with 400 for', () => {
  test.each([
    [
      'an unknown type',
      { credential_types: ['age_attestation', 'nonsense'] },
      'unsupported_credential_type',
      '/credential_types/1',
    ],
    ['an unknown scope', { scope: ['age_over_18', 'shoe_size'] }, 'unsupported_scope', '/scope/1'],
    ['the age pattern itself as a scope', { scope: ['age_over_NN'] }, 'unsupported_scope', '/scope/0'],
    ['an age of three digits', { scope: ['age_over_180'] }, 'unsupported_scope', '/scope/0'],
    ['an unknown format', { formats: ['dc+sd-jwt', 'ldp_vc'] }, 'invalid_request', '/formats/1'],
    [
      'a format of the catalogue that we do not verify',
      { formats: ['mso_mdoc'] },
      'invalid_request',
      '/formats/0',
    ],
    [
      '__proto__ as a type',
      { credential_types: ['__proto__'] },
      'unsupported_credential_type',
      '/credential_types/0',
    ],
    ['constructor as a scope', { scope: ['constructor'] }, 'unsupported_scope', '/scope/0'],
    ['an empty list of types', { credential_types: [] }, 'invalid_request', '/credential_types'],
    ['an empty list of scopes', { scope: [] }, 'invalid_request', '/scope'],
    ['an empty list of formats', { formats: [] }, 'invalid_request', '/formats'],
  ])('%s', (_, changes, code, pointer) => {
    expect(errorsOf(changes)).toContainEqual({ code, pointer })
  })

  test('unknown names, and all of them are reported in one response', () => {
    expect(errorsOf({ credential_types: ['a', 'pid'], scope: ['b', 'age_over_18', 'c'] })).toEqual([
      { code: 'unsupported_credential_type', pointer: '/credential_types/0' },
      { code: 'unsupported_scope', pointer: '/scope/0' },
      { code: 'unsupported_scope', pointer: '/scope/2' },
    ])
  })

  test('an unknown name, even if it also has an error with status 422, which is not reported', () => {
    expect(errorsOf({ credential_types: ['mdl'], scope: ['shoe_size'] })).toEqual([
      { code: 'unsupported_scope', pointer: '/scope/0' },
    ])
  })

  test('a type that only another relying party added', () => {
    const changes = { credential_types: ['membership'], scope: ['active'] }
    expect(errorsOf(changes)).toBe('a policy')
    expect(errorsOf(changes, [SD_JWT], [])).toEqual([
      { code: 'unsupported_credential_type', pointer: '/credential_types/0' },
      { code: 'unsupported_scope', pointer: '/scope/0' },
    ])
  })
})

describe('a policy is refused with 422 for', () => {
  test('a scope that no requested type has', () => {
    expect(errorsOf({ scope: ['age_over_18', 'family_name'] })).toEqual([
      unsatisfiable('/scope/1', 'scope_not_carried'),
    ])
  })

  test('a scope that the type has only in a format that was not requested', () => {
    const both: CredentialTypeDefinition = {
      name: 'both',
      formats: {
        'dc+sd-jwt': { identifiers: ['both'], scopes: { a: { path: ['a'] } } },
        mso_mdoc: { identifiers: ['both'], scopes: { a: { path: ['ns', 'a'] }, b: { path: ['ns', 'b'] } } },
      },
    }
    const changes = { credential_types: ['both'], scope: ['a', 'b'] }
    expect(errorsOf(changes, ALL_FORMATS, [both])).toBe('a policy')
    expect(errorsOf({ ...changes, formats: ['dc+sd-jwt'] }, ALL_FORMATS, [both])).toEqual([
      unsatisfiable('/scope/1', 'scope_not_carried'),
    ])
  })

  test('a type that has no format of this service, if the type is required or is the only type', () => {
    const changes = { credential_types: ['pid', 'mdl'], scope: ['family_name'] }
    const missing = unsatisfiable('/credential_types/1', 'type_without_format')
    expect(errorsOf({ ...changes, credential_match: 'all' }, ALL_FORMATS)).toBe('a policy')
    expect(errorsOf({ ...changes, credential_match: 'all' })).toEqual([missing])
    expect(errorsOf({ ...changes, credential_match: 'any' })).toBe('a policy')
    expect(errorsOf({ ...changes, credential_types: ['mdl'] })).toContainEqual({
      ...missing,
      pointer: '/credential_types/0',
    })
  })

  test('scopes that no single credential has together (credential_match any)', () => {
    const changes = { credential_types: ['pid', 'membership'], scope: ['family_name', 'active'] }
    expect(errorsOf({ ...changes, credential_match: 'any' })).toEqual([
      unsatisfiable('/scope', 'scopes_not_carried_together'),
    ])
    expect(errorsOf({ ...changes, credential_match: 'all' })).toBe('a policy')
  })

  test('scopes that a type carries only in different formats (credential_match all)', () => {
    const split: CredentialTypeDefinition = {
      name: 'split',
      formats: {
        'dc+sd-jwt': { identifiers: ['split'], scopes: { a: { path: ['a'] } } },
        mso_mdoc: { identifiers: ['split'], scopes: { b: { path: ['ns', 'b'] } } },
      },
    }
    const changes = { credential_types: ['split'], scope: ['a', 'b'], credential_match: 'all' } as const
    expect(errorsOf(changes, ALL_FORMATS, [split])).toEqual([
      unsatisfiable('/scope', 'scopes_not_carried_together'),
    ])
  })
})

describe('a policy', () => {
  test('contains a repeated name once, in the order of first occurrence', () => {
    const policy = policyOf({
      credential_types: ['pid', 'age_attestation', 'pid'],
      scope: ['age_over_21', 'age_over_18', 'age_over_21'],
      formats: ['dc+sd-jwt', 'dc+sd-jwt'],
    })
    expect(requestedTypes(policy).map(({ name }) => name)).toEqual(['pid', 'age_attestation'])
    expect(policy.scope).toEqual(['age_over_21', 'age_over_18'])
    expect(policy.query.credentials.map(({ id }) => id)).toEqual(['pid', 'age_attestation'])
  })

  test('contains only scope, query and descriptors, because the stored request has the other members', () => {
    const built = buildPolicy(requestOf({ credential_match: 'all', allow_derived: true }), {
      definitions: typeDefinitions([MEMBERSHIP]),
      formats: ALL_FORMATS,
    })
    expect(built.ok && Object.keys(built.value)).toEqual(['scope', 'query', 'descriptors'])
  })

  test('requests, with credential_match any, only credential types that have all requested scopes', () => {
    const policy = policyOf({
      credential_types: ['age_attestation', 'pid'],
      scope: ['age_over_18', 'family_name'],
    })
    expect(policy.descriptors.map(({ query_id }) => query_id)).toEqual(['pid'])
    expect(policy.query.credential_sets).toBeUndefined()
  })

  test('requests, with credential_match all, only the scopes that each credential type has', () => {
    const policy = policyOf({
      credential_types: ['membership', 'pid'],
      scope: ['family_name', 'active', 'given_name'],
      credential_match: 'all',
    })
    const scopes = policy.descriptors.map(({ credential_type, scopes }) => [
      credential_type,
      scopes.map(({ scope }) => scope),
    ])
    expect(scopes).toEqual([
      ['membership', ['active']],
      ['pid', ['family_name', 'given_name']],
    ])
  })

  test('is refused for a type that carries none of the scopes (credential_match all)', () => {
    const request = requestOf({
      credential_types: ['membership', 'pid'],
      scope: ['family_name'],
      credential_match: 'all',
    })
    expect(buildPolicy(request, { definitions: typeDefinitions([MEMBERSHIP]), formats: [SD_JWT] })).toEqual({
      ok: false,
      error: [{ code: 'type_without_scope', pointer: '/credential_types/0' }],
    })
  })

  test("uses the order of formats in the request, or the service's order if the request names no formats", () => {
    const formatsOf = (formats: string[] | null) =>
      policyOf({ credential_types: ['pid'], formats }, [SD_JWT, MDOC]).query.credentials.map(
        ({ format }) => format,
      )
    expect(formatsOf(null)).toEqual(['dc+sd-jwt', 'mso_mdoc'])
    expect(formatsOf(['mso_mdoc', 'dc+sd-jwt'])).toEqual(['mso_mdoc', 'dc+sd-jwt'])
    expect(formatsOf(['mso_mdoc'])).toEqual(['mso_mdoc'])
  })
})
