// The fake NL Wallet refuses what its source refuses: each case changes one thing of a good request.

import { describe, expect, it } from 'vitest'
import { nlWallet } from '../../support/wallets/eu/nl-wallet.ts'
import {
  type Change,
  changed,
  makeStage,
  makeStages,
  NAME_MDOC,
  NAME_SD_JWT,
  offerLink,
} from '../../support/wallets/good-request.ts'

const [stage, other] = await makeStages()
const FORMATS = 'payload.client_metadata.vp_formats_supported'
const KEY = 'payload.client_metadata.jwks.keys.0'
const ENC = 'payload.client_metadata.encrypted_response_enc_values_supported'

describe('a good request to the NL wallet', () => {
  it.each([
    ['dc+sd-jwt', NAME_SD_JWT],
    ['mso_mdoc', NAME_MDOC],
  ])('is answered with the two requested claims of %s', async (format, good) => {
    for (const method of ['get', 'post'] as const) {
      const { answer, posted } = await offerLink(nlWallet, stage, { queries: [good], method })
      expect(answer).toMatchObject({
        disclosed: [
          { format, claim: 'given_name' },
          { format, claim: 'family_name' },
        ],
      })
      expect(posted).toEqual([{ response: expect.stringMatching(/^[\w-]+\.\./) }])
    }
  })

  it('may have two queries in one format', async () => {
    const second = { ...NAME_SD_JWT, id: 'second' }
    const { answer } = await offerLink(nlWallet, stage, { queries: [NAME_SD_JWT, second] })
    expect(answer).toMatchObject({ disclosed: { length: 4 } })
  })
})

const CASES: readonly (readonly [string, Change, string])[] = [
  ['another scheme', { scheme: 'mdoc-openid4vp' }, 'the scheme is not one of a disclosure'],
  ['no request_uri', changed('link.request_uri'), 'requests by value are not supported'],
  ['no client_id', changed('link.client_id'), 'client_id is missing in the link'],
  ['another client_id', changed('link.client_id', 'x509_hash:AA'), 'client_id differs from the link'],
  ['status 500 at its request_uri', { status: 500 }, 'request_uri: HTTP 500'],
  ['an unlisted authority', { verifier: other }, 'the certificate is of no listed authority'],
  ['no x5c', changed('header.x5c'), 'the certificate is of no listed authority'],
  [
    'another signer',
    { signer: other.leaf.privateJwk as never },
    'the signature of the request object does not verify',
  ],
  ['another typ', changed('header.typ', 'JWT'), 'typ is not oauth-authz-req+jwt'],
  ['another audience', changed('payload.aud', 'https://w.example'), 'aud is not https://self-issued.me/v2'],
  [
    'a request_uri in the Request Object',
    changed('payload.request_uri', 'https://a.example'),
    'request_uri inside the request object',
  ],
  ['transaction data', changed('payload.transaction_data', ['e30']), 'transaction_data is not supported'],
  ['no nonce', changed('payload.nonce'), 'nonce is missing'],
  ['no client_metadata', changed('payload.client_metadata'), 'client_metadata is missing'],
  [
    'a response in the clear',
    changed('payload.response_mode', 'direct_post'),
    'response_mode is not direct_post.jwt',
  ],
  [
    'another response type',
    changed('payload.response_type', 'vp_token id_token'),
    'response_type is not vp_token',
  ],
  ['a key without kid', changed(`${KEY}.kid`), 'a key of jwks has no kid'],
  ['a key without alg', changed(`${KEY}.alg`), 'no key for ECDH-ES on P-256'],
  ['an unknown content encryption', changed(ENC, ['XC20P']), 'no supported content encryption'],
  [
    'no algorithm of the key binding',
    changed(`${FORMATS}.dc+sd-jwt.kb-jwt_alg_values`),
    'vp_formats_supported has no ES256 for dc+sd-jwt',
  ],
  [
    'credential_sets',
    changed('payload.dcql_query.credential_sets', [{ options: [['pid']] }]),
    'credential_sets are not supported',
  ],
  [
    'two formats',
    changed('payload.dcql_query.credentials', [NAME_SD_JWT, NAME_MDOC]),
    'a mix of formats is not supported',
  ],
  ['jwt_vc_json', changed('query.format', 'jwt_vc_json'), 'the format jwt_vc_json is not supported'],
  ['multiple', changed('query.multiple', true), 'multiple is not supported'],
  [
    'no holder binding',
    changed('query.require_cryptographic_holder_binding', false),
    'holder binding is required',
  ],
  ['no claims', changed('query.claims'), 'a query without claims is not supported'],
  ['claim_sets', changed('query.claim_sets', [['a']]), 'claim_sets are not supported'],
  [
    'a null step',
    changed('query.claims.0.path', ['nationalities', null]),
    'a path with null or an index is not supported',
  ],
  [
    'an index',
    changed('query.claims.0.path', ['nationalities', 0]),
    'a path with null or an index is not supported',
  ],
  [
    'intent_to_retain',
    changed('query.claims.0.intent_to_retain', false),
    'intent_to_retain is not allowed for dc+sd-jwt',
  ],
  [
    'etsi_tl',
    changed('query.trusted_authorities', [{ type: 'etsi_tl', values: ['https://a.example'] }]),
    'only trusted_authorities of type aki are supported',
  ],
  [
    'a claim that the credential lacks',
    changed('query.claims.0.path', ['height']),
    'no credential has all requested attributes',
  ],
]

it.each(CASES)('the NL wallet refuses a request with %s', async (_, change, refused) => {
  const { answer, posted } = await offerLink(nlWallet, stage, { queries: [NAME_SD_JWT], change })
  expect([answer, posted]).toEqual([{ refused }, []])
})

it('the NL wallet refuses a certificate without an organization identifier', async () => {
  const plain = await makeStage({ subject: 'C=NL,O=Test Shop,CN=Test Shop' })
  const { answer } = await offerLink(nlWallet, plain, { queries: [NAME_SD_JWT] })
  expect(answer).toEqual({ refused: 'the certificate names no organization with its identifier' })
})

it('the NL wallet refuses a request with a wallet_nonce other than the nonce that the wallet posted', async () => {
  const change = changed('payload.wallet_nonce', 'another')
  const { answer } = await offerLink(nlWallet, stage, { queries: [NAME_SD_JWT], change, method: 'post' })
  expect(answer).toEqual({ refused: 'wallet_nonce differs' })
})

it('the NL wallet refuses a request over the Digital Credentials API', async () => {
  const digital = { protocol: 'openid4vp-v1-signed', data: { request: '' } }
  const surroundings = { ...stage, verifierCa: stage.verifier.root.pem, fetch: () => Promise.reject() }
  const answer = await nlWallet.answer({ digital, origin: 'https://shop.example' }, surroundings)
  expect(answer).toEqual({ refused: 'no Digital Credentials API' })
})
