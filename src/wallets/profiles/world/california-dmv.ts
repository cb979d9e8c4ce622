// The wallet of the Californian DMV.

import type { WalletProfile } from '../../profile.ts'

export const californiaDmv: WalletProfile = {
  id: 'california-dmv',
  name: 'California DMV Wallet',
  sources: [
    {
      url: 'https://github.com/stateofca/opencred',
      version: 'November 2026',
      read: '2026-11-22',
    },
  ],
  checked: '2026-11-22',
  status: 'live',
  countries: ['US'],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp'],
  },
  install: {},
  protocols: ['openid4vp-1.0', 'haip-1.0', 'openid4vp-draft18'],
  dc_api_protocols: ['openid4vp-v1-signed', 'org-iso-mdoc'],
  client_id_prefixes: ['x509_san_dns', 'decentralized_identifier'],
  formats: ['mso_mdoc', 'jwt_vc_json'],
  types: ['org.iso.18013.5.1.mDL', 'Iso18013DriversLicenseCredential'],
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
