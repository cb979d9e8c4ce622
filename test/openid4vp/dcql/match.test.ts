import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/codec/json.ts'
import type { VerifiedCredential } from '../../../src/formats/verification/format.ts'
import { isSatisfied, type Match, matchCredential } from '../../../src/openid4vp/dcql/match.ts'
import type { CredentialQuery, DcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import vectors from '../../vectors/oid4vp-1.0.json' with { type: 'json' }
import { CREDENTIAL, plainFormat } from '../fixtures.ts'

const QUERY: CredentialQuery = {
  id: 'q',
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:a', 'urn:b'] },
  claims: [
    { id: 'adult', path: ['age_over_18'], values: [true] },
    { id: 'born', path: ['birthdate'] },
  ],
}
const GOOD: Partial<VerifiedCredential> = {
  typeIdentifier: 'urn:b',
  claims: { age_over_18: true, birthdate: '1990-01-01' },
}
const MDOC = { ns: { place: { country: 'DE' } } }
const AUTHORITY = { authorityKeyIdentifiers: ['YQ', 'Yg'] }
const LISTED = {
  anchor: { name: 'PID list', assurance_level: 'high', listUrls: ['https://list.example/pid'] },
} as const

describe('a credential', () => {
  it('satisfies its query with the requested format, type, holder binding, claims and values', () => {
    expect(match(QUERY, GOOD)).toEqual({ valueMismatches: [] })
  })

  it.each<[why: string, query: Partial<CredentialQuery>, credential: Partial<VerifiedCredential>]>([
    ['it has another format', {}, { format: 'mso_mdoc' }],
    ['it has another type', {}, { typeIdentifier: 'urn:c' }],
    ['its type only begins with the requested type', {}, { typeIdentifier: 'urn:b:1' }],
    ['the meta of the query is for another format', { meta: { doctype_value: 'urn:b' } }, {}],
    ['its holder binding is missing', {}, { holderBound: false }],
    ['a claim is missing', {}, { claims: { age_over_18: true } }],
    ['a claim is only an inherited member', { claims: [{ path: ['constructor'] }] }, {}],
    [
      'its authorities are not the requested authorities',
      { trusted_authorities: [{ type: 'aki', values: ['x'] }] },
      AUTHORITY,
    ],
    ['its authorities are unknown', { trusted_authorities: [{ type: 'aki', values: ['YQ'] }] }, {}],
    [
      'the requested list is not an address',
      { trusted_authorities: [{ type: 'etsi_tl', values: ['YQ'] }] },
      AUTHORITY,
    ],
    [
      'its anchor comes from another list',
      { trusted_authorities: [{ type: 'etsi_tl', values: ['https://list.example'] }] },
      LISTED,
    ],
    [
      'its anchor comes from no list',
      { trusted_authorities: [{ type: 'etsi_tl', values: ['https://list.example/pid'] }] },
      {},
    ],
    [
      'the authority type is unsupported, even if the value is the list of its anchor',
      { trusted_authorities: [{ type: 'openid_federation', values: ['https://list.example/pid'] }] },
      LISTED,
    ],
    ['the list of requested authorities is empty', { trusted_authorities: [] }, AUTHORITY],
    ['a claim set names an unknown claim', { claim_sets: [['adult', 'nobody']] }, {}],
    ['the list of claim sets is empty', { claim_sets: [] }, {}],
  ])('does not satisfy its query if %s', (_why, query, credential) => {
    expect(match({ ...QUERY, ...query }, { ...GOOD, ...credential })).toBeUndefined()
  })

  it('satisfies its query without holder binding if the query does not require holder binding', () => {
    const query = { ...QUERY, require_cryptographic_holder_binding: false }
    expect(match(query, { ...GOOD, holderBound: false })).toEqual({ valueMismatches: [] })
  })

  it('satisfies its query if one of the requested authorities certifies its signer', () => {
    const trusted_authorities = [
      { type: 'etsi_tl', values: ['https://lotl.example'] },
      { type: 'aki', values: ['x', 'Yg'] },
    ]
    expect(match({ ...QUERY, trusted_authorities }, { ...GOOD, ...AUTHORITY })).toEqual({
      valueMismatches: [],
    })
  })

  it('satisfies its query if its anchor comes from one of the requested trust lists', () => {
    const trusted_authorities = [
      { type: 'etsi_tl', values: ['https://lotl.example', 'https://list.example/pid'] },
    ]
    expect(match({ ...QUERY, trusted_authorities }, { ...GOOD, ...LISTED })).toEqual({ valueMismatches: [] })
  })

  it('satisfies its query without claims if the query requests no claims', () => {
    const { claims, ...query } = QUERY
    expect(match(query, { ...GOOD, claims: {} })).toEqual({ valueMismatches: [] })
  })

  it('in the format mso_mdoc satisfies its query only if the path has exactly a namespace and an element', () => {
    const matchPath = (path: string[]) =>
      match(
        { ...QUERY, format: 'mso_mdoc', claims: [{ path }] },
        { ...GOOD, format: 'mso_mdoc', claims: MDOC },
      )
    expect(matchPath(['ns', 'place'])).toEqual({ valueMismatches: [] })
    expect(matchPath(['ns', 'place', 'country'])).toBeUndefined()
    expect(matchPath(['ns'])).toBeUndefined()
  })

  it('satisfies its query with any complete claim set, not only the first claim set', () => {
    const query = { ...QUERY, claim_sets: [['adult', 'born'], ['born']] }
    expect(match(query, { ...GOOD, claims: { birthdate: '1990-01-01' } })).toEqual({ valueMismatches: [] })
  })

  it('has a value mismatch unless the values of at least one complete claim set match', () => {
    const claims = { age_over_18: false, birthdate: '1990-01-01' }
    expect(match({ ...QUERY, claim_sets: [['adult'], ['born']] }, { ...GOOD, claims })).toEqual({
      valueMismatches: [],
    })
    expect(match({ ...QUERY, claim_sets: [['adult']] }, { ...GOOD, claims })).toEqual({
      valueMismatches: [['age_over_18']],
    })
  })
})

describe('a value of a claim', () => {
  it.each<[value: Json, asked: string | number | boolean]>([
    ['true', true],
    [1, true],
    [false, true],
    [null, true],
    ['1', 1],
    ['A', 'a'],
    [['a'], 'a'],
    [{}, 'a'],
  ])('%j is a mismatch, not a missing claim, if the query requests %j', (value, asked) => {
    const query = { ...QUERY, claims: [{ path: ['c'], values: [asked] }] }
    expect(match(query, { ...GOOD, claims: { c: value } })).toEqual({ valueMismatches: [['c']] })
  })

  it('matches if it is one of the requested values', () => {
    const query = { ...QUERY, claims: [{ path: ['c'], values: ['a', 'b'] }] }
    expect(match(query, { ...GOOD, claims: { c: 'b' } })).toEqual({ valueMismatches: [] })
  })

  it('matches if one of several selected elements matches', () => {
    const query = { ...QUERY, claims: [{ path: ['c', null], values: ['DE'] }] }
    expect(match(query, { ...GOOD, claims: { c: ['FR', 'DE'] } })).toEqual({ valueMismatches: [] })
    expect(match(query, { ...GOOD, claims: { c: ['FR'] } })).toEqual({ valueMismatches: [['c', null]] })
  })
})

describe('a response with the credentials', () => {
  const query = (credential_sets?: DcqlQuery['credential_sets']): DcqlQuery => ({
    credentials: ['a', 'b', 'c'].map((id) => ({ ...QUERY, id })),
    ...(credential_sets === undefined ? {} : { credential_sets }),
  })

  it.each<[ids: string[], sets: DcqlQuery['credential_sets'], satisfied: boolean]>([
    [['a', 'b', 'c'], undefined, true],
    [['a', 'b'], undefined, false],
    [['a'], [{ options: [['a'], ['b', 'c']] }], true],
    [['b', 'c'], [{ options: [['a'], ['b', 'c']] }], true],
    [['b'], [{ options: [['a'], ['b', 'c']] }], false],
    [['a'], [{ options: [['a']] }, { options: [['b']] }], false],
    [['a'], [{ options: [['a']] }, { options: [['b']], required: false }], true],
    [['c'], [{ options: [['a']], required: true }], false],
    [['a'], [{ options: [['a']], required: false }], true],
    [['b'], [{ options: [['a']], required: false }], false],
    [['a'], [{ options: [['a', 'b']], required: false }], false],
    [[], [{ options: [['a']], required: false }], false],
  ])('%j, for the credential sets %j, gives isSatisfied = %s', (ids, sets, satisfied) => {
    expect(isSatisfied(query(sets), new Set(ids))).toBe(satisfied)
  })
})

describe('the queries of OpenID4VP 1.0 §6 and Appendix D', () => {
  const published = Object.entries(vectors.dcql) as unknown as [string, DcqlQuery][]
  const asked = published.flatMap(([file, { credentials }]) =>
    credentials.map((query) => [file, query] as const),
  )

  it.each(asked)(
    '%s: each credential query is satisfied by the claims that it describes, and not by a credential without claims',
    (_file, query) => {
      const claims = describedClaims(query)
      const format = {
        metaTypes: (meta: JsonObject) => (meta.vct_values ?? [meta.doctype_value]) as string[],
      }
      const [typeIdentifier = ''] = format.metaTypes(query.meta)
      const credential = { ...CREDENTIAL, format: query.format, typeIdentifier }
      expect(matchCredential(query, { ...credential, claims }, format)).toEqual({ valueMismatches: [] })
      expect(matchCredential(query, { ...credential, claims: {} }, format)).toBeUndefined()
    },
  )
})

function match(query: CredentialQuery, credential: Partial<VerifiedCredential>): Match | undefined {
  return matchCredential(query, { ...CREDENTIAL, ...credential }, plainFormat())
}

/** Claims with every path of a query in them. The published paths go through objects only. */
function describedClaims({ claims = [] }: CredentialQuery): JsonObject {
  const root: Record<string, Json> = {}
  for (const { path, values = ['value'] } of claims) {
    const names = path as string[]
    const parent = names.slice(0, -1).reduce<Record<string, Json>>((object, name) => {
      object[name] ??= {}
      return object[name] as Record<string, Json>
    }, root)
    parent[names.at(-1)!] = values[0]!
  }
  return root
}
