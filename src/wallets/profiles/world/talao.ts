// The wallets of Talao.

import type { WalletProfile } from '../../profile.ts'

export const talao: WalletProfile = {
  id: 'talao',
  name: 'Talao and AltMe',
  sources: [
    {
      url: 'https://github.com/TalaoDAO/AltMe',
      version: 'November 2026',
      read: '2026-11-22',
    },
  ],
  checked: '2026-11-22',
  status: 'live',
  countries: [],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp'],
  },
  install: {},
  protocols: ['openid4vp-1.0', 'openid4vp-draft24', 'openid4vp-draft18'],
  dc_api_protocols: [],
  client_id_prefixes: ['decentralized_identifier', 'x509_san_dns', 'verifier_attestation'],
  formats: ['dc+sd-jwt', 'jwt_vc_json'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference'],
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
