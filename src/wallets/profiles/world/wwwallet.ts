// A wallet in the browser.

import type { WalletProfile } from '../../profile.ts'

export const wwwallet: WalletProfile = {
  id: 'wwwallet',
  name: 'wwWallet',
  sources: [
    {
      url: 'https://github.com/wwWallet/wallet-frontend',
      version: 'November 2026',
      read: '2026-11-22',
    },
  ],
  checked: '2026-11-22',
  status: 'test',
  countries: [],
  platforms: ['web'],
  links: {
    live: ['openid4vp', 'haip-vp'],
  },
  install: {},
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: ['x509_hash', 'x509_san_dns'],
  formats: ['dc+sd-jwt', 'mso_mdoc'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference'],
  request_uri_methods: ['get', 'post'],
  chain: 'without_root',
  transaction_data: 'unknown',
  dcql: {
    several_queries: 'yes',
    credential_sets: 'yes',
    claim_sets: 'yes',
    values: 'unknown',
    null_path: 'unknown',
    index_path: 'unknown',
    intent_to_retain: 'yes',
    multiple: 'unknown',
    trusted_authorities: 'unknown',
    require_cryptographic_holder_binding: 'unknown',
    without_claims: 'unknown',
  },
}
