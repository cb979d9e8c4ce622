// Both query languages are equivalent. Over generated policies and credentials, a wallet with Presentation
// Exchange can respond exactly when one with DCQL can (api/protocols). Both matchers here follow the
// specifications, not src/.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/codec/json.ts'
import type { ClaimsPath, CredentialQuery, DcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import { draft18 } from '../../src/openid4vp/protocols/draft18.ts'
import { draft24 } from '../../src/openid4vp/protocols/draft24.ts'
import { buildPolicy } from '../../src/policy/build-policy.ts'
import { typeDefinitions } from '../../src/policy/catalogue.ts'
import type { Definition } from '../support/people/wallet.ts'
import { MDOC, MEMBERSHIP, requestOf, SD_JWT } from './fixtures.ts'

/** A credential in a wallet: its claims as a wallet's JSONPath sees them. */
type Held = {
  readonly format: string
  readonly type: string
  readonly claims: { readonly [name: string]: Json }
}

type Requirement = {
  readonly rule: string
  readonly count?: number
  readonly min?: number
  readonly from: string
}
type Descriptor = Definition['input_descriptors'][number] & { readonly group?: readonly string[] }
type Grouped = {
  readonly input_descriptors: readonly Descriptor[]
  readonly submission_requirements?: readonly Requirement[]
}

const policies = fc.record({
  credential_types: fc.uniqueArray(
    fc.constantFrom('age_attestation', 'pid', 'mdl', 'photo_id', 'membership'),
    {
      minLength: 1,
    },
  ),
  scope: fc.uniqueArray(
    fc.constantFrom(
      'age_over_18',
      'age_over_21',
      'family_name',
      'birthdate',
      'nationalities',
      'active',
      'badges',
    ),
    { minLength: 1 },
  ),
  credential_match: fc.constantFrom('any' as const, 'all' as const),
  allow_derived: fc.boolean(),
})

/** Credentials that hold a random part of what the query asks for, of its types or of another. */
function walletFor(query: DcqlQuery): fc.Arbitrary<readonly Held[]> {
  const credential = fc
    .constantFrom(...query.credentials)
    .chain((asked) =>
      fc
        .record({ kept: fc.subarray([...(asked.claims ?? [])]), fits: fc.boolean() })
        .map(({ kept, fits }) => holding(asked, fits ? (asked.claims ?? []) : kept, fits)),
    )
  return fc.array(credential, { maxLength: 6 })
}

function holding(
  asked: CredentialQuery,
  kept: readonly { readonly path: ClaimsPath }[],
  fits: boolean,
): Held {
  const type = String(Object.values(asked.meta).flat(2)[0])
  const claims = kept.reduce<Json>((all, { path }) => put(all, path), {}) as Held['claims']
  return { format: asked.format, type: fits || kept.length % 2 === 0 ? type : `${type}.other`, claims }
}

function put(into: Json | undefined, [name, ...rest]: ClaimsPath): Json {
  if (name === undefined) return into ?? 'value'
  if (typeof name === 'string') {
    const object = (into ?? {}) as { readonly [name: string]: Json }
    return { ...object, [name]: put(object[name], rest) }
  }
  const list = (into ?? []) as readonly Json[]
  return [put(list[0], rest), ...list.slice(1)]
}

// ── OpenID4VP 1.0 §6.4 ──

function canSatisfyDcql(query: DcqlQuery, wallet: readonly Held[]): boolean {
  const answered = query.credentials.filter((asked) => wallet.some((held) => fitsQuery(asked, held)))
  const ids = new Set(answered.map(({ id }) => id))
  const sets = query.credential_sets
  if (sets === undefined) return query.credentials.every(({ id }) => ids.has(id))
  return sets.every(({ options }) => options.some((option) => option.every((id) => ids.has(id))))
}

function fitsQuery({ format, meta, claims = [], claim_sets }: CredentialQuery, held: Held): boolean {
  const types = Object.values(meta).flat(2)
  const has = ({ path }: { readonly path: ClaimsPath }) => walk([held.claims], path).length > 0
  const sets = claim_sets?.map((set) => claims.filter(({ id = '' }) => set.includes(id))) ?? [claims]
  return held.format === format && types.includes(held.type) && sets.some((set) => set.every(has))
}

function walk(elements: readonly Json[], path: ClaimsPath): readonly Json[] {
  const [step, ...rest] = path
  if (step === undefined) return elements
  return walk(
    elements.flatMap((element) => stepInto(element, step)),
    rest,
  )
}

function stepInto(element: Json, step: ClaimsPath[number]): readonly Json[] {
  if (Array.isArray(element))
    return step === null ? element : typeof step === 'number' ? element.slice(step, step + 1) : []
  if (typeof element !== 'object' || element === null || typeof step !== 'string') return []
  const value = (element as { readonly [name: string]: Json })[step]
  return value === undefined ? [] : [value]
}

// ── DIF Presentation Exchange 2.1 §5, §7; RFC 9535 ──

function canSatisfyDefinition(definition: Grouped, wallet: readonly Held[]): boolean {
  const { input_descriptors: descriptors, submission_requirements: requirements } = definition
  const answered = descriptors.filter((descriptor) => wallet.some((held) => fitsDescriptor(descriptor, held)))
  if (requirements === undefined) return answered.length === descriptors.length
  return requirements.every(
    ({ from, count = 0, min = count }) => answered.filter(({ group }) => group?.includes(from)).length >= min,
  )
}

function fitsDescriptor({ id, format, constraints }: Descriptor, held: Held): boolean {
  const isMdoc = Object.keys(format)[0] === 'mso_mdoc'
  if (isMdoc !== (held.format === 'mso_mdoc') || (isMdoc && id !== held.type)) return false
  const root = isMdoc ? held.claims : { ...held.claims, vct: held.type }
  return constraints.fields.every(({ path, filter }) => {
    const [first] = path
      .map((expression) => walk([root], parsePath(expression)))
      .filter(({ length }) => length > 0)
    return first !== undefined && (filter?.enum === undefined || filter.enum.includes(first[0]))
  })
}

/** The segments of RFC 9535 that presentation definitions use. */
function parsePath(expression: string): ClaimsPath {
  const segments = expression.slice(1).match(/\.\w+|\['(?:[^'\\]|\\.)*'\]|\[\d+\]|\[\*\]/g) ?? []
  if (`$${segments.join('')}` !== expression) throw new Error(`not a path: ${expression}`)
  return segments.map((segment) => {
    if (segment === '[*]') return null
    if (segment.startsWith('.')) return segment.slice(1)
    return segment.startsWith("['")
      ? segment.slice(2, -2).replace(/\\(.)/g, '$1')
      : Number(segment.slice(1, -1))
  })
}

describe('a presentation definition', () => {
  it.each([
    ['openid4vp-draft18', draft18],
    ['openid4vp-draft24', draft24],
  ])(
    'a presentation definition of %s can be satisfied by the same credentials as its DCQL query',
    (_, protocol) => {
      const counts = new Set<boolean>()
      const cases = policies.chain((asked) => {
        const built = buildPolicy(requestOf(asked), {
          definitions: typeDefinitions([MEMBERSHIP]),
          formats: [SD_JWT, MDOC],
        })
        if (!built.ok) return fc.constant(undefined)
        const { query } = built.value
        return walletFor(query).map((wallet) => ({ query, wallet }))
      })
      fc.assert(
        fc.property(cases, (given) => {
          if (given === undefined) return
          const { query, wallet } = given
          expect(protocol.canExpress(query, 'presentation_exchange')).toBe(true)
          const claims = protocol.buildRequestObject(requestFor(query))
          const definition = claims.presentation_definition as unknown as Grouped
          const result = canSatisfyDcql(query, wallet)
          counts.add(result)
          expect(canSatisfyDefinition(definition, wallet)).toBe(result)
        }),
        { numRuns: 1000, seed: 24 },
      )
      expect(counts).toEqual(new Set([true, false]))
    },
  )
})

function requestFor(query: DcqlQuery) {
  return {
    clientId: 'verifier.example',
    responseUri: 'https://verifier.example/callback',
    responseMode: 'direct_post.jwt',
    query,
    language: 'presentation_exchange',
    formats: {},
    generation: {
      nonce: 'n',
      state: 's',
      kid: 'k',
      encryptionPublicJwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
    },
    walletNonce: undefined,
    now: 0,
    expiresAt: 1,
  } as const
}
