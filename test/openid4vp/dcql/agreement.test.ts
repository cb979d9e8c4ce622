// Our matcher against the `dcql` library, over generated queries and credentials. The generator is seeded, so
// a failure comes back. Where the two differ by design, the clause that decides is named below.

import { DcqlQuery as ForeignQuery } from 'dcql'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/codec/json.ts'
import type { VerifiedCredential } from '../../../src/formats/verification/format.ts'
import { isSatisfied, matchCredential } from '../../../src/openid4vp/dcql/match.ts'
import type { ClaimsPath, CredentialQuery, DcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import { CREDENTIAL } from '../fixtures.ts'

const SEEDS = Array.from({ length: 3000 }, (_, seed) => seed)

describe('the matcher', () => {
  it('agrees with the dcql library on generated queries and credentials', () => {
    const counts = new Map<boolean, number>()
    for (const seed of SEEDS) {
      const { query, credentials } = generate(seed)
      const ours = satisfies(query, credentials)
      expect({ seed, query, credentials, satisfied: ours.satisfied, matched: ours.matched }).toEqual({
        seed,
        query,
        credentials,
        ...foreignMatch(query, credentials),
      })
      counts.set(ours.satisfied, (counts.get(ours.satisfied) ?? 0) + 1)
    }
    // Both results must be frequent, because otherwise agreement would prove little.
    expect(Math.min(counts.get(true) ?? 0, counts.get(false) ?? 0)).toBeGreaterThan(SEEDS.length / 10)
  })

  it.each<[clause: string, claims: Json, path: ClaimsPath, ours: boolean, theirs: boolean]>([
    ['§7.1.1: a null claim is an element like any other', { a: null }, ['a'], true, false],
    [
      '§7.1.1: a name applied to an element that is no object aborts',
      { a: [{ b: 1 }, 2] },
      ['a', null, 'b'],
      false,
      true,
    ],
    [
      '§7.1.1: null applied to an element that is no array aborts',
      { a: [[1], 2] },
      ['a', null, null],
      false,
      true,
    ],
    ['§7.1.1: a key exists only if the credential itself has it', {}, ['toString'], false, true],
    ['§7.1.1: an empty selection is an error', { a: [] }, ['a', null], false, true],
    ['§7.1.1: an array has no keys', { a: [1] }, ['a', 'length'], false, true],
  ])(
    'gives another result than the dcql library, because OpenID4VP 1.0 requires this: %s',
    (_clause, claims, path, ours, theirs) => {
      const query: CredentialQuery = {
        id: 'q',
        format: 'dc+sd-jwt',
        meta: { vct_values: ['urn:0'] },
        claims: [{ path }],
      }
      const credential = { ...CREDENTIAL, typeIdentifier: 'urn:0', claims: claims as JsonObject }
      expect(satisfies({ credentials: [query] }, [credential]).satisfied).toBe(ours)
      expect(foreignMatch({ credentials: [query] }, [credential]).satisfied).toBe(theirs)
    },
  )

  it('gives another result than the dcql library, because §8.1 requires one complete credential set, even if all credential sets are optional', () => {
    const query: DcqlQuery = {
      credentials: [{ id: 'q', format: 'dc+sd-jwt', meta: { vct_values: ['urn:0'] } }],
      credential_sets: [{ options: [['q']], required: false }],
    }
    expect(isSatisfied(query, new Set())).toBe(false)
    expect(foreignMatch(query, []).satisfied).toBe(true)
    const both = { ...query, credential_sets: [{ options: [['q', 'r']], required: false }] }
    const pair = { ...both, credentials: [...query.credentials, { ...query.credentials[0]!, id: 'r' }] }
    expect(isSatisfied(pair, new Set(['q']))).toBe(false)
  })
})

type MatchResult = { readonly satisfied: boolean; readonly matched: readonly string[] }

function satisfies(query: DcqlQuery, credentials: readonly VerifiedCredential[]): MatchResult {
  const format = { metaTypes: (meta: JsonObject) => (meta.vct_values ?? [meta.doctype_value]) as string[] }
  const matched = query.credentials
    // The library takes `values` for a filter; here they are the policy's affair.
    .filter((asked) =>
      credentials.some(
        (credential) => matchCredential(asked, credential, format)?.valueMismatches.length === 0,
      ),
    )
    .map(({ id }) => id)
  return { satisfied: isSatisfied(query, new Set(matched)), matched }
}

function foreignMatch(query: DcqlQuery, credentials: readonly VerifiedCredential[]): MatchResult {
  const parsed = ForeignQuery.parse(structuredClone(query) as never)
  ForeignQuery.validate(parsed)
  const held = credentials.map(({ format, typeIdentifier, claims, holderBound }) => {
    const common = { credential_format: format, cryptographic_holder_binding: holderBound }
    return format === 'mso_mdoc'
      ? { ...common, doctype: typeIdentifier, namespaces: claims }
      : { ...common, vct: typeIdentifier, claims }
  })
  const { can_be_satisfied, credential_matches } = ForeignQuery.query(parsed, held as never)
  const matched = query.credentials
    .map(({ id }) => id)
    .filter((id) => credential_matches[id]?.success === true)
  return { satisfied: can_be_satisfied, matched }
}

/** Whole numbers below a bound, reproducible from a seed (a linear congruential generator). */
function createRandom(seed: number): (bound: number) => number {
  let state = (seed * 2654435761 + 12345) >>> 0
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

type Random = (bound: number) => number

/** A claim's kind. Elements of one array are of one kind, so that no path applies to some of them only. */
type Shape =
  | { readonly kind: 'scalar' }
  | { readonly kind: 'object'; readonly members: Readonly<Record<string, Shape>> }
  | { readonly kind: 'array'; readonly element: Shape }

function generate(seed: number): {
  readonly query: DcqlQuery
  readonly credentials: readonly VerifiedCredential[]
} {
  const random = createRandom(seed)
  const shape: Shape = { kind: 'object', members: membersOf(random, 3) }
  const ids = ['q0', 'q1', 'q2'].slice(0, 1 + random(3))
  const credentials = Array.from({ length: 1 + random(3) }, () => credentialOf(shape, random))
  const options = () =>
    Array.from({ length: 1 + random(2) }, () => [...new Set([pick(ids, random), pick(ids, random)])])
  const sets = Array.from({ length: 1 + random(2) }, () => ({ options: options(), required: random(3) > 0 }))
  // One set is required at least: without any the library is satisfied by nothing at all.
  const credential_sets = [{ ...sets[0]!, required: true }, ...sets.slice(1)]
  const query = { credentials: ids.map((id) => queryOf(id, shape, random)) }
  return { query: random(2) === 0 ? query : { ...query, credential_sets }, credentials }
}

function membersOf(random: Random, depth: number): Record<string, Shape> {
  const names = ['a', 'b', 'c'].slice(0, 1 + random(3))
  return Object.fromEntries(names.map((name) => [name, shapeOf(random, depth - 1)]))
}

function shapeOf(random: Random, depth: number): Shape {
  const kind = depth === 0 ? 0 : random(4)
  if (kind < 2) return { kind: 'scalar' }
  if (kind === 2) return { kind: 'object', members: membersOf(random, depth) }
  return { kind: 'array', element: shapeOf(random, depth - 1) }
}

function credentialOf(shape: Shape, random: Random): VerifiedCredential {
  const claims = instanceOf(shape, random) as JsonObject
  const common = { ...CREDENTIAL, holderBound: random(6) > 0, typeIdentifier: `urn:${random(2)}` }
  if (random(4) > 0) return { ...common, claims }
  return { ...common, format: 'mso_mdoc', claims: { 'org.iso': claims } }
}

function instanceOf(shape: Shape, random: Random): Json {
  if (shape.kind === 'scalar') return pick(['x', 'y', 1, 2, true, false], random)
  // Not empty: what null selects in an empty array is one of the differences.
  if (shape.kind === 'array')
    return Array.from({ length: 1 + random(3) }, () => instanceOf(shape.element, random))
  const present = Object.entries(shape.members).filter(() => random(5) > 0)
  return Object.fromEntries(present.map(([name, member]) => [name, instanceOf(member, random)]))
}

function queryOf(id: string, shape: Shape, random: Random): CredentialQuery {
  const isMdoc = random(4) === 0
  const paths = Array.from({ length: 1 + random(3) }, () =>
    isMdoc ? ['org.iso', pick(['a', 'b', 'c'], random)] : pathInto(shape, random),
  )
  const claims = paths.map((path, index) => ({
    id: `c${index}`,
    path,
    ...(random(4) === 0 ? { values: ['x', 1, true] } : {}),
  }))
  const some = () => claims.map((claim) => claim.id).filter((_, index) => index === 0 || random(2) === 0)
  return {
    id,
    format: isMdoc ? 'mso_mdoc' : 'dc+sd-jwt',
    meta: isMdoc ? { doctype_value: 'urn:0' } : { vct_values: ['urn:0', 'urn:1'].slice(0, 1 + random(2)) },
    ...(random(3) === 0 ? { require_cryptographic_holder_binding: false } : {}),
    ...(random(5) === 0 ? {} : { claims }),
    ...(claims.length > 1 && random(3) === 0 ? { claims, claim_sets: [some(), some()] } : {}),
  }
}

/** A path that usually fits the shape; sometimes with a wrong kind of component, or one step too many. */
function pathInto(shape: Shape, random: Random, path: ClaimsPath = []): ClaimsPath {
  if (random(12) === 0) return [...path, pick(['a', 0, null], random)]
  if (shape.kind === 'scalar' || (path.length > 0 && random(4) === 0)) return path.length > 0 ? path : ['a']
  if (shape.kind === 'array') return pathInto(shape.element, random, [...path, pick([null, 0, 1], random)])
  const name = pick(['a', 'b', 'c'], random)
  const member = shape.members[name]
  return member === undefined ? [...path, name] : pathInto(member, random, [...path, name])
}

function pick<T>(values: readonly T[], random: Random): T {
  return values[random(values.length)]!
}
