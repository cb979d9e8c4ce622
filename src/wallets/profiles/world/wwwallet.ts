// A wallet in the browser. It answers every query of a request with every claim that the query names, and
// ignores credential sets and claim sets. The only transaction data that it supports is for electronic
// signatures. It presents an object in an SD-JWT VC without the members that have disclosures of their own.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const wwwallet: WalletProfile = {
  id: 'wwwallet',
  name: 'wwWallet',
  status: 'test',
  countries: [],
  platforms: ['web'],
  links: {
    test: ['https://demo.wwwallet.org/cb'],
  },
  install: {
    web: 'https://demo.wwwallet.org',
  },
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: ['x509_hash', 'x509_san_dns'],
  formats: ['dc+sd-jwt', 'mso_mdoc'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference'],
  request_uri_methods: ['get'],
  chain: 'without_root',
  transaction_data: 'unknown',
  dcql: {
    ...SUPPORTED,
    credential_sets: 'no',
    claim_sets: 'ignored',
    null_path: 'no',
    trusted_authorities: 'no',
    object_path: 'no',
    without_claims: 'all',
  },
}

export const wwwalletSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/wwWallet/wallet-frontend',
      version: '7d6a549890406b3e3a4f8253e5b10afe8f851110',
      read: '2026-11-22',
      app: true,
    },
    {
      url: 'https://github.com/wwWallet/wallet-common',
      version: 'c7b487b4bd99a5ee2800b330bfe077d7896d1ac9',
      read: '2026-11-22',
    },
  ],
}
