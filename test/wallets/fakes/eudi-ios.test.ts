// The fake EUDI wallet on iOS refuses what its source refuses: each case changes one thing of a good request.

import { expect, it } from 'vitest'
import { eudiIos } from '../../support/wallets/eu/eudi-ios.ts'
import {
  type Change,
  changed,
  makeStages,
  NAME_MDOC,
  NAME_SD_JWT,
  offerLink,
} from '../../support/wallets/good-request.ts'

const [stage, other] = await makeStages()
const METADATA = 'payload.client_metadata'
const KEY = `${METADATA}.jwks.keys.0`
const [NAME, FAMILY] = [{ claim: 'given_name' }, { claim: 'family_name' }]

it.each([
  ['dc+sd-jwt', NAME_SD_JWT],
  ['mso_mdoc', NAME_MDOC],
])('the iOS wallet encrypts its answer for %s, with request_uri_method get or post', async (_, good) => {
  for (const method of ['get', 'post'] as const) {
    const { answer, posted } = await offerLink(eudiIos, stage, { queries: [good], method })
    expect(answer).toMatchObject({ disclosed: [NAME, FAMILY] })
    expect(posted).toEqual([{ response: expect.stringMatching(/^[\w-]+\.\./) }])
  }
})

it('the iOS wallet answers one option of credential_sets', async () => {
  const change = changed('payload.dcql_query.credential_sets', [{ options: [['pid_mdoc'], ['pid']] }])
  const { answer } = await offerLink(eudiIos, stage, { queries: [NAME_SD_JWT, NAME_MDOC], change })
  expect(answer).toMatchObject({ disclosed: [{ format: 'mso_mdoc' }, { format: 'mso_mdoc' }] })
})

it('the iOS wallet discloses the first claim set for which it has the claims', async () => {
  const claims = [
    { id: 'a', path: ['height'] },
    { id: 'b', path: ['given_name'] },
    { id: 'c', path: ['birthdate'] },
  ]
  const query = { ...NAME_SD_JWT, claims, claim_sets: [['a'], ['b'], ['c']] }
  const { answer } = await offerLink(eudiIos, stage, { queries: [query] })
  expect(answer).toMatchObject({ disclosed: [NAME] })
})

it('the iOS wallet discloses nothing to a query without claims', async () => {
  const change = changed('query.claims')
  const { answer } = await offerLink(eudiIos, stage, { queries: [NAME_SD_JWT], change })
  expect(answer).toMatchObject({ disclosed: [] })
})

const CASES: readonly (readonly [string, Change, string])[] = [
  ['another scheme', { scheme: 'av' }, 'the scheme is not supported'],
  ['no client_id', changed('link.client_id'), 'client_id is missing'],
  [
    'another client_id prefix',
    changed('link.client_id', 'redirect_uri:https://a.example'),
    'the Client Identifier prefix redirect_uri is not supported',
  ],
  ['parameters in the link', changed('link.request_uri'), 'x509_hash cannot be used in an unsigned request'],
  ['an unknown request_uri_method', changed('link.request_uri_method', 'put'), 'unknown request_uri_method'],
  ['another client_id', changed('link.client_id', 'x509_hash:AA'), 'client_id differs from the link'],
  ['another audience', changed('payload.aud', 'https://w.example'), 'aud is not https://self-issued.me/v2'],
  ['no x5c', changed('header.x5c'), 'no x5c in the request object'],
  ['a certificate of another authority', { verifier: other }, 'the certificate is not trusted'],
  [
    'another signer',
    { signer: other.leaf.privateJwk as never },
    'the signature of the request object does not verify',
  ],
  [
    'the response mode fragment.jwt',
    changed('payload.response_mode', 'fragment.jwt'),
    'the response mode fragment.jwt is not supported',
  ],
  ['no response_uri', changed('payload.response_uri'), 'response_uri is missing'],
  ['no key with kid', changed(`${KEY}.kid`), 'no key with kid and alg for ECDH-ES'],
  [
    'an unknown content encryption',
    changed(`${METADATA}.encrypted_response_enc_values_supported`, ['A128CBC-HS256']),
    'no supported content encryption',
  ],
  [
    'a content encryption for a response in the clear',
    changed('payload.response_mode', 'direct_post'),
    'encrypted_response_enc_values_supported without encryption',
  ],
  ['another response type', changed('payload.response_type', 'id_token'), 'response_type is not vp_token'],
  ['no nonce', changed('payload.nonce'), 'nonce is missing'],
  ['no query', changed('payload.dcql_query'), 'dcql_query is missing'],
  ['an id with a dot', changed('query.id', 'a.b'), 'malformed ids of credential queries'],
  [
    'an unknown id in a set',
    changed('payload.dcql_query.credential_sets', [{ options: [['x']] }]),
    'malformed credential_sets',
  ],
  ['a boolean in values', changed('query.claims.0.values', [true]), 'values other than strings'],
  [
    'intent_to_retain',
    changed('query.claims.0.intent_to_retain', false),
    'intent_to_retain is for mdocs only',
  ],
  ['transaction data', changed('payload.transaction_data', ['e30']), 'transaction_data is not supported'],
  ['a value the PID lacks', changed('query.claims.0.values', ['Max']), 'no credential satisfies a query'],
  [
    'a claim that the wallet does not hold',
    changed('query.claims.0.path', ['height']),
    'no credential satisfies a query',
  ],
  [
    'a second type in vct_values',
    changed('query.meta.vct_values', ['urn:other', 'urn:eudi:pid:1']),
    'no credential satisfies a query',
  ],
]

it.each(CASES)('the iOS wallet refuses a request with %s', async (_, change, refused) => {
  const { answer, posted } = await offerLink(eudiIos, stage, { queries: [NAME_SD_JWT], change })
  expect([answer, posted]).toEqual([{ refused }, []])
})

it('the iOS wallet refuses a path with three elements in an mdoc query', async () => {
  const change = changed('query.claims.0.path', ['a', 'b', 'c'])
  const { answer } = await offerLink(eudiIos, stage, { queries: [NAME_MDOC], change })
  expect(answer).toEqual({ refused: 'not a path of an mdoc' })
})
