// A caller's own query as a policy: each error by one change in a good query, and the policy of a good query.

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/codec/json.ts'
import { mdoc } from '../../src/formats/mdoc/mdoc.ts'
import { sdJwtVc } from '../../src/formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { ClaimsPath, CredentialQuery, DcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import { buildDcqlPolicy, checkName, DCQL_ERRORS } from '../../src/policy/build-dcql-policy.ts'
import { typeDefinitions } from '../../src/policy/catalogue.ts'
import { MEMBERSHIP } from './fixtures.ts'

const CATALOGUE = {
  definitions: typeDefinitions([MEMBERSHIP]),
  formats: [sdJwtVc, mdoc],
  hasTrustLists: false,
}
const CLUB = 'https://club.example/membership'

const PID: CredentialQuery = {
  id: 'pid',
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:eudi:pid:1'] },
  claims: [{ path: ['family_name'] }],
}
const MDL: CredentialQuery = {
  id: 'mdl',
  format: 'mso_mdoc',
  meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
  claims: [{ path: ['org.iso.18013.5.1', 'family_name'], intent_to_retain: false }],
}

function build(query: DcqlQuery) {
  return buildDcqlPolicy(query, CATALOGUE)
}

function errorsOf(
  pid: Partial<CredentialQuery>,
  mdl: Partial<CredentialQuery> = {},
  rest: Partial<DcqlQuery> = {},
) {
  const built = build({
    credentials: [
      { ...PID, ...pid },
      { ...MDL, ...mdl },
    ],
    ...rest,
  })
  return built.ok ? 'a policy' : built.error.map(({ code, pointer }) => [code, pointer])
}

const paths = (...all: ClaimsPath[]) => ({ claims: all.map((path) => ({ path })) })
const meta = (value: JsonObject) => ({ meta: value })

describe('a query is refused for', () => {
  it.each<[fault: string, pid: Partial<CredentialQuery>, code: string, pointer: string]>([
    ['a format that we do not verify', { format: 'ldp_vc' }, 'unknown_format', '/format'],
    [
      'a format with the name of an object’s inherited member',
      { format: 'constructor' },
      'unknown_format',
      '/format',
    ],
    ['the meta of another format', meta({ doctype_value: 'x' }), 'invalid_meta', '/meta'],
    ['meta without a type', meta({}), 'invalid_meta', '/meta'],
    ['an empty list of types', meta({ vct_values: [] }), 'invalid_meta', '/meta'],
    ['a type that is no text', meta({ vct_values: [1] }), 'invalid_meta', '/meta'],
    [
      'an unknown member of meta',
      meta({ vct_values: [CLUB], 'a/b': true }),
      'unknown_meta_member',
      '/meta/a~1b',
    ],
    [
      'an unknown type beside a known type',
      meta({ vct_values: [CLUB, 'urn:other'] }),
      'unknown_credential_type',
      '/meta',
    ],
    [
      'an authority of an unknown kind',
      { trusted_authorities: [{ type: 'x', values: ['x'] }] },
      'unknown_authority_type',
      '/trusted_authorities/0/type',
    ],
    [
      'a key identifier that is not base64url',
      { trusted_authorities: [{ type: 'aki', values: ['YQ', 'YQ=='] }] },
      'invalid_authority',
      '/trusted_authorities/0/values/1',
    ],
    [
      'a trusted list if no anchor comes from a list',
      { trusted_authorities: [{ type: 'etsi_tl', values: ['https://lotl.example'] }] },
      'authority_not_checkable',
      '/trusted_authorities/0/type',
    ],
    [
      'an authority of the kind openid_federation',
      { trusted_authorities: [{ type: 'openid_federation', values: ['https://ta.example'] }] },
      'authority_not_checkable',
      '/trusted_authorities/0/type',
    ],
    [
      'intent_to_retain of an SD-JWT VC',
      { claims: [{ path: ['sex'], intent_to_retain: false }] },
      'intent_to_retain_for_mdoc_only',
      '/claims/0/intent_to_retain',
    ],
    [
      'two paths that have the same name in `checks`',
      paths(['a', 'b'], ['a.b']),
      'indistinguishable_claims',
      '/claims/1/path',
    ],
    ['a path that begins with an index', paths([0]), 'path_selects_nothing', '/claims/0/path'],
    ['a path that begins with null', paths([null]), 'path_selects_nothing', '/claims/0/path'],
    ['a registered claim', paths(['cnf', 'jwk']), 'claim_always_present', '/claims/0/path'],
  ])('%s', (_, pid, code, pointer) => {
    expect(errorsOf(pid)).toEqual([[code, `/credentials/0${pointer}`]])
  })

  it.each<[fault: string, mdl: Partial<CredentialQuery>, code: string, pointer: string]>([
    [
      'an mdoc without holder binding',
      { require_cryptographic_holder_binding: false },
      'holder_binding_required',
      '/require_cryptographic_holder_binding',
    ],
    ['a path with one name into an mdoc', paths(['family_name']), 'path_selects_nothing', '/claims/0/path'],
    [
      'a path with three names into an mdoc',
      paths(['a', 'b', 'c']),
      'path_selects_nothing',
      '/claims/0/path',
    ],
    ['an index into an mdoc', paths(['a', 0]), 'path_selects_nothing', '/claims/0/path'],
  ])('%s', (_, mdl, code, pointer) => {
    expect(errorsOf({}, mdl)).toEqual([[code, `/credentials/1${pointer}`]])
  })

  it('a credential query that no credential set names', () => {
    expect(errorsOf({}, {}, { credential_sets: [{ options: [['mdl']] }] })).toEqual([
      ['query_in_no_credential_set', '/credentials/0'],
    ])
  })

  it('unknown names: all of them are reported, and no other errors', () => {
    const faults = errorsOf({ format: 'x' }, { ...paths(['a']), ...meta({ doctype_value: 'y' }) })
    expect(faults).toEqual([
      ['unknown_format', '/credentials/0/format'],
      ['unknown_credential_type', '/credentials/1/meta'],
    ])
  })

  it('exactly thirteen reasons', () => {
    expect(Object.keys(DCQL_ERRORS)).toHaveLength(13)
  })
})

describe('a good query', () => {
  it('becomes a policy that has its credential queries, but no scopes', () => {
    const query = { credentials: [PID, MDL] }
    expect(build(query)).toEqual({
      ok: true,
      value: {
        scope: [],
        query,
        descriptors: [
          descriptor('pid', 'pid', ['pid.family_name', 'family_name', ['family_name']]),
          descriptor('mdl', 'mdl', [
            'mdl.org.iso.18013.5.1.family_name',
            'family_name',
            ['org.iso.18013.5.1', 'family_name'],
          ]),
        ],
      },
    })
  })

  it('gives a descriptor for each accepted type', () => {
    const accepted = { vct_values: ['urn:eudi:pid:1', CLUB] }
    const built = build({ credentials: [{ ...PID, meta: accepted, ...paths(['active']) }] })
    expect(built.ok && built.value.descriptors).toEqual([
      descriptor('pid', 'pid', ['pid.active', 'active', ['active']]),
      descriptor('pid', 'membership', ['pid.active', 'active', ['active']], true),
    ])
  })

  it('keeps its `values`, and its claim sets name the claims as `checks` does', () => {
    const claims = [
      { id: 'a', path: ['badges', null, 'name'], values: ['gold'] },
      { id: 'b', path: ['active'] },
    ]
    const query = {
      id: 'club',
      format: 'dc+sd-jwt',
      meta: { vct_values: [CLUB] },
      claims,
      claim_sets: [['b'], ['a']],
    }
    const built = build({ credentials: [query] })
    expect(built.ok && built.value.descriptors).toEqual([
      {
        query_id: 'club',
        credential_type: 'membership',
        scopes: [
          {
            scope: 'club.badges[*].name',
            display_name: 'badges',
            path: ['badges', null, 'name'],
            boolean: false,
            values: ['gold'],
          },
          { scope: 'club.active', display_name: 'active', path: ['active'], boolean: true },
        ],
        claim_sets: [['club.active'], ['club.badges[*].name']],
      },
    ])
  })

  it.each<[path: ClaimsPath, shown: string]>([
    [['age_equal_or_over', '18'], 'age_over_18'],
    [['nationalities', null], 'nationalities'],
    [['nationalities', 0], 'nationalities'],
    [['address', 'locality'], 'address.locality'],
    [['shoe', 'size', 0], 'shoe.size[0]'],
    [['__proto__'], '__proto__'],
  ])('shows a claim with the path %j under the display name %s', (path, shown) => {
    const built = build({ credentials: [{ ...PID, ...paths(path) }] })
    expect(built.ok && built.value.descriptors[0]?.scopes[0]?.display_name).toBe(shown)
  })

  it.each<[path: ClaimsPath, name: string]>([
    [['a', 'b'], 'q.a.b'],
    [['a', null, 'b'], 'q.a[*].b'],
    [['a', 10], 'q.a[10]'],
    [['a', '10'], 'q.a.10'],
  ])('reports a claim with the path %j under the name %s in `checks`', (path, name) => {
    expect(checkName('q', path)).toBe(name)
  })
})

function descriptor(
  query_id: string,
  credential_type: string,
  [scope, shown, path]: [scope: string, shown: string, path: ClaimsPath],
  boolean = false,
) {
  return { query_id, credential_type, scopes: [{ scope, display_name: shown, path, boolean }] }
}
