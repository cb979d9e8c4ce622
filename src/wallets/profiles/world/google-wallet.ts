// Google Wallet: signed requests of the Digital Credentials API. The documentation of Google Wallet is the
// only source.

import { UNKNOWN } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const googleWallet: WalletProfile = {
  id: 'google-wallet',
  name: 'Google Wallet',
  status: 'live',
  countries: ['BR', 'GB', 'IN', 'PR', 'SG', 'TW', 'US'],
  platforms: ['android'],
  links: {},
  install: {
    android: 'https://play.google.com/store/apps/details?id=com.google.android.apps.walletnfcrel',
  },
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
  transaction_data: 'unknown',
  requires: ['google_wallet'],
  dcql: {
    ...UNKNOWN,
    credential_sets: 'yes',
    null_path: 'no',
    index_path: 'no',
    intent_to_retain: 'yes',
  },
}

export const googleWalletSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://developers.google.com/wallet/identity/verify/accepting-ids-from-wallet-online',
      version: 'documentation',
      read: '2026-11-22',
    },
    {
      url: 'https://developers.google.com/wallet/identity/verify/verifier-registrar',
      version: 'documentation',
      read: '2026-11-22',
    },
    {
      url: 'https://developers.google.com/wallet/identity/verify/supported-issuers-iaca-certs',
      version: 'documentation',
      read: '2026-11-22',
    },
    {
      url: 'https://digitalcredentials.dev/docs/requesting-credential/openid4vp',
      version: 'documentation',
      read: '2026-11-22',
    },
  ],
}
