// Wallets that use Credo, such as Paradym.

import type { WalletProfile } from '../../profile.ts'

export const credo: WalletProfile = {
  id: 'credo',
  name: 'Paradym and other wallets of Credo',
  sources: [
    {
      url: 'https://github.com/openwallet-foundation/credo-ts',
      version: 'November 2026',
      read: '2026-11-22',
    },
  ],
  checked: '2026-11-22',
  status: 'live',
  countries: [],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp', 'haip-vp', 'eudi-openid4vp'],
  },
  install: {},
  protocols: ['openid4vp-1.0', 'haip-1.0', 'openid4vp-draft24'],
  dc_api_protocols: ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'],
  client_id_prefixes: ['x509_hash', 'x509_san_dns', 'decentralized_identifier', 'redirect_uri'],
  formats: ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference', 'value'],
  request_uri_methods: ['get', 'post'],
  chain: 'without_root',
  transaction_data: 'yes',
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
