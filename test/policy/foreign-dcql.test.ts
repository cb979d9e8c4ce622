// Our queries checked by a foreign implementation of DCQL: it accepts them, and finds in generated
// credentials what we find.

import { type DcqlCredential, DcqlQuery } from 'dcql'
import { describe, expect, test } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../src/codec/json.ts'
import { matchCredential } from '../../src/openid4vp/dcql/match.ts'
import type { ClaimsPath, CredentialQuery } from '../../src/openid4vp/dcql/query.ts'
import { buildPolicy } from '../../src/policy/build-policy.ts'
import { BUILT_IN_TYPES } from '../../src/policy/built-in-types.ts'
import { typeDefinitions } from '../../src/policy/catalogue.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { ALL_FORMATS, generator, MEMBERSHIP, presented, requestOf } from './fixtures.ts'

const ROUNDS = 300

describe.each([1, 2, 3, 4])('randomly generated DCQL queries with the seed %i', (seed) => {
  const random = generator(seed)
  const policies = Array.from({ length: ROUNDS }, () => generatePolicy(random)).filter(
    (policy) => policy !== undefined,
  )

  test('are all well-formed', () => {
    expect(policies.length).toBeGreaterThan(ROUNDS / 10)
    for (const { query } of policies) {
      expect(
        () => DcqlQuery.validate(DcqlQuery.parse(query as DcqlQuery.Input)),
        JSON.stringify(query),
      ).not.toThrow()
    }
  })

  test('have claim_sets that name exactly their claims, and credential_sets that name exactly their credential queries (§6.1, §6.4)', () => {
    for (const { query } of policies) {
      const ids = query.credentials.map(({ id }) => id)
      if (query.credential_sets !== undefined) {
        expect(query.credential_sets.flatMap(({ options }) => options.flat()).sort()).toEqual([...ids].sort())
      }
      for (const { claims = [], claim_sets } of query.credentials) {
        const paths = claims.map(({ path }) => JSON.stringify(path))
        expect(new Set(paths).size).toBe(paths.length)
        const named = claims.map(({ id }) => id)
        if (claim_sets !== undefined)
          expect([...new Set(claim_sets.flat())].sort()).toEqual([...named].sort())
      }
    }
  })

  test('match the same credentials in the dcql library as in our code', () => {
    const counts = { yes: 0, no: 0 }
    for (const { query } of policies) {
      for (const credentialQuery of query.credentials) {
        const claims = generateClaims(credentialQuery, random)
        const alone = DcqlQuery.parse({ credentials: [credentialQuery] } as DcqlQuery.Input)
        const theirs = DcqlQuery.query(alone, [toForeign(credentialQuery, claims)])
        const ours = matches(credentialQuery, claims)
        expect(theirs.can_be_satisfied, JSON.stringify({ credentialQuery, claims })).toBe(ours)
        counts[ours ? 'yes' : 'no'] += 1
      }
    }
    expect(Math.min(counts.yes, counts.no)).toBeGreaterThan(20)
  })
})

function generatePolicy(random: ReturnType<typeof generator>): Policy | undefined {
  const types = [...BUILT_IN_TYPES, MEMBERSHIP]
  const chosen = Array.from({ length: 1 + random.below(2) }, () => random.pick(types))
  const known = chosen.flatMap(({ formats }) =>
    Object.values(formats).flatMap(({ scopes }) => Object.keys(scopes)),
  )
  const scope = Array.from({ length: 1 + random.below(4) }, () => {
    const name = random.pick(known)
    return name === 'age_over_NN' ? random.pick(['age_over_18', 'age_over_21', 'age_over_65']) : name
  })
  const request = requestOf({
    credential_types: chosen.map(({ name }) => name),
    scope: random.below(2) === 0 ? scope : ['age_over_18', ...scope],
    credential_match: random.pick(['any', 'all']),
    allow_derived: random.below(2) === 0,
  })
  const built = buildPolicy(request, { definitions: typeDefinitions([MEMBERSHIP]), formats: ALL_FORMATS })
  return built.ok ? built.value : undefined // unsatisfiable: tested elsewhere
}

/** Claims at some of the paths asked for. */
function generateClaims({ claims = [] }: CredentialQuery, random: ReturnType<typeof generator>): JsonObject {
  const carried = claims.filter(() => random.below(4) > 0)
  const values: readonly Json[] = [true, false, 'x', 7, '1990-01-01']
  return carried.reduce<JsonObject>(
    (root, { path }) => put(root, path, random.pick(values)) as JsonObject,
    {},
  )
}

function put(node: Json | undefined, [step, ...rest]: ClaimsPath, value: Json): Json {
  if (step === undefined) return node ?? value
  if (step === null) return [put(undefined, rest, value)]
  const object = isJsonObject(node) ? node : {}
  return { ...object, [step]: put(object[step], rest, value) }
}

/** Result of our matcher for the same credential. */
function matches(query: CredentialQuery, claims: JsonObject): boolean {
  const { credential } = presented(query.id, claims, { format: query.format, typeIdentifier: 'asked' })
  return matchCredential(query, credential, { metaTypes: () => ['asked'] }) !== undefined
}

function toForeign({ format, meta }: CredentialQuery, claims: JsonObject): DcqlCredential {
  const bound = { cryptographic_holder_binding: true }
  const first = <T>(list: unknown) => (list as readonly T[])[0] as T
  const credential =
    format === 'mso_mdoc'
      ? { credential_format: format, doctype: meta.doctype_value, namespaces: claims, ...bound }
      : format === 'jwt_vc_json'
        ? { credential_format: format, type: first(meta.type_values), claims, ...bound }
        : { credential_format: format, vct: first<string>(meta.vct_values), claims, ...bound }
  return credential as DcqlCredential
}
