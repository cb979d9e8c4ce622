// The fake Valera refuses what its source refuses: each case changes one thing of a good request.

import { expect, it } from 'vitest'
import { valera } from '../../support/wallets/eu/valera.ts'
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
const [NAME, FAMILY] = [{ claim: 'given_name' }, { claim: 'family_name' }]

it.each([
  ['dc+sd-jwt', NAME_SD_JWT],
  ['mso_mdoc', NAME_MDOC],
])('the Valera wallet answers a good request for %s', async (_, good) => {
  for (const method of ['get', 'post'] as const) {
    const { answer } = await offerLink(valera, stage, { queries: [good], method })
    expect(answer).toMatchObject({ disclosed: [NAME, FAMILY] })
  }
})

it('the Valera wallet answers one option of credential_sets', async () => {
  const change = changed('payload.dcql_query.credential_sets', [{ options: [['pid_mdoc'], ['pid']] }])
  const { answer } = await offerLink(valera, stage, { queries: [NAME_SD_JWT, NAME_MDOC], change })
  expect(answer).toMatchObject({ disclosed: [{ format: 'mso_mdoc' }, { format: 'mso_mdoc' }] })
})

it('the Valera wallet discloses everything to a query without claims', async () => {
  const { answer } = await offerLink(valera, stage, {
    queries: [NAME_SD_JWT],
    change: changed('query.claims'),
  })
  expect(answer).toMatchObject({ disclosed: { length: 9 } })
})

it('the Valera wallet accepts a verifier certificate of any authority', async () => {
  const { answer } = await offerLink(valera, stage, { queries: [NAME_SD_JWT], change: { verifier: other } })
  expect(answer).toMatchObject({ disclosed: [NAME, FAMILY] })
})

const CASES: readonly (readonly [string, Change, string])[] = [
  ['another scheme', { scheme: 'avsp' }, 'the scheme is not registered'],
  ['parameters in the link', changed('link.request_uri'), 'an unsigned request needs redirect_uri'],
  ['no x5c', changed('header.x5c'), 'no x5c in the request object'],
  [
    'another signer',
    { signer: other.leaf.privateJwk as never },
    'the signature of the request object does not verify',
  ],
  [
    'another x509_hash in client_id',
    changed('payload.client_id', 'x509_hash:AA'),
    'the Client Identifier is not that of the certificate',
  ],
  [
    'another DNS name in client_id',
    changed('payload.client_id', 'x509_san_dns:a.example'),
    'the Client Identifier is not that of the certificate',
  ],
  ['another response type', changed('payload.response_type', 'code'), 'response_type has no vp_token'],
  ['redirect_uri', changed('payload.redirect_uri', 'https://a.example'), 'redirect_uri beside response_uri'],
  ['no response_uri', changed('payload.response_uri'), 'response_uri is missing'],
  ['no nonce', changed('payload.nonce'), 'nonce is missing'],
  ['empty claims', changed('query.claims', []), 'empty claims'],
  ['claim_sets without ids', changed('query.claim_sets', [['a']]), 'claim_sets without ids'],
  ['no key', changed(`${METADATA}.jwks.keys.0.kty`, 'OKP'), 'no key for ECDH-ES'],
  [
    'algorithms that the wallet does not support',
    changed(`${METADATA}.vp_formats_supported.dc+sd-jwt.kb-jwt_alg_values`, ['EdDSA']),
    'incompatible algorithms',
  ],
  [
    'a value that the credential lacks',
    changed('query.claims.0.values', ['Max']),
    'a required credential set cannot be satisfied',
  ],
  ['an unknown wallet_nonce', changed('payload.wallet_nonce', 'another'), 'unknown wallet_nonce'],
]

it.each(CASES)('the Valera wallet refuses a request with %s', async (_, change, refused) => {
  const { answer, posted } = await offerLink(valera, stage, { queries: [NAME_SD_JWT], change })
  expect([answer, posted]).toEqual([{ refused }, []])
})
