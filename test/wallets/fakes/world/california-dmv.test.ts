// The fake wallet of the Californian DMV refuses what its maker's verifier and SDK exclude, and what they
// leave open: each case changes one thing of a good request.

import { expect, it } from 'vitest'
import {
  apply,
  type Change,
  changed,
  goodHeader,
  goodPayload,
  makeStages,
  NAME_SD_JWT,
  offerLink,
  signRequest,
} from '../../../support/wallets/good-request.ts'
import type { CredentialQuery } from '../../../support/wallets/request-object.ts'
import { californiaDmv } from '../../../support/wallets/world/california-dmv.ts'

const [stage, other] = await makeStages()
const origin = 'https://shop.example'
const NAME: CredentialQuery = {
  id: 'mdl',
  format: 'mso_mdoc',
  meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
  claims: [
    { path: ['org.iso.18013.5.1', 'given_name'], intent_to_retain: false },
    { path: ['org.iso.18013.5.1', 'family_name'], intent_to_retain: false },
  ],
}

async function offer(change: Change = {}, protocol = 'openid4vp-v1-signed') {
  const { response_uri, state, ...good } = goodPayload(stage.verifier, [NAME])
  const header = goodHeader(stage.verifier)
  const dcApi = { client_id: 'x509_san_dns:shop.example', response_mode: 'dc_api.jwt' }
  const payload = { ...good, ...dcApi, expected_origins: [origin] }
  apply(change, { payload, header })
  const request = await signRequest(header, payload, change.signer ?? stage.verifier.leaf.privateJwk)
  const surroundings = { ...stage, verifierCa: stage.verifier.root.pem, fetch: () => Promise.reject() }
  return californiaDmv.answer({ digital: { protocol, data: { request } }, origin }, surroundings)
}

it('the California DMV wallet answers with the two requested elements of the mDL, encrypted or not', async () => {
  const disclosed = [{ claim: 'given_name' }, { claim: 'family_name' }]
  expect(await offer()).toMatchObject({ disclosed, credential: { data: { response: expect.any(String) } } })
  const plain = await offer(changed('payload.response_mode', 'dc_api'))
  expect(plain).toMatchObject({ disclosed, credential: { data: { vp_token: { mdl: expect.any(Array) } } } })
})

it('the California DMV wallet refuses every request in a link, and every unsigned request', async () => {
  const { answer } = await offerLink(californiaDmv, stage, { queries: [NAME] })
  expect(answer).toEqual({ refused: 'links have requests of draft 18 for W3C credentials' })
  const refused = 'the exchange protocol is not supported'
  expect(await offer({}, 'openid4vp-v1-unsigned')).toEqual({ refused })
})

const SILENT = 'the documentation is silent about '
const CASES: readonly (readonly [string, Change, string])[] = [
  [
    'another signer',
    { signer: other.leaf.privateJwk as never },
    'the signature of the request object does not verify',
  ],
  ['no x5c', changed('header.x5c'), 'no x5c in the request object'],
  [
    'another client_id prefix',
    changed('payload.client_id', 'x509_hash:AA'),
    `${SILENT}other prefixes than x509_san_dns`,
  ],
  [
    'a client_id with another DNS name',
    changed('payload.client_id', 'x509_san_dns:a.example'),
    'the certificate has another DNS name',
  ],
  [
    'another origin in expected_origins',
    changed('payload.expected_origins', ['https://a.example']),
    'the origin is not expected',
  ],
  ['transaction data', changed('payload.transaction_data', ['e30']), `${SILENT}transaction_data`],
  ['credential_sets', changed('payload.dcql_query.credential_sets', []), `${SILENT}credential_sets`],
  [
    'several queries',
    changed('payload.dcql_query.credentials', [NAME, NAME_SD_JWT]),
    `${SILENT}several queries`,
  ],
  ['another format', changed('query.format', 'dc+sd-jwt'), 'only mso_mdoc is presented'],
  ['no claims', changed('query.claims'), `${SILENT}queries without claims`],
  ['claim_sets', changed('query.claim_sets', [['a']]), `${SILENT}claim_sets`],
  ['trusted_authorities', changed('query.trusted_authorities', []), `${SILENT}trusted_authorities`],
  ['values', changed('query.claims.0.values', ['Erika']), `${SILENT}values`],
  [
    'another document',
    changed('query.meta.doctype_value', 'eu.europa.ec.eudi.pid.1'),
    'no mDL with the requested elements',
  ],
  [
    'the response mode direct_post',
    changed('payload.response_mode', 'direct_post'),
    'the response mode is not supported',
  ],
  ['no encryption key', changed('payload.client_metadata.jwks'), 'no supported key'],
]

it.each(CASES)('the California DMV wallet refuses a request with %s', async (_, change, refused) => {
  expect(await offer(change)).toEqual({ refused })
})
