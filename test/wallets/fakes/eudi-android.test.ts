// The fake EUDI wallet on Android refuses what its source refuses: each case changes one thing of a good
// request.

import { expect, it } from 'vitest'
import { eudiAndroid } from '../../support/wallets/eu/eudi-android.ts'
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
])('the Android wallet encrypts its answer for %s, with request_uri_method get or post', async (_, good) => {
  for (const method of ['get', 'post'] as const) {
    const { answer, posted } = await offerLink(eudiAndroid, stage, { queries: [good], method })
    expect(answer).toMatchObject({ disclosed: [NAME, FAMILY] })
    expect(posted).toEqual([{ response: expect.stringMatching(/^[\w-]+\.\./) }])
  }
})

it('the Android wallet answers the first option of credential_sets for which it has credentials', async () => {
  const change = changed('payload.dcql_query.credential_sets', [{ options: [['pid_mdoc'], ['pid']] }])
  const { answer } = await offerLink(eudiAndroid, stage, { queries: [NAME_SD_JWT, NAME_MDOC], change })
  expect(answer).toMatchObject({ disclosed: [{ format: 'mso_mdoc' }, { format: 'mso_mdoc' }] })
})

it('the Android wallet ignores claim_sets, and discloses every claim of the query', async () => {
  const claims = [
    { id: 'a', path: ['given_name'] },
    { id: 'b', path: ['birthdate'] },
  ]
  const query = { ...NAME_SD_JWT, claims, claim_sets: [['a'], ['b']] }
  const { answer } = await offerLink(eudiAndroid, stage, { queries: [query] })
  expect(answer).toMatchObject({ disclosed: [NAME, { claim: 'birthdate' }] })
})

it.each([
  [NAME_SD_JWT, 9],
  [NAME_MDOC, 9],
] as const)(
  'the Android wallet discloses the whole document to a query without claims',
  async (good, count) => {
    const { answer } = await offerLink(eudiAndroid, stage, {
      queries: [good],
      change: changed('query.claims'),
    })
    expect(answer).toMatchObject({ disclosed: { length: count } })
  },
)

it('the Android wallet ignores the member `values` of a query', async () => {
  const change = changed('query.claims.0.values', ['somebody else'])
  const { answer } = await offerLink(eudiAndroid, stage, { queries: [NAME_SD_JWT], change })
  expect(answer).toMatchObject({ disclosed: [NAME, FAMILY] })
})

const CASES: readonly (readonly [string, Change, string])[] = [
  ['another scheme', { scheme: 'av' }, 'the scheme is not supported'],
  ['no client_id', changed('link.client_id'), 'client_id is missing'],
  ['an unknown request_uri_method', changed('link.request_uri_method', 'put'), 'unknown request_uri_method'],
  ['another client_id', changed('link.client_id', 'x509_hash:AA'), 'client_id differs from the link'],
  ['no request_uri', changed('link.request_uri'), 'x509_hash cannot be used in an unsigned request'],
  ['status 404 at its request_uri', { status: 404 }, 'request_uri: HTTP 404'],
  ['no x5c', changed('header.x5c'), 'no x5c in the request object'],
  ['a certificate of another authority', { verifier: other }, 'the certificate is not trusted'],
  ['another typ', changed('header.typ', 'JWT'), 'typ is not oauth-authz-req+jwt'],
  [
    'another signer',
    { signer: other.leaf.privateJwk as never },
    'the signature of the request object does not verify',
  ],
  [
    'a request object that has expired',
    changed('payload.exp', 1_700_000_000),
    'the request object has expired',
  ],
  ['another response type', changed('payload.response_type', 'id_token'), 'response_type is not vp_token'],
  ['no nonce', changed('payload.nonce'), 'nonce is missing'],
  [
    'the response mode fragment',
    changed('payload.response_mode', 'fragment'),
    'the response mode fragment is not supported',
  ],
  ['redirect_uri', changed('payload.redirect_uri', 'https://a.example'), 'redirect_uri beside response_uri'],
  ['no response_uri', changed('payload.response_uri'), 'response_uri is missing or no URL'],
  ['an id with a dot', changed('query.id', 'a.b'), 'malformed ids of credential queries'],
  [
    'an unknown id in a set',
    changed('payload.dcql_query.credential_sets', [{ options: [['x']] }]),
    'credential_sets name an unknown query',
  ],
  ['no type', changed('query.meta', {}), 'meta names no type'],
  ['empty claims', changed('query.claims', []), 'malformed claims'],
  ['an unknown claim in a set', changed('query.claim_sets', [['x']]), 'malformed claim_sets'],
  [
    'intent_to_retain',
    changed('query.claims.0.intent_to_retain', true),
    'intent_to_retain is for mdocs only',
  ],
  ['another format', changed('query.format', 'jwt_vc_json'), 'a format is not supported'],
  ['transaction data', changed('payload.transaction_data', ['e30']), 'transaction_data is not supported'],
  ['no client_metadata', changed(METADATA), 'client_metadata is missing'],
  ['no keys', changed(`${METADATA}.jwks`), 'jwks is missing or empty'],
  ['a key without kid', changed(`${KEY}.kid`), 'no key with kid and alg for ECDH-ES'],
  ['a key without alg', changed(`${KEY}.alg`), 'no key with kid and alg for ECDH-ES'],
  [
    'an unknown content encryption',
    changed(`${METADATA}.encrypted_response_enc_values_supported`, ['XC20P']),
    'no supported content encryption',
  ],
  [
    'a content encryption for a response in the clear',
    changed('payload.response_mode', 'direct_post'),
    'encrypted_response_enc_values_supported without encryption',
  ],
  ['no formats', changed(`${METADATA}.vp_formats_supported`, {}), 'vp_formats_supported lacks a format'],
  [
    'vp_formats_supported without an algorithm of the wallet',
    changed(`${METADATA}.vp_formats_supported.dc+sd-jwt.sd-jwt_alg_values`, ['ES384']),
    'vp_formats_supported has no algorithm of the wallet for dc+sd-jwt',
  ],
  [
    'a type that the wallet does not hold',
    changed('query.meta.vct_values', ['urn:other']),
    'no document of the type',
  ],
]

it.each(CASES)('the Android wallet refuses a request with %s', async (_, change, refused) => {
  const { answer, posted } = await offerLink(eudiAndroid, stage, { queries: [NAME_SD_JWT], change })
  expect([answer, posted]).toEqual([{ refused }, []])
})

it('the Android wallet refuses an mdoc query if the verifier does not list ESP256 as COSE algorithm -9', async () => {
  const change = changed(`${METADATA}.vp_formats_supported.mso_mdoc.deviceauth_alg_values`, [-7])
  const { answer } = await offerLink(eudiAndroid, stage, { queries: [NAME_MDOC], change })
  expect(answer).toEqual({ refused: 'vp_formats_supported has no algorithm of the wallet for mso_mdoc' })
})

it('the Android wallet refuses OpenID4VP over the Digital Credentials API', async () => {
  const digital = { protocol: 'openid4vp-v1-signed', data: { request: '' } }
  const surroundings = { ...stage, verifierCa: stage.verifier.root.pem, fetch: () => Promise.reject() }
  const answer = await eudiAndroid.answer({ digital, origin: 'https://shop.example' }, surroundings)
  expect(answer).toEqual({ refused: 'the first request is not org-iso-mdoc' })
})
