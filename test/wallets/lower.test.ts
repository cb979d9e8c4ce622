// Lowering for wallets with a part of DCQL.

import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/formats/index.ts'
import { buildPolicy, type PolicyRequest } from '../../src/policy/build-policy.ts'
import { BUILT_IN_TYPES } from '../../src/policy/built-in-types.ts'
import { lowerRequest } from '../../src/wallets/lower.ts'
import type { OriginalRequest } from '../../src/wallets/lowering.ts'
import { walletProfile } from '../../src/wallets/profiles/index.ts'

function profileOf(id: string) {
  const profile = walletProfile(id)
  if (profile === undefined) throw new Error(id)
  return profile
}

function originalOf(
  changes: Partial<PolicyRequest> = {},
  more: Partial<OriginalRequest> = {},
): OriginalRequest {
  const policy = buildPolicy(
    {
      credential_types: ['pid'],
      scope: ['age_over_18'],
      credential_match: 'any',
      formats: null,
      allow_derived: false,
      ...changes,
    },
    { definitions: BUILT_IN_TYPES, formats: Object.values(FORMATS) },
  )
  if (!policy.ok) throw new Error(JSON.stringify(policy.error))
  return {
    policy: policy.value,
    protocol: 'openid4vp-1.0',
    client_id_prefixes: ['x509_hash', 'x509_san_dns'],
    response_modes: ['direct_post.jwt'],
    request_uri_methods: ['post', 'get'],
    dc_api_protocols: ['openid4vp-v1-signed', 'openid4vp-v1-unsigned', 'org-iso-mdoc'],
    livemode: false,
    ...more,
  }
}

describe('the adaptation of a request to a chosen wallet', () => {
  it('asks the NL Wallet for one format in one query, without credential_sets', () => {
    const lowering = lowerRequest(profileOf('nl-wallet'), originalOf())
    expect(lowering).toMatchObject({
      outcome: 'lowered',
      request: {
        query: {
          credentials: [
            { id: 'pid-dc_sd-jwt', format: 'dc+sd-jwt', claims: [{ path: ['age_equal_or_over', '18'] }] },
          ],
        },
        link: 'openid4vp',
      },
      left_out: [{ member: '/dcql_query/credentials/1', why: 'one_option' }],
    })
    expect(lowering.outcome !== 'cannot' && lowering.request.query.credential_sets).toBeUndefined()
  })

  it('asks the NL Wallet for two credentials in the one format that both have', () => {
    const original = originalOf({
      credential_types: ['pid', 'mdl'],
      scope: ['family_name'],
      credential_match: 'all',
    })
    const { credentials } = original.policy.query
    expect(credentials.map(({ format }) => format)).toEqual(['dc+sd-jwt', 'mso_mdoc', 'mso_mdoc'])
    expect(lowerRequest(profileOf('nl-wallet'), original)).toMatchObject({
      outcome: 'lowered',
      request: { query: { credentials: credentials.filter(({ format }) => format === 'mso_mdoc') } },
    })
    const none = { ...profileOf('nl-wallet'), formats: ['dc+sd-jwt'] as const }
    expect(lowerRequest(none as never, original).outcome).toBe('cannot')
  })

  it('keeps trusted authorities of type aki for the NL Wallet, and reports not_supported for the type etsi_tl', () => {
    const authority = (type: string) => {
      const original = originalOf({ formats: ['mso_mdoc'] })
      const credentials = original.policy.query.credentials.map((query) => ({
        ...query,
        trusted_authorities: [{ type, values: ['AAAA'] }],
      }))
      const query = { credentials } as never
      return lowerRequest(profileOf('nl-wallet'), { ...original, policy: { ...original.policy, query } })
    }
    expect(authority('aki')).toMatchObject({ outcome: 'works', left_out: [] })
    expect(authority('etsi_tl')).toEqual({
      outcome: 'cannot',
      reasons: [{ member: '/dcql_query/credentials/0/trusted_authorities', why: 'not_supported' }],
    })
  })

  it('asks a wallet that ignores claim_sets only for the first claim set', () => {
    const original = originalOf({ allow_derived: true })
    expect(lowerRequest(profileOf('eudi-android'), original)).toMatchObject({
      outcome: 'lowered',
      request: {
        query: { credentials: [{ claims: [{ path: ['eu.europa.ec.eudi.pid.1', 'age_over_18'] }] }] },
      },
    })
  })

  it('makes a signed request over the Digital Credentials API for a wallet without links', () => {
    const original = originalOf({ credential_types: ['mdl'], scope: ['family_name'] })
    expect(lowerRequest(profileOf('google-wallet'), original)).toMatchObject({
      outcome: 'lowered',
      left_out: [{ member: '/uri', why: 'browser_only' }],
      request: {
        link: null,
        passing: null,
        client_id_prefix: 'x509_hash',
        dc_api_protocols: ['openid4vp-v1-signed'],
      },
    })
  })

  it('changes nothing for a wallet with the Digital Credentials API if the protocol has no links', () => {
    const original = originalOf(
      { credential_types: ['mdl'], scope: ['family_name'] },
      { protocol: 'iso-18013-7-c', dc_api_protocols: ['org-iso-mdoc'] },
    )
    expect(lowerRequest(profileOf('apple-wallet'), original)).toMatchObject({
      outcome: 'works',
      left_out: [],
    })
  })

  it('asks a wallet for only one format even if the wallet supports all requested formats', () => {
    const original = originalOf({ allow_derived: true })
    const [sdJwt, mdoc] = original.policy.query.credentials
    const { formats } = profileOf('credo')
    const lowered = (preferred: typeof formats) =>
      lowerRequest({ ...profileOf('credo'), formats: preferred }, original)
    expect(lowered(['dc+sd-jwt', 'mso_mdoc'])).toMatchObject({ outcome: 'works', left_out: [] })
    expect(lowered(['dc+sd-jwt', 'mso_mdoc'])).toMatchObject({ request: { query: { credentials: [sdJwt] } } })
    expect(lowered(['mso_mdoc', 'dc+sd-jwt'])).toMatchObject({ request: { query: { credentials: [mdoc] } } })
  })

  it('keeps two document types of one format, and keeps a choice between credential types', () => {
    const photoId = originalOf({ credential_types: ['photo_id'], formats: ['mso_mdoc'] })
    expect(lowerRequest(profileOf('credo'), photoId)).toMatchObject({
      request: { query: photoId.policy.query },
    })
    const either = originalOf({ credential_types: ['age_attestation', 'pid'] })
    expect(lowerRequest(profileOf('credo'), either)).toMatchObject({
      request: { query: { credentials: [{}, {}], credential_sets: [{ options: [{}, {}] }] } },
    })
  })

  it('does not change the formats in a dcql_query of the relying party', () => {
    const original = originalOf()
    const own = { ...original, policy: { ...original.policy, scope: [] } }
    expect(lowerRequest(profileOf('credo'), own)).toMatchObject({ request: { query: own.policy.query } })
  })

  it('never asks walt.id for a member of an object in an SD-JWT VC', () => {
    const query = { id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }
    const credentials = [{ ...query, claims: [{ path: ['age_equal_or_over', '18'] as const }] }] as const
    const { policy } = originalOf()
    const original = originalOf({}, { policy: { ...policy, query: { credentials } } })
    expect(lowerRequest(profileOf('walt-id'), original)).toEqual({
      outcome: 'cannot',
      reasons: [{ member: '/dcql_query/credentials/0/claims/0/path', why: 'not_supported' }],
    })
  })

  it('asks Credo over the Digital Credentials API if one of two credentials suffices, but not if both are requested', () => {
    const protocols = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned']
    const asked = { credential_types: ['pid', 'mdl'], scope: ['family_name'] }
    expect(lowerRequest(profileOf('credo'), originalOf({ ...asked, credential_match: 'all' }))).toMatchObject(
      {
        outcome: 'works',
        request: { link: 'openid4vp', dc_api_protocols: [] },
      },
    )
    expect(lowerRequest(profileOf('credo'), originalOf(asked))).toMatchObject({
      request: { dc_api_protocols: protocols, query: { credentials: [{}, {}] } },
    })
  })

  it.each([
    [
      'no required set names its query',
      [[{ options: [['a'], ['b']] }], [{ options: [['c']], required: false }]],
      2,
    ],
    [
      'a required set also names its query',
      [[{ options: [['a'], ['b'], ['c']] }], [{ options: [['c']], required: false }]],
      3,
    ],
    ['there is no required set', [[], [{ options: [['a'], ['b'], ['c']], required: false }]], 1],
  ] as const)('omits an optional credential set for Credo if %s', (_, [required, optional], length) => {
    const query = {
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['sex'] }],
    }
    const credentials = ['a', 'b', 'c'].map((id) => ({ id, ...query }))
    const { policy } = originalOf()
    const own = { credentials, credential_sets: [...required, ...optional] }
    const original = originalOf({}, { policy: { ...policy, scope: [], query: own as never } })
    const lowering = lowerRequest(profileOf('credo'), original)
    expect(lowering).toMatchObject({ outcome: 'lowered', request: { query: { credentials: { length } } } })
    const { credential_sets } = lowering.outcome === 'cannot' ? own : lowering.request.query
    expect(credential_sets ?? []).toEqual(required)
  })

  it.each(['walt-id', 'wwwallet'])('never asks %s for an object in an SD-JWT VC', (id) => {
    for (const scope of ['address', 'place_of_birth']) {
      expect(
        lowerRequest(profileOf(id), originalOf({ scope: [scope], formats: ['dc+sd-jwt'] })),
      ).toMatchObject({
        outcome: 'cannot',
        reasons: expect.arrayContaining([
          { member: '/dcql_query/credentials/0/claims/0/path', why: 'not_supported' },
        ]),
      })
      expect(lowerRequest(profileOf(id), originalOf({ scope: [scope] }))).not.toMatchObject({
        outcome: 'works',
      })
    }
  })

  it('sends no query without claims to a wallet that would then disclose all claims', () => {
    const { policy } = originalOf({ formats: ['mso_mdoc'] })
    const credentials = policy.query.credentials.map(({ claims, ...query }) => query)
    expect(
      lowerRequest(
        profileOf('eudi-android'),
        originalOf({}, { policy: { ...policy, query: { credentials } } }),
      ),
    ).toEqual({
      outcome: 'cannot',
      reasons: [{ member: '/dcql_query/credentials/0/claims', why: 'discloses_all' }],
    })
  })
})
