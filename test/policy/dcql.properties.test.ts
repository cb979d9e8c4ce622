// Responses to callers' queries, from schema to decision, compared with a foreign implementation of DCQL.
// A failure prints the seed that repeats it. Where the two differ by design, a comment cites the clause.

import { DcqlPresentationResult, DcqlQuery as ForeignQuery } from 'dcql'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/codec/json.ts'
import { mdoc } from '../../src/formats/mdoc/mdoc.ts'
import { sdJwtVc } from '../../src/formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { VerifiedCredential } from '../../src/formats/verification/format.ts'
import { isSatisfied, matchCredential } from '../../src/openid4vp/dcql/match.ts'
import type { ClaimsPath, CredentialQuery, DcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import { dcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import { buildDcqlPolicy } from '../../src/policy/build-dcql-policy.ts'
import { typeDefinitions } from '../../src/policy/catalogue.ts'
import { decide } from '../../src/policy/decide.ts'
import type { Decision, Policy } from '../../src/policy/policy.ts'
import { MEMBERSHIP, NOW, presented } from './fixtures.ts'

/** The library fails on objects without a prototype, and on a claim called `__proto__`. */
const PLAIN = { noNullPrototype: true }

const TYPES = { 'https://club.example/membership': 'membership', 'urn:eudi:pid:1': 'pid' } as const
const VCTS = Object.keys(TYPES) as (keyof typeof TYPES)[]

const ID = fc.constantFrom('q', 'r', 's', '__proto__')
const CLAIM_ID = fc.constantFrom('1', '2', '3')
const PATH: fc.Arbitrary<ClaimsPath> = fc.constantFrom<ClaimsPath[]>(
  ...[['a'], ['b'], ['b', 'c'], ['d', 0], ['d', 1], ['d', null], ['e', null, 'c'], ['b', 'c', 'x']],
)
const SCALAR = fc.constantFrom<Json[]>('x', 'y', 1, true)
const AUTHORITIES = fc.subarray(['YQ', 'Yg', 'Yw'], { minLength: 1 })

const claim = fc.record(
  { id: CLAIM_ID, path: PATH, values: fc.subarray(['x', 'y', 1, true], { minLength: 1 }) },
  { requiredKeys: ['id', 'path'] },
)
const credentialQuery = fc.record(
  {
    id: ID,
    format: fc.constant('dc+sd-jwt'),
    meta: fc.record({ vct_values: fc.subarray(VCTS, { minLength: 1 }) }),
    multiple: fc.boolean(),
    require_cryptographic_holder_binding: fc.boolean(),
    trusted_authorities: fc.array(
      fc.record({ type: fc.constant('aki'), values: fc.subarray(['YQ', 'Yg'], { minLength: 1 }) }),
      { minLength: 1, maxLength: 2 },
    ),
    claims: fc.uniqueArray(claim, { selector: ({ id }) => id, minLength: 1, maxLength: 3 }),
    claim_sets: fc.array(fc.uniqueArray(CLAIM_ID, { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 3,
    }),
  },
  { requiredKeys: ['id', 'format', 'meta'] },
)
const ANY_QUERY = fc.record(
  {
    credentials: fc.uniqueArray(credentialQuery, { selector: ({ id }) => id, minLength: 1, maxLength: 3 }),
    credential_sets: fc.array(
      fc.record(
        {
          options: fc.array(fc.uniqueArray(ID, { minLength: 1, maxLength: 2 }), {
            minLength: 1,
            maxLength: 2,
          }),
          required: fc.boolean(),
        },
        { requiredKeys: ['options'] },
      ),
      { minLength: 1, maxLength: 2 },
    ),
  },
  { requiredKeys: ['credentials'] },
) as unknown as fc.Arbitrary<DcqlQuery>

/** Mostly queries whose references fit, so that most are taken. */
const QUERY = fc
  .tuple(ANY_QUERY, fc.nat(9))
  .map(([query, chance]) =>
    chance === 0 ? query : { ...query, ...fitSets(query), credentials: query.credentials.map(fitClaims) },
  )

/** Every query is in a set, and no set has other queries. */
function fitSets({ credentials, credential_sets }: DcqlQuery): Partial<DcqlQuery> {
  const ids = credentials.map(({ id }) => id)
  const known = fitIds(
    credential_sets?.flatMap(({ options }) => options),
    ids,
  )
  if (known === undefined) return {}
  const half = Math.ceil(known.length / 2)
  const sets = [known.slice(0, half), known.slice(half)].filter((options) => options.length > 0)
  return { credential_sets: sets.map((options, i) => ({ ...credential_sets?.[i], options })) }
}

function fitClaims({ claims, claim_sets, ...query }: CredentialQuery): CredentialQuery {
  if (claims === undefined) return query
  const each = claims.filter(
    ({ path }, i) => claims.findIndex((other) => `${other.path}` === `${path}`) === i,
  )
  const sets = fitIds(
    claim_sets,
    each.map(({ id = '' }) => id),
  )
  return { ...query, claims: each, ...(sets && { claim_sets: sets }) }
}

function fitIds(sets: readonly (readonly string[])[] | undefined, ids: readonly string[]) {
  if (sets === undefined) return undefined
  const fitting = sets.map((set) => set.filter((id) => ids.includes(id))).filter((set) => set.length > 0)
  const missing = ids.filter((id) => !fitting.flat().includes(id))
  return missing.length > 0 ? [...fitting, missing] : fitting
}

/** Claims whose values prove something, in lists of one kind that are not empty. */
const CLAIMS = claimsOf(SCALAR, 1)
/** Any claims. */
const WILD_CLAIMS = claimsOf(fc.constantFrom<Json[]>('x', 1, true, false, null, '', {}, { c: 'x' }), 0)

function claimsOf(value: fc.Arbitrary<Json>, minLength: number): fc.Arbitrary<JsonObject> {
  const c = fc.record({ c: value }, { requiredKeys: minLength === 0 ? [] : ['c'], ...PLAIN })
  const members = {
    a: value,
    b: c,
    // Not empty: the library trips over an index into nothing.
    d: fc.array(value, { minLength: 1, maxLength: 2 }),
    e: fc.array(c, { minLength: 1, maxLength: 2 }),
  }
  return fc.record(members, { requiredKeys: [], ...PLAIN }) as fc.Arbitrary<never>
}

function responseOf(claims: fc.Arbitrary<JsonObject>) {
  const credential = fc.record({
    typeIdentifier: fc.constantFrom(...VCTS),
    claims,
    holderBound: fc.nat(5).map((chance) => chance > 0),
    authorityKeyIdentifiers: AUTHORITIES,
  })
  return fc.array(fc.array(credential, { maxLength: 3 }), { minLength: 3, maxLength: 3 })
}

type CredentialInput = Pick<
  VerifiedCredential,
  'typeIdentifier' | 'claims' | 'holderBound' | 'authorityKeyIdentifiers'
>
type Answer = readonly (readonly [id: string, credential: VerifiedCredential])[]

/** The policy of a query that we accept; `undefined` if we do not. */
function policyOf(query: unknown): Policy | undefined {
  const parsed = dcqlQuery.safeParse(query)
  if (!parsed.success) return undefined
  const catalogue = {
    definitions: typeDefinitions([MEMBERSHIP]),
    formats: [sdJwtVc, mdoc],
    hasTrustLists: false,
  }
  const built = buildDcqlPolicy(parsed.data, catalogue)
  return built.ok ? built.value : undefined
}

/** As many presentations for each query as the VP Token may hold. */
function toResponse({ credentials }: DcqlQuery, inputs: readonly (readonly CredentialInput[])[]): Answer {
  return credentials.flatMap(({ id, multiple }, i) =>
    (inputs[i] ?? []).slice(0, multiple ? 3 : 1).map((one, j) => {
      const credentialType = TYPES[one.typeIdentifier as keyof typeof TYPES]
      const issuer = `https://issuer.example/${i}/${j}`
      return [id, presented(id, one.claims, { ...one, credentialType, issuer }).credential] as const
    }),
  )
}

/** Decision on a response; `pending` if it does not satisfy the query. */
function decisionOf(policy: Policy, answer: Answer): Decision | 'pending' {
  const presentations = answer.flatMap(([queryId, credential]) => {
    const query = policy.query.credentials.find(({ id }) => id === queryId)!
    const match = matchCredential(query, credential, sdJwtVc)
    return match === undefined ? [] : [{ queryId, credential, ...match }]
  })
  const answered = new Set(presentations.map(({ queryId }) => queryId))
  if (!isSatisfied(policy.query, answered)) return 'pending'
  return decide({ policy: { ...policy, required_assurance_level: 'low' }, presentations, now: NOW })
}

/** Result of the library for the same response. */
function isGoodThere(query: DcqlQuery, answer: Answer): boolean {
  const presentations = new Map<string, object[]>()
  for (const [id, { typeIdentifier, claims, holderBound, authorityKeyIdentifiers }] of answer) {
    const credential = {
      credential_format: 'dc+sd-jwt',
      vct: typeIdentifier,
      claims,
      cryptographic_holder_binding: holderBound,
      ...(authorityKeyIdentifiers.length > 0 && {
        authority: { type: 'aki', values: authorityKeyIdentifiers },
      }),
    }
    presentations.set(id, [...(presentations.get(id) ?? []), credential])
  }
  const dcqlQuery = ForeignQuery.parse(structuredClone(query) as never)
  const result = DcqlPresentationResult.fromDcqlPresentation(Object.fromEntries(presentations) as never, {
    dcqlQuery,
  })
  // §8.1, §6.4.2: a response must complete a set even if all are optional. The library accepts it without.
  const completesOne = result.credential_sets?.some(({ matching_options }) => matching_options !== undefined)
  return result.can_be_satisfied && completesOne !== false
}

const RUNS = { numRuns: 1000 }

describe('a query that we accept', () => {
  it('is accepted by the dcql library', () => {
    const taken = { yes: 0, no: 0 }
    fc.assert(
      fc.property(QUERY, (query) => {
        const policy = policyOf(query)
        taken[policy === undefined ? 'no' : 'yes'] += 1
        if (policy === undefined) return
        ForeignQuery.validate(ForeignQuery.parse(structuredClone(policy.query) as never))
      }),
      RUNS,
    )
    expect(Math.min(taken.yes, taken.no)).toBeGreaterThan(RUNS.numRuns / 20)
  })
})

describe('a query in which an arbitrary value replaces one part or the whole', () => {
  it('is refused without an exception, or becomes a policy with all its credential queries', () => {
    fc.assert(
      fc.property(QUERY, fc.nat(60), fc.jsonValue(), (query, place, value) => {
        let left = place
        const spoiled = JSON.stringify(query, (_, part) => (left-- === 0 ? value : part))
        const policy = policyOf(JSON.parse(spoiled))
        const ids = new Set(policy?.descriptors.map(({ query_id }) => query_id))
        expect([...ids]).toEqual(policy?.query.credentials.map(({ id }) => id) ?? [])
      }),
      RUNS,
    )
  })
})

describe('a response to an accepted query', () => {
  it('is verified if the dcql library accepts it and every claim value can prove its claim', () => {
    const outcomes = { verified: 0, rejected: 0, pending: 0 }
    fc.assert(
      fc.property(QUERY, responseOf(CLAIMS), (query, inputs) => {
        const policy = policyOf(query)
        if (policy === undefined || hasIndex(policy.query)) return
        const answer = toResponse(policy.query, inputs)
        const decision = decisionOf(policy, answer)
        const outcome = decision === 'pending' ? decision : decision.status
        outcomes[outcome] += 1
        if (isGoodThere(policy.query, answer)) expect(outcome).toBe('verified')
      }),
      RUNS,
    )
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(10)
  })

  it('a verified response, reduced to the credentials that the decision uses, is accepted by the dcql library', () => {
    let verified = 0
    fc.assert(
      fc.property(QUERY, responseOf(WILD_CLAIMS), (query, inputs) => {
        const policy = policyOf(query)
        if (policy === undefined) return
        const answer = toResponse(policy.query, inputs)
        const decision = decisionOf(policy, answer)
        if (decision === 'pending' || decision.status !== 'verified') return
        verified += 1
        expect(isGoodThere(policy.query, restedOn(decision, answer))).toBe(true)
      }),
      RUNS,
    )
    expect(verified).toBeGreaterThan(20)
  })
})

/**
 * The library accepts any element for an index, because other elements may have been withheld. §7.1.1 counts
 * the elements that are present. RFC 9901 §7.1 leaves only the disclosed elements.
 */
function hasIndex({ credentials }: DcqlQuery): boolean {
  const paths = credentials.flatMap(({ claims = [] }) => claims.map(({ path }) => path))
  return paths.some((path) => path.some((component) => typeof component === 'number'))
}

/** The presentations behind a decision: each has an issuer of its own. */
function restedOn({ credentials }: Decision, answer: Answer): Answer {
  return answer.filter(([, presented]) => credentials.some(({ issuer }) => issuer === presented.issuer))
}
