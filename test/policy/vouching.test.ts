// The credential queries for which no trust anchor can vouch. What might be satisfied is never among them.

import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/formats/index.ts'
import type { DcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import { haip10 } from '../../src/openid4vp/protocols/haip-1.0.ts'
import { openid4vp10 } from '../../src/openid4vp/protocols/openid4vp-1.0.ts'
import { typeDefinitions } from '../../src/policy/catalogue.ts'
import { canVouch, unvouchedQueries } from '../../src/policy/vouching.ts'
import type { AnchorMechanism, TrustAnchor } from '../../src/trust/anchors/anchor.ts'
import { pki } from '../trust/fixtures.ts'
import { ALL_FORMATS, MDOC, MEMBERSHIP, policyOf, SD_JWT } from './fixtures.ts'

const MECHANISMS = {
  x509_ca_pem: { x509_ca_pem: pki.root.pem },
  'x509_certificate_pem of a leaf': { x509_certificate_pem: pki.leaf.pem },
  'x509_certificate_pem, self-signed': { x509_certificate_pem: pki.root.pem },
  issuer_url: { issuer_url: 'https://issuer.example' },
  did: { did: 'did:web:issuer.example' },
  jwks: { issuer: 'https://issuer.example', jwks: { keys: [] } },
} as const satisfies Readonly<Record<string, AnchorMechanism>>

function anchor(
  credential_types: readonly string[],
  mechanism: AnchorMechanism = MECHANISMS.x509_ca_pem,
  changes: Partial<Pick<TrustAnchor, 'purpose'>> = {},
): TrustAnchor {
  return { name: 'x', credential_types, assurance_level: 'low', ...mechanism, ...changes }
}

const vouching = (anchors: readonly TrustAnchor[], protocol = openid4vp10) => ({
  anchors,
  definitions: typeDefinitions([MEMBERSHIP]),
  formats: FORMATS,
  signerProfile: protocol.signerProfile,
})

describe('an anchor', () => {
  const ALL = ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'] as const
  const byKeys = ['dc+sd-jwt', 'jwt_vc_json'] as const

  it.each<[keyof typeof MECHANISMS, readonly string[], readonly string[]]>([
    ['x509_ca_pem', ALL, ALL],
    ['x509_certificate_pem of a leaf', ALL, ALL],
    ['x509_certificate_pem, self-signed', ALL, ['mso_mdoc']],
    ['issuer_url', byKeys, []],
    ['did', byKeys, []],
    ['jwks', byKeys, []],
  ])(
    'an anchor with %s covers the formats %j, and under HAIP at most the formats %j',
    (mechanism, formats, inHaip) => {
      const anchors = [anchor(['pid'], MECHANISMS[mechanism])]
      expect(ALL.filter((format) => canVouch('pid', format, vouching(anchors)))).toEqual(formats)
      const profiled = ALL.filter((format) => haip10.supportsFormat(format, 'direct_post.jwt'))
      const found = profiled.filter((format) => canVouch('pid', format, vouching(anchors, haip10)))
      expect(found).toEqual(profiled.filter((format) => inHaip.includes(format)))
    },
  )

  it.each<[string, TrustAnchor[], string, boolean]>([
    ['covers a type that it names', [anchor(['mdl', 'pid'])], 'pid', true],
    ['does not cover a type that it does not name', [anchor(['mdl'])], 'pid', false],
    ['for `*` does not cover a built-in type', [anchor(['*'])], 'pid', false],
    ['for `*` covers an added type', [anchor(['*'])], 'membership', true],
    [
      'for `*` covers a type that another anchor names for status lists only',
      [anchor(['*']), anchor(['membership'], MECHANISMS.did, { purpose: ['status'] })],
      'membership',
      true,
    ],
    [
      'for status lists only does not cover a credential',
      [anchor(['pid'], MECHANISMS.did, { purpose: ['status'] })],
      'pid',
      false,
    ],
    [
      'for issuers and status lists covers a credential',
      [anchor(['pid'], MECHANISMS.did, { purpose: ['status', 'issuer'] })],
      'pid',
      true,
    ],
    ['is needed: without an anchor no credential is covered', [], 'pid', false],
  ])('an anchor %s', (_, anchors, type, expected) => {
    expect(canVouch(type, 'dc+sd-jwt', vouching(anchors))).toBe(expected)
  })

  it('an anchor for `*` does not cover a type that another anchor names', () => {
    const anchors = [anchor(['*']), anchor(['membership'], MECHANISMS.did)]
    expect(canVouch('membership', 'dc+sd-jwt', vouching(anchors, haip10))).toBe(false)
  })
})

describe('a request', () => {
  const pidAndMdl = { credential_types: ['pid', 'mdl'], scope: ['family_name'] }
  const unvouched = (policy: ReturnType<typeof policyOf>, anchors: readonly TrustAnchor[]) =>
    unvouchedQueries(policy, vouching(anchors))

  it('a request for one of several types needs an anchor for one of these types', () => {
    const policy = policyOf(pidAndMdl, ALL_FORMATS)
    expect(unvouched(policy, [anchor(['mdl'])])).toEqual([])
    expect(unvouched(policy, [anchor(['membership'])])).toEqual(policy.query.credentials.map(({ id }) => id))
  })

  it('a request for all types needs an anchor for each type', () => {
    const policy = policyOf({ ...pidAndMdl, credential_match: 'all' }, [SD_JWT, MDOC])
    const typesOf = (ids: readonly string[]) => [
      ...new Set(
        policy.descriptors.flatMap((each) => (ids.includes(each.query_id) ? each.credential_type : [])),
      ),
    ]
    expect(typesOf(unvouched(policy, [anchor(['mdl'])]))).toEqual(['pid'])
    expect(unvouched(policy, [anchor(['mdl']), anchor(['pid'])])).toEqual([])
    // An mdl exists as an mdoc only, whose issuers are known by certificates.
    expect(typesOf(unvouched(policy, [anchor(['mdl'], MECHANISMS.did), anchor(['pid'])]))).toEqual(['mdl'])
  })

  it('a request for an added type accepts an anchor for `*`', () => {
    const policy = policyOf({ credential_types: ['membership'], scope: ['active'] }, [SD_JWT], [MEMBERSHIP])
    expect(unvouched(policy, [anchor(['*'], MECHANISMS.issuer_url)])).toEqual([])
    expect(unvouched(policy, [anchor(['pid'])])).toEqual(['membership'])
  })

  const credentials = ['a', 'b', 'c'].map((id) => ({ id, format: 'dc+sd-jwt', meta: {} }))
  const descriptors = [
    { query_id: 'a', credential_type: 'pid', scopes: [] },
    { query_id: 'b', credential_type: 'mdl', scopes: [] },
    { query_id: 'c', credential_type: 'age_attestation', scopes: [] },
    { query_id: 'c', credential_type: 'membership', scopes: [] },
  ]
  it.each<[string, DcqlQuery['credential_sets'], readonly string[], readonly string[]]>([
    ['without credential sets needs an anchor for each query', undefined, ['pid', 'mdl', 'membership'], []],
    [
      'without credential sets lacks an anchor for a type that no anchor covers',
      undefined,
      ['pid', 'membership'],
      ['b'],
    ],
    [
      'with two options needs anchors for one option only',
      [{ options: [['a', 'b'], ['c']] }],
      ['age_attestation'],
      [],
    ],
    [
      'with two options lacks an anchor if each option has a type that no anchor covers',
      [
        {
          options: [
            ['a', 'b'],
            ['b', 'c'],
          ],
        },
      ],
      ['pid', 'membership'],
      ['b'],
    ],
    [
      'with an optional set needs no anchor for that set',
      [{ options: [['a']] }, { options: [['b'], ['c']], required: false }],
      ['pid'],
      [],
    ],
    [
      'with two required sets needs anchors for both sets',
      [{ options: [['a']] }, { options: [['b'], ['c']], required: true }],
      ['pid'],
      ['b', 'c'],
    ],
  ])('a request with a DCQL query %s', (_, credential_sets, types, expected) => {
    const query = { credentials, ...(credential_sets && { credential_sets }) } as DcqlQuery
    expect(unvouchedQueries({ query, descriptors }, vouching([anchor(types)]))).toEqual(expected)
  })
})
