// Wallets of walt.id.

import type { WalletProfile } from '../../profile.ts'

export const waltId: WalletProfile = {
  id: 'walt-id',
  name: 'walt.id',
  sources: [
    {
      url: 'https://github.com/walt-id/waltid-identity',
      version: 'November 2026',
      read: '2026-11-22',
    },
  ],
  checked: '2026-11-22',
  status: 'live',
  countries: [],
  platforms: ['ios', 'android', 'web'],
  links: {
    live: ['openid4vp'],
  },
  install: {},
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: ['x509_hash', 'x509_san_dns', 'decentralized_identifier'],
  formats: ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference', 'value'],
  request_uri_methods: ['get'],
  chain: 'without_root',
  transaction_data: 'unknown',
  dcql: {
    several_queries: 'unknown',
    credential_sets: 'unknown',
    claim_sets: 'unknown',
    values: 'unknown',
    null_path: 'unknown',
    index_path: 'unknown',
    intent_to_retain: 'unknown',
    multiple: 'unknown',
    trusted_authorities: 'unknown',
    require_cryptographic_holder_binding: 'unknown',
    without_claims: 'unknown',
  },
}
