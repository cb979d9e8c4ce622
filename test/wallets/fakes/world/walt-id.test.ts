// The fake wallet of walt.id refuses what its source refuses: each case changes one thing of a good request.

import { describe, expect, it } from 'vitest'
import {
  type Change,
  changed,
  goodPayload,
  makeStages,
  NAME_MDOC,
  NAME_SD_JWT,
  offerLink,
  offerTo,
} from '../../../support/wallets/good-request.ts'
import { waltId } from '../../../support/wallets/world/walt-id.ts'

const [stage, other] = await makeStages()
const offer = offerTo(waltId, stage)
const SAN = 'x509_san_dns:shop.example'
const KEY = 'payload.client_metadata.jwks.keys.0'

describe('a good request to the walt.id wallet', () => {
  it.each([
    ['dc+sd-jwt', NAME_SD_JWT],
    ['mso_mdoc', NAME_MDOC],
  ])('is answered with the two requested claims of %s', async (format, good) => {
    for (const method of ['get', 'post'] as const) {
      const { answer, posted } = await offerLink(waltId, stage, { queries: [good], method })
      const claims = ['given_name', 'family_name']
      expect(answer).toMatchObject({ disclosed: claims.map((claim) => ({ format, claim })) })
      expect(posted).toEqual([{ response: expect.stringMatching(/^[\w-]+\.\./) }])
    }
  })

  it('may name the verifier by its DNS name', async () => {
    const change = { ...changed('payload.client_id', SAN), also: { 'link.client_id': SAN } }
    expect((await offer(change)).answer).toMatchObject({ disclosed: { length: 2 } })
  })

  it('a good request to the walt.id wallet with claim_sets is answered with the first claim set for which the credential has the claims', async () => {
    const claims = ['height', 'sex', 'birthdate'].map((id) => ({ id, path: [id] }))
    const change = changed('query', { ...NAME_SD_JWT, claims, claim_sets: claims.map(({ id }) => [id]) })
    expect((await offer(change)).answer).toMatchObject({ disclosed: [{ claim: 'sex' }] })
  })

  it.each([
    ['dc+sd-jwt', NAME_SD_JWT],
    ['mso_mdoc', NAME_MDOC],
  ])(
    'a good request to the walt.id wallet without claims is answered without any claim of %s',
    async (_, query) => {
      expect((await offer(changed('query.claims'), [query])).answer).toMatchObject({ disclosed: [] })
    },
  )

  it('may name trusted authorities, which the wallet ignores', async () => {
    const change = changed('query.trusted_authorities', [{ type: 'aki', values: ['AAAA'] }])
    expect((await offer(change)).answer).toMatchObject({ disclosed: { length: 2 } })
  })
})

describe('an unsigned request to the walt.id wallet', () => {
  const queries = [NAME_SD_JWT, NAME_MDOC]
  const { client_id: _, ...payload } = goodPayload(stage.verifier, queries)
  const fetch = () => Promise.resolve(Response.json({}))
  const surroundings = { holdings: stage.holdings, verifierCa: stage.verifier.root.pem, fetch }

  it('may be in a link', async () => {
    const { client_metadata, dcql_query, exp, iat, aud, ...rest } = payload
    const ask = (responseUri: string) =>
      waltId.answer(
        {
          link: `openid4vp://?${new URLSearchParams({
            ...(rest as object),
            client_id: `redirect_uri:${responseUri}`,
            client_metadata: JSON.stringify(client_metadata),
            dcql_query: JSON.stringify(dcql_query),
          })}`,
        },
        surroundings,
      )
    expect(await ask(payload.response_uri)).toMatchObject({ disclosed: { length: 4 } })
    expect(await ask('https://a.example')).toEqual({ refused: 'response_uri differs from client_id' })
  })

  it.each(['dc_api', 'dc_api.jwt'])(
    'may come over the Digital Credentials API with response_mode %s',
    async (response_mode) => {
      const data = { ...payload, response_mode }
      const ask = (protocol: string) =>
        waltId.answer({ digital: { protocol, data }, origin: 'https://shop.example' }, surroundings)
      expect(await ask('openid4vp-v1-unsigned')).toMatchObject({
        disclosed: { length: 4 },
        credential: {
          protocol: 'openid4vp-v1-unsigned',
          data: response_mode === 'dc_api' ? { vp_token: {} } : { response: expect.any(String) },
        },
      })
      expect(await ask('openid4vp-v1-signed')).toEqual({ refused: 'the exchange protocol is not supported' })
    },
  )
})

it('the walt.id wallet answers every option of credential_sets', async () => {
  const change = changed('payload.dcql_query', {
    credentials: [NAME_SD_JWT, NAME_MDOC],
    credential_sets: [{ options: [['pid'], ['pid_mdoc']] }],
  })
  expect((await offer(change)).answer).toMatchObject({ disclosed: { length: 4 } })
})

it('the walt.id wallet presents a member of an object without its parent object', async () => {
  const { answer, posted } = await offer({
    ...changed('query.claims', [{ path: ['age_equal_or_over', '18'] }]),
    also: { 'payload.response_mode': 'direct_post' },
  })
  expect(answer).toMatchObject({ disclosed: [{ claim: 'age_equal_or_over.18' }] })
  const [presentation = ''] = JSON.parse(posted[0]?.vp_token ?? '').pid
  expect(presentation.split('~')).toHaveLength(3)
})

const CASES: readonly (readonly [string, Change, string])[] = [
  ['another scheme', { scheme: 'haip-vp' }, 'no link of this wallet'],
  ['no request_uri', changed('link.request_uri'), 'the prefix x509_hash is not supported'],
  ['another client_id', changed('link.client_id', 'x509_hash:AA'), 'client_id differs from the link'],
  ['status 500 at its request_uri', { status: 500 }, 'request_uri: HTTP 500'],
  ['another typ', changed('header.typ', 'JWT'), 'typ is not oauth-authz-req+jwt'],
  [
    'a certificate of an unlisted authority',
    { verifier: other },
    'the certificate is of no listed authority',
  ],
  [
    'another signer',
    { signer: other.leaf.privateJwk as never },
    'the signature of the request object does not verify',
  ],
  [
    'an x509_hash of another certificate',
    { ...changed('payload.client_id', 'x509_hash:AA'), also: { 'link.client_id': 'x509_hash:AA' } },
    'x509_hash is not of the leaf',
  ],
  [
    'another DNS name',
    { ...changed('payload.client_id', `${SAN}.org`), also: { 'link.client_id': `${SAN}.org` } },
    'the certificate has another DNS name',
  ],
  [
    'the prefix openid_federation',
    {
      ...changed('payload.client_id', 'openid_federation:a'),
      also: { 'link.client_id': 'openid_federation:a' },
    },
    'the prefix openid_federation is not supported',
  ],
  ['redirect_uri', changed('payload.redirect_uri', 'https://a.example'), 'redirect_uri beside direct_post'],
  ['a blank nonce', changed('payload.nonce', ' '), 'nonce is missing'],
  ['another response type', changed('payload.response_type', 'code'), 'unsupported response_type'],
  ['no query', changed('payload.dcql_query'), 'no dcql_query'],
  ['an empty list of claims', changed('query.claims', []), 'claims without elements'],
  ['another format', changed('query.format', 'ldp_vc'), 'none of the formats is supported'],
  [
    'a format that the verifier does not state',
    changed('payload.client_metadata.vp_formats_supported', { mso_mdoc: {} }),
    'none of the formats is supported',
  ],
  ['transaction data', changed('payload.transaction_data', ['e30']), 'unknown type of transaction data'],
  [
    'a claim that the credential lacks',
    changed('query.claims.0.path', ['height']),
    'no credential combination satisfies the request',
  ],
  [
    'a value that the credential lacks',
    changed('query.claims.0.values', ['Max']),
    'no credential combination satisfies the request',
  ],
  [
    'another response mode',
    changed('payload.response_mode', 'fragment'),
    'the response mode is not supported',
  ],
  ['a key without kid', changed(`${KEY}.kid`), 'no supported key'],
  [
    'an unknown content encryption',
    changed('payload.client_metadata.encrypted_response_enc_values_supported', ['XC20P']),
    'no supported content encryption',
  ],
]

it.each(CASES)('the walt.id wallet refuses a request with %s', async (_, change, refused) => {
  const { answer, posted } = await offer(change)
  expect([answer, posted]).toEqual([{ refused }, []])
})

it('the walt.id wallet refuses a request with a wallet_nonce other than the nonce that the wallet posted', async () => {
  const change = changed('payload.wallet_nonce', 'another')
  const { answer } = await offerLink(waltId, stage, { queries: [NAME_SD_JWT], change, method: 'post' })
  expect(answer).toEqual({ refused: 'wallet_nonce differs' })
})
