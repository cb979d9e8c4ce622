// api/creation: the warning about a requested type that no credential query requests.

import { expect, it } from 'vitest'
import type { CreateRequest } from '../../../src/api/requests.ts'
import { FORMATS } from '../../../src/formats/index.ts'
import { buildPolicy } from '../../../src/policy/build-policy.ts'
import { typeDefinitions } from '../../../src/policy/catalogue.ts'
import { leftOutTypes } from '../../../src/routes/verifications/creation/creation-findings.ts'

/** Returns the policy of a request, and the warnings about it. */
function check(
  credential_types: string[],
  scope: string[],
  more: { formats?: string[]; match?: 'all' } = {},
) {
  const request = {
    credential_types,
    scope,
    credential_match: more.match ?? 'any',
    formats: more.formats ?? null,
    allow_derived: false,
  } as const
  const built = buildPolicy(request, { definitions: typeDefinitions([]), formats: Object.values(FORMATS) })
  if (!built.ok) throw new Error(JSON.stringify(built.error))
  const body = { credential_types, scope } as unknown as CreateRequest
  return { policy: built.value, warnings: leftOutTypes(body, typeDefinitions([]), built.value) }
}

const code = 'credential_type_left_out'

it('a type that lacks a requested scope is left out, and the warning names this scope', () => {
  expect(check(['pid', 'age_attestation'], ['family_name']).warnings).toEqual([
    { code, pointer: '/credential_types/1', message: 'is not requested: it has no family_name' },
  ])
})

it('the warning about a missing scope names the related scope that the type has instead', () => {
  expect(check(['mdl', 'pid'], ['portrait', 'family_name']).warnings).toEqual([
    { code, pointer: '/credential_types/1', message: 'is not requested: it has no portrait (but picture)' },
  ])
})

it('a type is left out with a warning if none of its accepted formats has all scopes', () => {
  const formats = ['mso_mdoc']
  expect(check(['mdl', 'pid'], ['family_name'], { formats }).warnings).toEqual([])
  const { warnings } = check(['photo_id', 'age_attestation'], ['age_over_18'], { formats: ['dc+sd-jwt'] })
  const message = 'is not requested: these scopes are not in one format that may be presented'
  expect(warnings).toEqual([{ code, pointer: '/credential_types/0', message }])
})

it('no type is left out if credential_match is `all`, or if every type has all scopes', () => {
  expect(
    check(['pid', 'age_attestation'], ['family_name', 'age_over_18'], { match: 'all' }).warnings,
  ).toEqual([])
  expect(check(['pid', 'age_attestation'], ['age_over_18']).warnings).toEqual([])
})

it.each(['birth_date', 'birthdate'])('the scope %s requests the birthdate in every type', (scope) => {
  const { policy, warnings } = check(['pid', 'mdl', 'photo_id', 'my_number_card'], [scope])
  expect(warnings).toEqual([])
  expect(new Set(policy.descriptors.map((each) => each.credential_type)).size).toBe(4)
  const paths = policy.descriptors.flatMap(({ scopes }) => scopes.map(({ path }) => path.at(-1)))
  expect(new Set(paths)).toEqual(new Set(['birth_date', 'birthdate']))
  expect(policy.descriptors.flatMap(({ scopes }) => scopes.map((each) => each.scope))).toContain(scope)
})
