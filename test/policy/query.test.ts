import { DcqlQuery } from 'dcql'
import { describe, expect, test } from 'vitest'
import { BUILT_IN_TYPES } from '../../src/policy/built-in-types.ts'
import type { CredentialTypeDefinition } from '../../src/policy/policy.ts'
import { requestedTypes } from '../../src/policy/query.ts'
import { ALL_FORMATS, MDOC, policyOf, SD_JWT } from './fixtures.ts'

describe('the DCQL query', () => {
  test('the DCQL query of one type in one format is exactly one credential query, without credential_sets', () => {
    expect(policyOf().query).toEqual({
      credentials: [
        {
          id: 'age_attestation',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:eu.europa.ec.av:1'] },
          claims: [{ path: ['age_over_18'] }],
        },
      ],
    })
  })

  test('has one option for each credential, in the given order (credential_match any)', () => {
    const { query } = policyOf({ credential_types: ['pid', 'age_attestation'] }, [SD_JWT, MDOC])
    expect(query.credentials.map(({ id }) => id)).toEqual([
      'pid-dc_sd-jwt',
      'pid-mso_mdoc',
      'age_attestation-dc_sd-jwt',
      'age_attestation-mso_mdoc',
    ])
    expect(query.credential_sets).toEqual([
      {
        options: [
          ['pid-dc_sd-jwt'],
          ['pid-mso_mdoc'],
          ['age_attestation-dc_sd-jwt'],
          ['age_attestation-mso_mdoc'],
        ],
      },
    ])
  })

  test('has one required set for each type, with one option for each format (credential_match all)', () => {
    const { query } = policyOf(
      { credential_types: ['pid', 'mdl'], scope: ['family_name'], credential_match: 'all' },
      [SD_JWT, MDOC],
    )
    expect(query.credential_sets).toEqual([
      { options: [['pid-dc_sd-jwt'], ['pid-mso_mdoc']] },
      { options: [['mdl']] },
    ])
  })

  test('has no credential_sets if each type has one format, because each query is then required (credential_match all, §6.4.2)', () => {
    const changes = { credential_types: ['pid', 'age_attestation'], credential_match: 'all' } as const
    for (const format of [SD_JWT, MDOC]) {
      const { query } = policyOf(changes, [format])
      expect(query.credentials.map(({ id }) => id)).toEqual(['pid', 'age_attestation'])
      expect(query).not.toHaveProperty('credential_sets')
      expect(DcqlQuery.parse(query as never).credential_sets).toBeUndefined()
    }
  })

  test('requests all identifiers of a type in one query if the format allows several identifiers', () => {
    const formats = { 'dc+sd-jwt': { identifiers: ['urn:a', 'urn:b'], scopes: { x: { path: ['x'] } } } }
    const { query } = policyOf(
      { credential_types: ['ab'], scope: ['x'] },
      [SD_JWT],
      [{ name: 'ab', formats }],
    )
    expect(query).toEqual({
      credentials: [
        {
          id: 'ab',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:a', 'urn:b'] },
          claims: [{ path: ['x'] }],
        },
      ],
    })
  })

  test('requests each mdoc document type in its own query, in the namespace of the same name', () => {
    const { query, descriptors } = policyOf({ credential_types: ['photo_id'], scope: ['person_id'] }, [MDOC])
    const queryFor = (id: string, docType: string) => ({
      id,
      format: 'mso_mdoc',
      meta: { doctype_value: docType },
      claims: [{ path: [docType, 'person_id'], intent_to_retain: false }],
    })
    expect(query).toEqual({
      credentials: [
        queryFor('photo_id-mso_mdoc', 'org.iso.23220.photoid.1'),
        queryFor('photo_id-mso_mdoc-2', 'org.iso.23220.photoID.1'),
      ],
      credential_sets: [{ options: [['photo_id-mso_mdoc'], ['photo_id-mso_mdoc-2']] }],
    })
    expect(descriptors.map(({ scopes }) => scopes[0]?.path[0])).toEqual([
      'org.iso.23220.photoid.1',
      'org.iso.23220.photoID.1',
    ])
  })

  test('has `intent_to_retain: false` for each mdoc claim, and no `intent_to_retain` for other claims (B.2.4)', () => {
    const { query } = policyOf(
      { credential_types: ['pid'], scope: ['family_name', 'age_over_18'], allow_derived: true },
      [SD_JWT, MDOC],
    )
    const intents = query.credentials.map(({ claims }) => claims?.map((claim) => claim.intent_to_retain))
    expect(intents).toEqual([
      [undefined, undefined, undefined],
      [false, false, false],
    ])
  })

  test('never requests values, because the response would then reveal withheld values (§6.4.1)', () => {
    const { query } = policyOf({
      credential_types: ['pid'],
      scope: ['age_over_18', 'family_name'],
      allow_derived: true,
    })
    expect(JSON.stringify(query)).not.toContain('"values"')
  })

  test('leaves holder binding at its default, required (§6.1)', () => {
    expect(policyOf().query.credentials[0]).not.toHaveProperty('require_cryptographic_holder_binding')
  })

  test('requests a claim once if two scopes need the same claim', () => {
    const { query } = policyOf(
      { credential_types: ['mdl'], scope: ['birth_date', 'birthdate', 'age_over_18'], allow_derived: true },
      [MDOC],
    )
    const paths = query.credentials[0]?.claims?.map(({ path }) => path.join('.'))
    expect(paths).toEqual(['org.iso.18013.5.1.birth_date', 'org.iso.18013.5.1.age_over_18'])
  })
})

describe('a query whose ages may be derived', () => {
  const claimsOf = (scope: string[]) => {
    const [credential] = policyOf({ credential_types: ['pid'], scope, allow_derived: true }).query.credentials
    const names = new Map(credential?.claims?.map(({ id, path }) => [id, path.join('.')]))
    return credential?.claim_sets?.map((set) => set.map((id) => names.get(id)))
  }

  test('has the age claim in the first claim set, and the birthdate in the second', () => {
    expect(claimsOf(['age_over_18'])).toEqual([['age_equal_or_over.18'], ['birthdate']])
  })

  test('has every other claim in both claim sets', () => {
    expect(claimsOf(['family_name', 'age_over_18', 'age_over_21', 'sex'])).toEqual([
      ['family_name', 'age_equal_or_over.18', 'age_equal_or_over.21', 'sex'],
      ['family_name', 'sex', 'birthdate'],
    ])
  })

  test('has a requested birthdate in both claim sets', () => {
    expect(claimsOf(['birthdate', 'age_over_18'])).toEqual([
      ['birthdate', 'age_equal_or_over.18'],
      ['birthdate'],
    ])
  })

  test('has no claim sets if no age is requested or the type has no birthdate', () => {
    expect(claimsOf(['birthdate', 'family_name'])).toBeUndefined()
    expect(policyOf({ allow_derived: true }).query.credentials[0]).toEqual(policyOf().query.credentials[0])
  })
})

describe('query ids', () => {
  const named = (name: string): CredentialTypeDefinition => ({
    name,
    formats: { 'dc+sd-jwt': { identifiers: [`urn:${name}`], scopes: { age_over_18: { path: ['adult'] } } } },
  })

  test('are unique and contain only [A-Za-z0-9_-] for any type name (§6.1)', () => {
    const names = ['a b', 'a_b', 'a_b-2', 'a.b', 'é', '日', '', '__proto__', 'constructor']
    const policy = policyOf({ credential_types: names }, [SD_JWT], names.map(named))
    const ids = policy.query.credentials.map(({ id }) => id)
    expect(ids).toEqual(['a_b', 'a_b-2', 'a_b-2-2', 'a_b-3', '_', '_-2', '_-3', '__proto__', 'constructor'])
    expect(new Set(ids).size).toBe(names.length)
    expect(policy.descriptors.map(({ query_id }) => query_id)).toEqual(ids)
    expect(policy.descriptors.map(({ credential_type }) => credential_type)).toEqual(names)
    expect(policy.query.credential_sets).toEqual([{ options: ids.map((id) => [id]) }])
  })
})

describe('the types of the presentation definition', () => {
  test('are the requested types, and each scope has its path in every format', () => {
    const formats = ALL_FORMATS.map(({ id }) => id)
    const policy = policyOf({ credential_types: ['pid', 'age_attestation'], formats }, ALL_FORMATS)
    expect(requestedTypes(policy)).toEqual([
      {
        name: 'pid',
        claims: [
          {
            scope: 'age_over_18',
            paths: [
              ['age_equal_or_over', '18'],
              ['eu.europa.ec.eudi.pid.1', 'age_over_18'],
              ['credentialSubject', 'age_equal_or_over', '18'],
            ],
          },
        ],
      },
      {
        name: 'age_attestation',
        claims: [
          {
            scope: 'age_over_18',
            paths: [
              ['age_over_18'],
              ['eu.europa.ec.av.1', 'age_over_18'],
              ['credentialSubject', 'age_over_18'],
            ],
          },
        ],
      },
    ])
  })

  test('are only the types that the query requests (credential_match any)', () => {
    const policy = policyOf({ credential_types: ['age_attestation', 'pid'], scope: ['family_name'] })
    expect(requestedTypes(policy).map(({ name }) => name)).toEqual(['pid'])
  })
})

describe('the query of a request with or without formats', () => {
  const formatsOf = (changes: Parameters<typeof policyOf>[0], added?: readonly CredentialTypeDefinition[]) =>
    new Set(policyOf(changes, ALL_FORMATS, added).query.credentials.map(({ format }) => format))

  test.each(BUILT_IN_TYPES.map(({ name, formats }) => [name, scopeInAll(formats)] as const))(
    'requests %s only as SD-JWT VC or mdoc, because wallets refuse requests with other formats',
    (name, scope) => {
      const formats = formatsOf({ credential_types: [name], scope: [scope] })
      expect(['dc+sd-jwt', 'mso_mdoc']).toEqual(expect.arrayContaining([...formats]))
    },
  )

  test('requests jwt_vc_json if the request names that format', () => {
    const changes = { credential_types: ['pid'], scope: ['family_name'] }
    expect(formatsOf({ ...changes, formats: ['jwt_vc_json'] })).toEqual(new Set(['jwt_vc_json']))
    const formats = ['jwt_vc_json', 'dc+sd-jwt']
    expect(formatsOf({ ...changes, formats })).toEqual(new Set(formats))
  })

  const member = { identifiers: ['Member'], scopes: { a: { path: ['credentialSubject', 'a'] } } }

  test('requests a type as jwt_vc_json if the type has no other format', () => {
    const type = { name: 'member', formats: { jwt_vc_json: member } }
    const formats = formatsOf({ credential_types: ['member'], scope: ['a'] }, [type])
    expect(formats).toEqual(new Set(['jwt_vc_json']))
  })

  test('requests jwt_vc_json if the other formats of a type lack a requested scope', () => {
    const scopes = { ...member.scopes, b: { path: ['credentialSubject', 'b'] } }
    const sdJwt = { identifiers: ['urn:member'], scopes: { a: { path: ['a'] } } }
    const type = { name: 'member', formats: { 'dc+sd-jwt': sdJwt, jwt_vc_json: { ...member, scopes } } }
    const requested = { credential_types: ['member'], credential_match: 'all' } as const
    expect(formatsOf({ ...requested, scope: ['a'] }, [type])).toEqual(new Set(['dc+sd-jwt']))
    expect(formatsOf({ ...requested, scope: ['a', 'b'] }, [type])).toEqual(new Set(['jwt_vc_json']))
  })
})

/** A scope that every format of a type has. */
function scopeInAll(formats: CredentialTypeDefinition['formats']): string {
  const [first = [], ...others] = Object.values(formats).map(({ scopes }) => Object.keys(scopes))
  const name = first.find((scope) => others.every((names) => names.includes(scope)))
  return (name ?? '').replace('NN', '18')
}
