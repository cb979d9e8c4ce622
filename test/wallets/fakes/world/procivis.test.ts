// The fake wallet of Procivis refuses what its source refuses: each case changes one thing of a good request.

import { describe, expect, it } from 'vitest'
import {
  type Change,
  changed,
  makeStages,
  NAME_MDOC,
  NAME_SD_JWT,
  offerLink,
  offerTo,
} from '../../../support/wallets/good-request.ts'
import { procivis } from '../../../support/wallets/world/procivis.ts'

const [stage, other] = await makeStages()
const offer = offerTo(procivis, stage)
const SAN = 'x509_san_dns:shop.example'
const METADATA = 'payload.client_metadata'

describe('a good request to the Procivis wallet', () => {
  it.each([
    ['dc+sd-jwt', NAME_SD_JWT],
    ['mso_mdoc', NAME_MDOC],
  ])('is answered with the two requested claims of %s', async (format, good) => {
    for (const scheme of ['openid4vp', 'haip-vp']) {
      const { answer, posted } = await offer({ scheme }, [good])
      const claims = ['given_name', 'family_name']
      expect(answer).toMatchObject({ disclosed: claims.map((claim) => ({ format, claim })) })
      expect(posted).toEqual([{ response: expect.stringMatching(/^[\w-]+\.\./) }])
    }
  })

  it('may have a verifier certificate of any authority, and may name the verifier by its DNS name', async () => {
    for (const change of [
      { verifier: other },
      { also: { 'link.client_id': SAN, 'payload.client_id': SAN } },
    ]) {
      expect((await offer(change)).answer).toMatchObject({ disclosed: { length: 2 } })
    }
  })

  it('may be answered without encryption', async () => {
    const { posted } = await offer(changed('payload.response_mode', 'direct_post'))
    expect(posted).toEqual([{ vp_token: expect.stringContaining('pid'), state: 'state-of-a-test' }])
  })

  it('is answered if its link has request_uri_method post', async () => {
    const { answer } = await offerLink(procivis, stage, { queries: [NAME_SD_JWT], method: 'post' })
    expect(answer).toMatchObject({ disclosed: { length: 2 } })
  })

  it('a good request to the Procivis wallet with claim_sets is answered with the first claim set for which the credential has the claims', async () => {
    const claims = ['height', 'sex', 'birthdate'].map((id) => ({ id, path: [id] }))
    const change = changed('query', { ...NAME_SD_JWT, claims, claim_sets: claims.map(({ id }) => [id]) })
    expect((await offer(change)).answer).toMatchObject({ disclosed: [{ claim: 'sex' }] })
  })

  it('a good request to the Procivis wallet with credential_sets is answered with the first option, and without optional sets', async () => {
    const credentials = [
      { ...NAME_SD_JWT, meta: { vct_values: ['a'] } },
      NAME_MDOC,
      { ...NAME_SD_JWT, id: 'b' },
    ]
    const credential_sets = [
      { options: [['pid'], ['pid_mdoc'], ['b']] },
      { options: [['b']], required: false },
    ]
    const { answer } = await offer(changed('payload.dcql_query', { credentials, credential_sets }))
    const format = 'mso_mdoc'
    expect(answer).toMatchObject({ disclosed: [{ format }, { format }] })
  })

  it('may ask for members of objects', async () => {
    const change = changed('query.claims', [{ path: ['age_equal_or_over', '18'] }])
    expect((await offer(change)).answer).toMatchObject({ disclosed: [{ claim: 'age_equal_or_over.18' }] })
  })

  it('a good request to the Procivis wallet without claims is answered without any claim', async () => {
    for (const query of [NAME_SD_JWT, NAME_MDOC]) {
      expect((await offer(changed('query.claims'), [query])).answer).toMatchObject({ disclosed: [] })
    }
  })

  it('a good request to the Procivis wallet with transaction data is answered with the two requested claims', async () => {
    const { answer } = await offer(changed('payload.transaction_data', ['e30']))
    expect(answer).toMatchObject({ disclosed: { length: 2 } })
  })
})

const CASES: readonly (readonly [string, Change, string])[] = [
  ['another scheme', { scheme: 'eudi-openid4vp' }, 'no link of this wallet'],
  ['no request_uri', changed('link.request_uri'), 'no request_uri'],
  ['another client_id', changed('link.client_id', 'x509_hash:AA'), 'client_id differs from the link'],
  ['status 500 at its request_uri', { status: 500 }, 'request_uri: HTTP 500'],
  ['another typ', changed('header.typ', 'JWT'), 'typ is not oauth-authz-req+jwt'],
  [
    'another signer',
    { signer: other.leaf.privateJwk as never },
    'the signature of the request object does not verify',
  ],
  [
    'an x509_hash of another certificate',
    { also: { 'payload.client_id': 'x509_hash:AA', 'link.client_id': 'x509_hash:AA' } },
    'x509_hash is not of the leaf',
  ],
  [
    'a response_uri of another host',
    {
      also: {
        'payload.client_id': SAN,
        'link.client_id': SAN,
        'payload.response_uri': 'https://other.example/response',
      },
    },
    'response_uri is of another host',
  ],
  [
    'a redirect_uri prefix',
    { also: { 'payload.client_id': 'redirect_uri:a', 'link.client_id': 'redirect_uri:a' } },
    'the prefix redirect_uri is not supported',
  ],
  ['redirect_uri', changed('payload.redirect_uri', 'https://a.example'), 'redirect_uri must be absent'],
  ['no query', changed('payload.dcql_query'), 'no dcql_query'],
  [
    'a credential set that names an unknown query',
    changed('payload.dcql_query.credential_sets', [{ options: [['x']] }]),
    'a set names an unknown query',
  ],
  ['meta without a type', changed('query.meta', {}), 'meta without a type'],
  [
    'another response type',
    changed('payload.response_type', 'vp_token id_token'),
    'response_type is not vp_token',
  ],
  ['no response mode', changed('payload.response_mode'), 'response_mode is missing'],
  [
    'another response mode',
    changed('payload.response_mode', 'fragment'),
    'the response mode is not supported',
  ],
  ['no client_metadata', changed(METADATA), 'client_metadata is missing'],
  [
    'no format',
    changed(`${METADATA}.vp_formats_supported`, {}),
    'no supported format in vp_formats_supported',
  ],
  [
    'another algorithm',
    changed(`${METADATA}.vp_formats_supported.mso_mdoc.issuerauth_alg_values`, [-35]),
    'no supported algorithm in issuerauth_alg_values of mso_mdoc',
  ],
  ['no nonce', changed('payload.nonce'), 'nonce is missing'],
  [
    'a value that the credential lacks',
    changed('query.claims.0.values', ['Max']),
    'no applicable credential',
  ],
  [
    'a claim that the credential lacks',
    changed('query.claims.0.path', ['height']),
    'no applicable credential',
  ],
  [
    'another issuer',
    changed('query.trusted_authorities', [{ type: 'aki', values: ['AAAA'] }]),
    'no applicable credential',
  ],
  [
    'issuers of a trust list',
    changed('query.trusted_authorities', [{ type: 'etsi_tl', values: ['https://list.example'] }]),
    'no applicable credential',
  ],
  ['a key without kid', changed(`${METADATA}.jwks.keys.0.kid`), 'no supported key'],
  [
    'an unknown content encryption',
    changed(`${METADATA}.encrypted_response_enc_values_supported`, ['A192GCM']),
    'no supported content encryption',
  ],
]

it.each(CASES)('the Procivis wallet refuses a request with %s', async (_, change, refused) => {
  const { answer, posted } = await offer(change)
  expect([answer, posted]).toEqual([{ refused }, []])
})
