// The fake Inji Wallet refuses what its source refuses: each case changes one thing of a good request.

import { describe, expect, it } from 'vitest'
import {
  type Change,
  changed,
  goodPayload,
  makeStage,
  NAME_MDOC,
  NAME_SD_JWT,
  offerLink,
  offerValue,
} from '../../../support/wallets/good-request.ts'
import { inji } from '../../../support/wallets/world/inji.ts'

const stage = await makeStage()
const base = 'openid4vp://authorize'
const offer = async (change: Change, queries = [NAME_SD_JWT]) =>
  offerValue(inji, stage, { queries, change: { base, ...change } })
const { client_metadata: METADATA } = goodPayload(stage.verifier, [])
const ENCRYPTED = { 'payload.response_mode': 'direct_post.jwt', 'payload.client_metadata': METADATA }
const claims = ['height', 'sex', 'birthdate'].map((id) => ({ id, path: [id] }))

describe('a good request to the Inji wallet', () => {
  it('is answered with the two requested claims of an SD-JWT VC', async () => {
    const { answer, posted } = await offer({})
    const format = 'dc+sd-jwt'
    expect(answer).toMatchObject({
      disclosed: [
        { format, claim: 'given_name' },
        { format, claim: 'family_name' },
      ],
    })
    expect(posted).toEqual([{ vp_token: expect.stringContaining('pid'), state: 'state-of-a-test' }])
  })

  it('is answered with every element of an mdoc', async () => {
    const { answer } = await offer({}, [NAME_MDOC])
    expect(answer).toMatchObject({ disclosed: { length: 9 } })
  })

  it('may ask for an encrypted response', async () => {
    const { posted } = await offer({ also: ENCRYPTED })
    expect(posted).toEqual([{ response: expect.stringMatching(/^[\w-]+\.\./) }])
  })

  it('a good request to the Inji wallet with claim_sets is answered with the first claim set for which the credential has the claims', async () => {
    const change = changed('query', { ...NAME_SD_JWT, claims, claim_sets: claims.map(({ id }) => [id]) })
    expect((await offer(change)).answer).toMatchObject({ disclosed: [{ claim: 'sex' }] })
  })

  it('a good request to the Inji wallet with credential_sets is answered with the first option', async () => {
    const change = changed('payload.dcql_query', {
      credentials: [{ ...NAME_SD_JWT, id: 'a', meta: { vct_values: ['a'] } }, NAME_SD_JWT],
      credential_sets: [{ options: [['a'], ['pid']] }],
    })
    expect((await offer(change)).answer).toMatchObject({ disclosed: { length: 2 } })
  })

  it('a good request to the Inji wallet without claims is answered without any claim of an SD-JWT VC', async () => {
    expect((await offer(changed('query.claims'))).answer).toMatchObject({ disclosed: [] })
  })
})

const CASES: readonly (readonly [string, Change, string])[] = [
  ['a link of another scheme', { base: 'openid4vp://' }, 'no link of this wallet'],
  [
    'another client_id prefix',
    changed('payload.client_id', 'x509_hash:AA'),
    'the prefix x509_hash is not supported',
  ],
  [
    'a response_uri that differs from client_id',
    changed('payload.response_uri', 'https://a.example'),
    'response_uri differs from client_id',
  ],
  ['transaction data', changed('payload.transaction_data', ['e30']), 'transaction_data is not supported'],
  [
    'redirect_uri',
    changed('payload.redirect_uri', 'https://a.example'),
    'redirect_uri should not be present',
  ],
  ['another response type', changed('payload.response_type', 'code'), 'the response type is not supported'],
  ['no nonce', changed('payload.nonce', ''), 'nonce is missing'],
  ['no state', changed('payload.state', ''), 'state is missing'],
  ['no query', changed('payload.dcql_query'), 'no dcql_query'],
  [
    'two queries of one id',
    changed('payload.dcql_query.credentials', [NAME_SD_JWT, NAME_SD_JWT]),
    'credential query ids must be unique',
  ],
  ['an id with a dot', changed('query.id', 'a.b'), 'the id of a query has other characters'],
  [
    'credential_sets without elements',
    changed('payload.dcql_query.credential_sets', []),
    'credential_sets without elements',
  ],
  [
    'a set without options',
    changed('payload.dcql_query.credential_sets', [{ options: [] }]),
    'a set without options',
  ],
  [
    'a credential set that names an unknown query',
    changed('payload.dcql_query.credential_sets', [{ options: [['x']] }]),
    'a set names an unknown query',
  ],
  ['an empty list of claims', changed('query.claims', []), 'claims without elements'],
  [
    'claim_sets without claims',
    changed('query', { ...NAME_SD_JWT, claims: undefined, claim_sets: [['a']] }),
    'claim_sets without claims',
  ],
  ['two claims of one id', changed('query.claims', [claims[1], claims[1]]), 'claim ids must be unique'],
  [
    'claim_sets of claims without ids',
    changed('query.claim_sets', [['a']]),
    'claims with claim_sets need ids',
  ],
  [
    'claim_sets of an unknown claim',
    changed('query', { ...NAME_SD_JWT, claims, claim_sets: [['a']] }),
    'claim_sets names an unknown claim',
  ],
  [
    'a value with a fraction',
    changed('query.claims.0.values', [1.5]),
    'a value must be a string, an integer or a boolean',
  ],
  ['a value that the credential lacks', changed('query.claims.0.values', ['Max']), 'no matching credentials'],
  [
    'a claim that the credential lacks',
    changed('query.claims.0.path', ['height']),
    'no matching credentials',
  ],
  ['another type', changed('query.meta.vct_values', ['a']), 'no matching credentials'],
  [
    'another response mode',
    changed('payload.response_mode', 'fragment'),
    'the response mode is not supported',
  ],
  [
    'another content encryption',
    {
      also: {
        ...ENCRYPTED,
        'payload.client_metadata': { ...METADATA, encrypted_response_enc_values_supported: ['A128GCM'] },
      },
    },
    'no supported content encryption',
  ],
  [
    'two keys',
    {
      also: {
        ...ENCRYPTED,
        'payload.client_metadata': {
          ...METADATA,
          jwks: { keys: [1, 2].flatMap(() => METADATA.jwks?.keys ?? []) },
        },
      },
    },
    'no supported key',
  ],
]

it.each(CASES)('the Inji wallet refuses a request with %s', async (_, change, refused) => {
  const { answer, posted } = await offer(change)
  expect([answer, posted]).toEqual([{ refused }, []])
})

it('the Inji wallet refuses requests with any signature algorithm except EdDSA', async () => {
  const ask = async (change: Change) =>
    (await offerLink(inji, stage, { queries: [NAME_SD_JWT], change: { base, ...change } })).answer
  expect(await ask({})).toEqual({ refused: 'the prefix x509_hash is not supported' })
  const did = 'decentralized_identifier:did:web:shop.example'
  const also = { 'payload.client_id': did, 'link.client_id': did }
  expect(await ask({ also })).toEqual({ refused: 'the algorithm ES256 is not supported' })
})
