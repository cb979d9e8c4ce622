import { createHash } from 'node:crypto'
import { SDJwt } from '@sd-jwt/core'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/codec/json.ts'
import { selectClaims } from '../../src/openid4vp/dcql/claims-path.ts'
import { BUILT_IN_TYPES } from '../../src/policy/built-in-types.ts'
import { scopePath, typeConflicts, typeDefinitions, typeOf } from '../../src/policy/catalogue.ts'
import type { CredentialTypeDefinition } from '../../src/policy/policy.ts'
import vectors from '../vectors/sd-jwt-vc.json' with { type: 'json' }
import { MEMBERSHIP } from './fixtures.ts'

const builtIn = (name: string) =>
  BUILT_IN_TYPES.find((type) => type.name === name) as CredentialTypeDefinition
const path = (type: string, format: string, scope: string) =>
  scopePath(builtIn(type), format, scope, false)?.path

describe('the built-in types', () => {
  test.each([
    ['dc+sd-jwt', 'urn:eu.europa.ec.av:1', 'age_attestation'],
    ['mso_mdoc', 'eu.europa.ec.av.1', 'age_attestation'],
    ['jwt_vc_json', 'AgeAttestationCredential', 'age_attestation'],
    ['dc+sd-jwt', 'urn:eudi:pid:1', 'pid'],
    ['mso_mdoc', 'eu.europa.ec.eudi.pid.1', 'pid'],
    ['jwt_vc_json', 'PersonIdentificationData', 'pid'],
    ['mso_mdoc', 'org.iso.18013.5.1.mDL', 'mdl'],
    ['mso_mdoc', 'org.iso.23220.photoid.1', 'photo_id'],
    ['mso_mdoc', 'org.iso.23220.photoID.1', 'photo_id'],
    ['mso_mdoc', 'com.google.wallet.idcard.1', 'google_id_pass'],
    ['mso_mdoc', 'org.iso.23220.1.jp.mnc', 'my_number_card'],
    ['mso_mdoc', 'in.gov.uidai.aadhaar.1', 'aadhaar'],
  ])('include, in the format %s, the identifier %s of the type %s', (format, identifier, name) => {
    expect(typeOf(typeDefinitions([]))(format, identifier)).toEqual({ name, builtIn: true })
  })

  test.each([
    ['dc+sd-jwt', 'eu.europa.ec.eudi.pid.1'],
    ['mso_mdoc', 'urn:eudi:pid:1'],
    ['dc+sd-jwt', 'urn:eudi:pid:1 '],
    ['dc+sd-jwt', 'urn:eudi:pid:xx:1'],
    ['__proto__', 'urn:eudi:pid:1'],
    ['constructor', 'name'],
    ['toString', 'toString'],
  ])('do not include, in the format %s, the identifier %s', (format, identifier) => {
    expect(typeOf(typeDefinitions([]))(format, identifier)).toBeUndefined()
  })

  test('have different identifiers and different names', () => {
    expect(typeConflicts([])).toEqual([])
    expect(
      BUILT_IN_TYPES.flatMap((_, index) => typeConflicts(BUILT_IN_TYPES.slice(index, index + 1))).length,
    ).toBe(
      // Each of the first four conflicts with itself: once by name, once for each identifier.
      4 + 9,
    )
  })

  test('request mdoc claims only by namespace and element (OpenID4VP 1.0 §7.2)', () => {
    const paths = BUILT_IN_TYPES.flatMap((type) => Object.values(type.formats.mso_mdoc?.scopes ?? {}))
    expect(paths.length).toBeGreaterThan(80)
    for (const { path } of paths) expect(path).toEqual([expect.any(String), expect.any(String)])
  })

  test('request only claims that an SD-JWT VC may disclose selectively (SD-JWT VC §2.2.2.2)', () => {
    const top = BUILT_IN_TYPES.flatMap((type) => Object.values(type.formats['dc+sd-jwt']?.scopes ?? {})).map(
      ({ path }) => path[0],
    )
    for (const claim of ['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'aka_vcts', 'status']) {
      expect(top).not.toContain(claim)
    }
  })
})

describe('scope paths', () => {
  test.each([
    ['age_attestation', 'dc+sd-jwt', 'age_over_18', ['age_over_18']],
    ['age_attestation', 'dc+sd-jwt', 'age_over_65', ['age_over_65']],
    ['age_attestation', 'mso_mdoc', 'age_over_18', ['eu.europa.ec.av.1', 'age_over_18']],
    ['age_attestation', 'jwt_vc_json', 'age_over_21', ['credentialSubject', 'age_over_21']],
    ['pid', 'dc+sd-jwt', 'age_over_18', ['age_equal_or_over', '18']],
    ['pid', 'mso_mdoc', 'age_over_18', ['eu.europa.ec.eudi.pid.1', 'age_over_18']],
    ['pid', 'jwt_vc_json', 'age_over_16', ['credentialSubject', 'age_equal_or_over', '16']],
    ['pid', 'dc+sd-jwt', 'address.locality', ['address', 'locality']],
    ['pid', 'mso_mdoc', 'address.locality', ['eu.europa.ec.eudi.pid.1', 'resident_city']],
    ['pid', 'jwt_vc_json', 'nationalities', ['credentialSubject', 'nationalities']],
    ['mdl', 'mso_mdoc', 'age_over_25', ['org.iso.18013.5.1', 'age_over_25']],
    ['mdl', 'mso_mdoc', 'driving_privileges', ['org.iso.18013.5.1', 'driving_privileges']],
    ['mdl', 'mso_mdoc', 'birthdate', ['org.iso.18013.5.1', 'birth_date']],
    ['mdl', 'mso_mdoc', 'DHS_compliance', ['org.iso.18013.5.1.aamva', 'DHS_compliance']],
    ['mdl', 'mso_mdoc', 'sex', ['org.iso.18013.5.1', 'sex']],
    ['photo_id', 'mso_mdoc', 'family_name', ['org.iso.23220.1', 'family_name']],
    ['photo_id', 'mso_mdoc', 'family_name_unicode', ['org.iso.23220.1', 'family_name_unicode']],
    ['photo_id', 'mso_mdoc', 'given_name_unicode', ['org.iso.23220.1', 'given_name_unicode']],
    ['photo_id', 'mso_mdoc', 'issuing_authority_latin1', ['org.iso.23220.1', 'issuing_authority_latin1']],
    ['google_id_pass', 'mso_mdoc', 'age_over_21', ['org.iso.18013.5.1', 'age_over_21']],
    ['google_id_pass', 'mso_mdoc', 'birthdate', ['org.iso.18013.5.1', 'birth_date']],
    ['my_number_card', 'mso_mdoc', 'full_name_unicode', ['org.iso.23220.1.jp', 'full_name_unicode']],
    ['my_number_card', 'mso_mdoc', 'age_over_20', ['org.iso.23220.1', 'age_over_20']],
    ['aadhaar', 'mso_mdoc', 'resident_name', ['in.gov.uidai.aadhaar.1', 'resident_name']],
    ['aadhaar', 'mso_mdoc', 'age_over_18', ['in.gov.uidai.aadhaar.1', 'age_above18']],
    ['aadhaar', 'mso_mdoc', 'age_above18', ['in.gov.uidai.aadhaar.1', 'age_above18']],
  ])('for the type %s in the format %s, the scope %s has the path %j', (type, format, scope, expected) => {
    expect(path(type, format, scope)).toEqual(expected)
  })

  test.each([
    ['age_attestation', 'dc+sd-jwt', 'family_name'],
    ['age_attestation', 'dc+sd-jwt', 'age_over_NN'],
    ['age_attestation', 'dc+sd-jwt', 'age_over_00'],
    ['age_attestation', 'dc+sd-jwt', 'age_over_180'],
    ['mdl', 'dc+sd-jwt', 'family_name'],
    ['aadhaar', 'mso_mdoc', 'age_over_21'],
    ['my_number_card', 'mso_mdoc', 'individual_number_unicode'],
    ['pid', 'dc+sd-jwt', '__proto__'],
    ['pid', 'dc+sd-jwt', 'constructor'],
    ['pid', '__proto__', 'toString'],
    ['pid', 'dc+sd-jwt', ''],
  ])('for the type %s in the format %s, there is no path of the scope %j', (type, format, scope) => {
    expect(path(type, format, scope)).toBeUndefined()
  })

  test('mark every age as boolean, and another claim only if its type declares it as boolean', () => {
    expect(scopePath(builtIn('pid'), 'dc+sd-jwt', 'age_over_18', false)).toMatchObject({ boolean: true })
    expect(scopePath(builtIn('pid'), 'dc+sd-jwt', 'family_name', false)).toMatchObject({ boolean: false })
    expect(scopePath(MEMBERSHIP, 'dc+sd-jwt', 'active', false)).toMatchObject({ boolean: true })
    const forgotten = withScopes({ age_over_18: { path: ['adult'] } })
    expect(scopePath(forgotten, 'dc+sd-jwt', 'age_over_18', false)).toMatchObject({ boolean: true })
  })

  test('allow a derived age only if the request allows it and the type has a birthdate', () => {
    const pid = builtIn('pid')
    const derived = { path: ['birthdate'], age: 18 }
    expect(scopePath(pid, 'dc+sd-jwt', 'age_over_18', true)?.derived).toEqual(derived)
    expect(scopePath(pid, 'dc+sd-jwt', 'age_over_18', false)?.derived).toBeUndefined()
    expect(scopePath(pid, 'dc+sd-jwt', 'family_name', true)?.derived).toBeUndefined()
    expect(scopePath(builtIn('age_attestation'), 'dc+sd-jwt', 'age_over_18', true)?.derived).toBeUndefined()
    expect(scopePath(builtIn('mdl'), 'mso_mdoc', 'age_over_21', true)?.derived).toEqual({
      path: ['org.iso.18013.5.1', 'birth_date'],
      age: 21,
    })
  })

  test('do not exist for an age if the path of `age_over_NN` has no `NN`', () => {
    const type = withScopes({ age_over_NN: { path: ['adult'], boolean: true } })
    expect(scopePath(type, 'dc+sd-jwt', 'age_over_18', false)).toBeUndefined()
  })

  test('use the entry of the exact age (such as age_over_18) if it exists, or else the entry `age_over_NN`', () => {
    const type = withScopes({ age_over_NN: { path: ['ages', 'NN'] }, age_over_18: { path: ['adult'] } })
    expect(scopePath(type, 'dc+sd-jwt', 'age_over_18', false)?.path).toEqual(['adult'])
    expect(scopePath(type, 'dc+sd-jwt', 'age_over_21', false)?.path).toEqual(['ages', '21'])
  })

  // SD-JWT VC Appendix (person identification data example), processed by a foreign library. It predates the
  // claim names `picture`, `date_of_issuance` and `date_of_expiry`.
  test('find the claims of the published PID example', async () => {
    const claims = await publishedPid()
    const read = (scope: string) => selectClaims(claims, path('pid', 'dc+sd-jwt', scope) ?? [])
    expect(read('given_name')).toEqual(['Astrid'])
    expect(read('family_name')).toEqual(['Holmgren'])
    expect(read('birthdate')).toEqual(['1978-04-10'])
    expect(read('birth_family_name')).toEqual(['Jensen'])
    expect(read('nationalities')).toEqual([['Ændgard']])
    expect(read('sex')).toEqual([2])
    expect(read('address.street_address')).toEqual(['Sjøgata 12'])
    expect(read('address.locality')).toEqual(['Viken'])
    expect(read('address.postal_code')).toEqual(['12001'])
    expect(read('place_of_birth.locality')).toEqual(['Ændholm'])
    expect(read('issuing_country')).toEqual(['ÆG'])
    expect(read('age_over_18')).toEqual([true])
    expect(read('age_over_65')).toEqual([false])
    expect(read('age_over_30')).toBeUndefined()
  })
})

describe('added types', () => {
  test('come after the built-in types and are marked as not built in', () => {
    const name = typeOf(typeDefinitions([MEMBERSHIP]))
    expect(name('dc+sd-jwt', 'https://club.example/membership')).toEqual({
      name: 'membership',
      builtIn: false,
    })
    expect(name('mso_mdoc', 'https://club.example/membership')).toBeUndefined()
  })

  test('cannot have the name of a type that was always built in', () => {
    const impostor = { ...MEMBERSHIP, name: 'pid' }
    expect(typeDefinitions([impostor])).toEqual(BUILT_IN_TYPES)
    expect(typeConflicts([impostor])).toEqual([{ kind: 'name', index: 0, name: 'pid' }])
  })

  test('cannot have the identifier of a type that was always built in', () => {
    const impostor = withIdentifier('urn:eudi:pid:1')
    expect(typeOf(typeDefinitions([impostor]))('dc+sd-jwt', 'urn:eudi:pid:1')).toEqual({
      name: 'pid',
      builtIn: true,
    })
    expect(typeConflicts([impostor])).toEqual([
      { kind: 'identifier', index: 0, format: 'dc+sd-jwt', identifier: 'urn:eudi:pid:1' },
    ])
  })

  test('replace a type that became built in later and has the same name or identifier', () => {
    const formats = { mso_mdoc: { identifiers: ['com.google.wallet.idcard.1'], scopes: {} } }
    const pass = { name: 'pass', formats }
    const aadhaar = { ...MEMBERSHIP, name: 'aadhaar' }
    expect(typeConflicts([pass, aadhaar])).toEqual([])
    const definitions = typeDefinitions([pass, aadhaar])
    const names = definitions.map(({ name }) => name)
    expect(names).toEqual(['age_attestation', 'pid', 'mdl', 'photo_id', 'my_number_card', 'pass', 'aadhaar'])
    const name = typeOf(definitions)
    expect(name('mso_mdoc', 'com.google.wallet.idcard.1')).toEqual({ name: 'pass', builtIn: false })
    expect(name('mso_mdoc', 'in.gov.uidai.aadhaar.1')).toBeUndefined()
    const membership = name('dc+sd-jwt', 'https://club.example/membership')
    expect(membership).toEqual({ name: 'aadhaar', builtIn: false })
  })

  test('are ignored if an earlier added type has the same name or identifier', () => {
    const twin = { ...MEMBERSHIP, name: 'twin' }
    expect(typeConflicts([MEMBERSHIP, twin])).toEqual([
      { kind: 'identifier', index: 1, format: 'dc+sd-jwt', identifier: 'https://club.example/membership' },
    ])
    expect(typeDefinitions([MEMBERSHIP, withIdentifier('x')])).toEqual([...BUILT_IN_TYPES, MEMBERSHIP])
  })

  test('may have the same identifier in another format', () => {
    const formats = { jwt_vc_json: { identifiers: ['urn:eudi:pid:1'], scopes: {} } }
    expect(typeConflicts([{ name: 'other', formats }])).toEqual([])
  })
})

function withScopes(scopes: CredentialTypeDefinition['formats'][string]['scopes']): CredentialTypeDefinition {
  return { name: 'custom', formats: { 'dc+sd-jwt': { identifiers: ['custom'], scopes } } }
}

function withIdentifier(identifier: string): CredentialTypeDefinition {
  return { name: 'membership', formats: { 'dc+sd-jwt': { identifiers: [identifier], scopes: {} } } }
}

async function publishedPid(): Promise<Json> {
  const hasher = (data: string | ArrayBuffer) =>
    new Uint8Array(
      createHash('sha256')
        .update(typeof data === 'string' ? data : new Uint8Array(data))
        .digest(),
    )
  const token = vectors.tokens.find(({ line }) => line === 2290)?.token ?? ''
  const decoded = await SDJwt.fromEncode(token, hasher)
  return (await decoded.getClaims(hasher)) as Json
}
