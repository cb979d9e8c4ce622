// Google Wallet: signed requests of the Digital Credentials API.

import type { WalletProfile } from '../../profile.ts'

export const googleWallet: WalletProfile = {
  id: 'google-wallet',
  name: 'Google Wallet',
  sources: [
    {
      url: 'https://developers.google.com/wallet/identity/verify',
      version: 'documentation',
      read: '2026-11-22',
    },
  ],
  checked: '2026-11-22',
  status: 'live',
  countries: ['BR', 'GB', 'IN', 'PR', 'SG', 'TW', 'US'],
  platforms: ['android'],
  links: {},
  install: {},
  protocols: [],
  dc_api_protocols: ['openid4vp-v1-signed'],
  client_id_prefixes: ['x509_hash'],
  formats: ['mso_mdoc'],
  types: [
    'org.iso.18013.5.1.mDL',
    'com.google.wallet.idcard.1',
    'org.iso.23220.photoid.1',
    'org.iso.23220.photoID.1',
    'in.gov.uidai.aadhaar.1',
  ],
  response_modes: ['direct_post.jwt'],
  passing: [],
  request_uri_methods: [],
  chain: 'without_root',
  transaction_data: 'no',
  dcql: {
    several_queries: 'unknown',
    credential_sets: 'unknown',
    claim_sets: 'unknown',
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
