// The fakes of wallets that no request of version 1.0 from this service can reach: each case changes one
// thing of a good request, and the first one nothing.

import { describe, expect, it } from 'vitest'
import type { FakeWallet } from '../../../support/wallets/fake-wallet.ts'
import {
  type Change,
  changed,
  makeStages,
  NAME_SD_JWT,
  offerLink,
} from '../../../support/wallets/good-request.ts'
import { swiyu } from '../../../support/wallets/world/swiyu.ts'
import { talao } from '../../../support/wallets/world/talao.ts'

const [stage, other] = await makeStages()

async function refusal(wallet: FakeWallet, usual: Record<string, unknown>, change: Change) {
  const { also = {}, ...rest } = change
  const merged = { ...rest, also: { ...usual, ...also } }
  const { answer, posted } = await offerLink(wallet, stage, { queries: [NAME_SD_JWT], change: merged })
  expect(posted).toEqual([])
  return answer
}

const TALAO = { 'payload.client_id': 'x509_san_dns:shop.example' }
const ofTalao: readonly (readonly [string, Change, string])[] = [
  ['DCQL', {}, 'presentation_definition is required'],
  ['another scheme', { scheme: 'av' }, 'the scheme is not registered'],
  ['no request_uri', changed('link.request_uri'), 'no request_uri'],
  ['status 500 at its request_uri', { status: 500 }, 'request_uri: HTTP 500'],
  [
    'another response mode',
    changed('payload.response_mode', 'fragment'),
    'the response mode is not supported',
  ],
  ['another client_id prefix', changed('payload.client_id', 'x509_hash:AA'), 'invalid client_id_scheme'],
  [
    'another DNS name',
    changed('payload.client_id', 'x509_san_dns:a.example'),
    'the certificate has another DNS name',
  ],
  [
    'another signer',
    { signer: other.leaf.privateJwk as never },
    'the signature of the request object does not verify',
  ],
  [
    'the members of a draft, because the fake implements no more',
    {
      also: {
        'payload.client_id': 'shop.example',
        'payload.client_id_scheme': 'x509_san_dns',
        'payload.presentation_definition': {},
      },
    },
    'answers to drafts are not in this fake',
  ],
]

const DID = 'decentralized_identifier:did:tdw:shop.example'
const SWIYU = { 'header.kid': 'did:tdw:shop.example#key' }
const ofSwiyu: readonly (readonly [string, Change, string])[] = [
  ['x509_hash', {}, 'the verifier is not in the Swiss registry'],
  ['another scheme', { scheme: 'haip-vp' }, 'invalid presentation scheme'],
  ['no request_uri', changed('link.request_uri'), 'no request_uri'],
  ['another typ', changed('header.typ', 'JWT'), 'typ is not oauth-authz-req+jwt'],
  ['another client_id', changed('link.client_id', 'x509_hash:AA'), 'client_id differs from the link'],
  ['no kid', changed('header.kid'), 'kid is missing'],
  ['another audience', changed('payload.aud', 'https://a.example'), 'another aud'],
  ['transaction data', changed('payload.transaction_data', ['e30']), 'transaction_data is not supported'],
  [
    'a Swiss verifier, because the fake implements no more',
    { also: { 'payload.client_id': DID, 'link.client_id': DID } },
    'answers to Swiss verifiers are not in this fake',
  ],
]

describe('Talao and AltMe', () => {
  it.each(ofTalao)('refuse a request with %s', async (_, change, refused) => {
    expect(await refusal(talao, TALAO, change)).toEqual({ refused })
  })
})

describe('swiyu', () => {
  it.each(ofSwiyu)('refuses a request with %s', async (_, change, refused) => {
    expect(await refusal(swiyu, SWIYU, change)).toEqual({ refused })
  })
})
