// The fake wwWallet refuses what its source refuses, and discloses what its source discloses: each case
// changes one thing of a good request.

import { describe, expect, it } from 'vitest'
import {
  type Change,
  changed,
  makeStages,
  NAME_MDOC,
  NAME_SD_JWT,
  offerTo,
} from '../../../support/wallets/good-request.ts'
import { wwwallet } from '../../../support/wallets/world/wwwallet.ts'

const [stage, other] = await makeStages()
const BASE = 'https://demo.wwwallet.org/cb'
const offer = offerTo(wwwallet, stage, { base: BASE })
const ENC = 'payload.client_metadata.encrypted_response_enc_values_supported'

describe('a good request to the wwWallet', () => {
  it.each([
    ['dc+sd-jwt', NAME_SD_JWT],
    ['mso_mdoc', NAME_MDOC],
  ])('is answered with the two requested claims of %s', async (format, good) => {
    const { answer, posted } = await offer({}, [good])
    const claims = ['given_name', 'family_name']
    expect(answer).toMatchObject({ disclosed: claims.map((claim) => ({ format, claim })) })
    expect(posted).toEqual([{ response: expect.stringMatching(/^[\w-]+\.\./) }])
  })

  it('may have a verifier certificate of any authority', async () => {
    expect((await offer({ verifier: other })).answer).toMatchObject({ disclosed: { length: 2 } })
  })

  it('may be answered without encryption', async () => {
    const { posted } = await offer(changed('payload.response_mode', 'direct_post'))
    expect(posted).toMatchObject([{ vp_token: expect.stringContaining('"pid"'), state: 'state-of-a-test' }])
  })

  it('may have transaction data for a signature', async () => {
    const { answer } = await offer(changed('payload.transaction_data', [transaction()]))
    expect(answer).toMatchObject({ disclosed: { length: 2 } })
  })

  it('may name a member of an object', async () => {
    const { answer } = await offer(changed('query.claims', [{ path: ['age_equal_or_over', '18'] }]))
    expect(answer).toMatchObject({ disclosed: [{ claim: 'age_equal_or_over.18' }] })
  })
})

describe('the wwWallet discloses more than a query requests', () => {
  it('every claim of a query with claim_sets', async () => {
    const claims = ['sex', 'birthdate'].map((id) => ({ id, path: [id] }))
    const change = changed('query', { ...NAME_SD_JWT, claims, claim_sets: [['sex'], ['birthdate']] })
    expect((await offer(change)).answer).toMatchObject({
      disclosed: [{ claim: 'sex' }, { claim: 'birthdate' }],
    })
  })

  it.each([
    ['dc+sd-jwt', NAME_SD_JWT],
    ['mso_mdoc', NAME_MDOC],
  ])('every claim of %s if the query has no claims', async (_, query) => {
    const { answer } = await offer(changed('query.claims'), [query])
    expect(answer).toMatchObject({ disclosed: { length: 9 } })
  })

  it('every option of credential_sets', async () => {
    const change = changed('payload.dcql_query', {
      credentials: [NAME_SD_JWT, NAME_MDOC],
      credential_sets: [{ options: [['pid'], ['pid_mdoc']] }],
    })
    expect((await offer(change)).answer).toMatchObject({ disclosed: { length: 4 } })
  })
})

const CASES: readonly (readonly [string, Change, string])[] = [
  ['a custom scheme', { base: 'openid4vp://' }, 'the link is not of the web wallet'],
  ['no request_uri', changed('link.request_uri'), 'no client_id or no request_uri'],
  ['no client_id', changed('link.client_id'), 'no client_id or no request_uri'],
  [
    'a DID in the link',
    changed('link.client_id', 'decentralized_identifier:did:web:shop.example'),
    'the prefix decentralized_identifier is not supported',
  ],
  [
    'the client_id prefix redirect_uri',
    changed('payload.client_id', 'redirect_uri:a'),
    'the prefix redirect_uri is not supported',
  ],
  ['status 500 at its request_uri', { status: 500 }, 'request_uri: HTTP 500'],
  ['another typ', changed('header.typ', 'JWT'), 'typ is not oauth-authz-req+jwt'],
  ['no x5c', changed('header.x5c'), 'no x5c in the request object'],
  [
    'another signer',
    { signer: other.leaf.privateJwk as never },
    'the signature of the request object does not verify',
  ],
  [
    'an x509_hash of another certificate',
    changed('payload.client_id', 'x509_hash:AA'),
    'x509_hash is not of the leaf',
  ],
  [
    'a response_uri of another host',
    changed('payload.response_uri', 'https://other.example/response'),
    'request_uri and response_uri have different hosts',
  ],
  ['no query', changed('payload.dcql_query'), 'no dcql_query'],
  ['another response mode', changed('payload.response_mode', 'fragment'), 'unknown response_mode'],
  ['no encryption key', changed('payload.client_metadata.jwks.keys.0.use', 'sig'), 'no key with use enc'],
  ['a key without alg', changed('payload.client_metadata.jwks.keys.0.alg'), 'the key has no alg'],
  ['an unknown content encryption', changed(ENC, ['A128CBC-HS256']), 'no supported content encryption'],
  ['an unknown format', changed('query.format', 'jwt_vc'), 'dcql_query: '],
  [
    'credential_sets with an option that the person lacks',
    changed('payload.dcql_query', {
      credentials: [NAME_SD_JWT, { ...NAME_MDOC, meta: { doctype_value: 'other' } }],
      credential_sets: [{ options: [['pid'], ['pid_mdoc']] }],
    }),
    'insufficient credentials',
  ],
  [
    'a claim that the credential lacks',
    changed('query.claims.0.path', ['height']),
    'insufficient credentials',
  ],
  [
    'a value that the credential lacks',
    changed('query.claims.0.values', ['Max']),
    'insufficient credentials',
  ],
  [
    'trusted authorities',
    changed('query.trusted_authorities', [{ type: 'aki', values: ['AAAA'] }]),
    'insufficient credentials',
  ],
  [
    'transaction data for a payment',
    changed('payload.transaction_data', [transaction({ type: 'payment' })]),
    'transactions of the type payment are not supported',
  ],
  [
    'a transaction of another query',
    changed('payload.transaction_data', [transaction({ credential_ids: ['other'] })]),
    'a transaction names an unknown query',
  ],
]

it.each(CASES)('the wwWallet refuses a request with %s', async (_, change, refused) => {
  const { answer, posted } = await offer(change)
  expect([answer, posted]).toEqual([{ refused: expect.stringContaining(refused) }, []])
})

it('the wwWallet refuses requests over the Digital Credentials API', async () => {
  const digital = { protocol: 'openid4vp-v1-signed', data: { request: '' } }
  const surroundings = { ...stage, verifierCa: stage.verifier.root.pem, fetch: () => Promise.reject() }
  expect(await wwwallet.answer({ digital, origin: 'https://shop.example' }, surroundings)).toEqual({
    refused: 'no Digital Credentials API',
  })
})

it.each([
  ['null', null],
  ['an index', 0],
])(
  'if the elements of an array have no disclosures, the wwWallet discloses the array for a path that ends with %s',
  async (_, step) => {
    const { answer } = await offer(changed('query.claims', [{ path: ['nationalities', step] }]))
    expect(answer).toMatchObject({ disclosed: [{ claim: 'nationalities' }] })
  },
)

function transaction(changes: object = {}): string {
  const data = { type: 'qes_authorization', credential_ids: ['pid'], ...changes }
  return Buffer.from(JSON.stringify(data)).toString('base64url')
}
