// The request for any wallet, for generated types and scopes (api/creation). A failure prints the seed that
// repeats it.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FORMATS, type FormatId } from '../../src/formats/index.ts'
import { buildPolicy } from '../../src/policy/build-policy.ts'
import { BUILT_IN_TYPES } from '../../src/policy/built-in-types.ts'
import { scopePath } from '../../src/policy/catalogue.ts'

const formats = Object.values(FORMATS)
const SCOPES = ['age_over_18', 'age_over_65', 'family_name', 'given_name', 'birthdate', 'address', 'sex']

const REQUEST = fc.record({
  credential_types: fc.uniqueArray(fc.constantFrom(...BUILT_IN_TYPES.map(({ name }) => name)), {
    minLength: 1,
    maxLength: 3,
  }),
  scope: fc.uniqueArray(fc.constantFrom(...SCOPES), { minLength: 1, maxLength: 4 }),
  credential_match: fc.constantFrom('any' as const, 'all' as const),
  formats: fc.constant(null),
  allow_derived: fc.boolean(),
  intent_to_retain: fc.boolean(),
})

it('the default request has claims in each query, claim sets only for derived ages, and the formats with the most requested scopes', () => {
  let built = 0
  fc.assert(
    fc.property(REQUEST, (request) => {
      const policy = buildPolicy(request, { definitions: BUILT_IN_TYPES, formats })
      if (!policy.ok) return
      built += 1
      const { query, descriptors } = policy.value
      for (const { claims, claim_sets } of query.credentials) {
        expect(claims?.length).toBeGreaterThan(0)
        if (!request.allow_derived) expect(claim_sets).toBeUndefined()
      }
      for (const name of new Set(descriptors.map(({ credential_type }) => credential_type))) {
        const ids = descriptors.filter((one) => one.credential_type === name).map(({ query_id }) => query_id)
        const requested = query.credentials.filter(({ id }) => ids.includes(id)).map(({ format }) => format)
        expect(new Set(requested)).toEqual(new Set(formatsOf(name, request)))
      }
    }),
    { numRuns: 3_000, seed: 20_261_122 },
  )
  expect(built).toBeGreaterThan(500)
})

/** Formats with the most requested scopes; one that is requested by name only if no other has as many. */
function formatsOf(
  name: string,
  { scope, allow_derived }: { readonly scope: readonly string[]; readonly allow_derived: boolean },
): readonly string[] {
  const type = BUILT_IN_TYPES.find((one) => one.name === name)
  if (type === undefined) throw new Error(name)
  const counts = Object.keys(type.formats).map((format) => ({
    format,
    isUsual: !FORMATS[format as FormatId].requestedByName,
    count: scope.filter((one) => scopePath(type, format, one, allow_derived) !== undefined).length,
  }))
  const most = counts.filter(({ count }) => count === Math.max(...counts.map((one) => one.count)))
  const usual = most.filter(({ isUsual }) => isUsual)
  return (usual.length > 0 ? usual : most).map(({ format }) => format)
}
