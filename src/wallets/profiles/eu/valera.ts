// The Austrian wallet, and others of the VC-K library. It fails with `credential_sets`.

import type { WalletProfile } from '../../profile.ts'

export const valera: WalletProfile = {
  id: 'valera',
  name: 'Valera',
  sources: [
    {
      url: 'https://github.com/a-sit-plus/valera',
      version: '5.7.5',
      read: '2026-11-22',
    },
  ],
  checked: '2026-11-22',
  status: 'test',
  countries: ['AT'],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp', 'haip-vp', 'mdoc-openid4vp'],
  },
  install: {},
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: ['openid4vp-v1-signed', 'openid4vp-v1-unsigned', 'org-iso-mdoc'],
  client_id_prefixes: ['x509_hash', 'x509_san_dns'],
  formats: ['mso_mdoc', 'dc+sd-jwt'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference', 'value'],
  request_uri_methods: ['get', 'post'],
  chain: 'without_root',
  transaction_data: 'unknown',
  dcql: {
    several_queries: 'unknown',
    credential_sets: 'no',
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
