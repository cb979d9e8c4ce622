// Wallets of iGrant.io, according to their public SDK. From an mdoc they disclose whole namespaces, and
// elements that only other queries name. So requests to these wallets leave out mdocs. No public source says
// which links open the app.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const igrant: WalletProfile = {
  id: 'igrant',
  name: 'iGrant.io Data Wallet',
  status: 'live',
  countries: [],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp'],
  },
  install: {
    ios: 'https://apps.apple.com/app/id1546551969',
    android: 'https://play.google.com/store/apps/details?id=io.igrant.mobileagent',
  },
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  unknown_protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: ['x509_hash', 'x509_san_dns', 'decentralized_identifier', 'redirect_uri'],
  formats: ['dc+sd-jwt', 'jwt_vc_json'],
  excess_formats: ['mso_mdoc'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference', 'value'],
  request_uri_methods: ['get'],
  chain: 'without_root',
  transaction_data: 'unknown',
  dcql: {
    ...SUPPORTED,
    claim_sets: 'ignored',
    null_path: 'no',
    index_path: 'no',
    trusted_authorities: 'no',
  },
}

export const igrantSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/decentralised-dataexchange/eudi-wallet-oid4vc-android',
      version: '9b68306e1a0e718c61723fac881869d229b33199',
      read: '2026-11-22',
    },
    {
      url: 'https://github.com/L3-iGrant/data-wallet-sdk-ios',
      version: '543a8a47fb89ca75bb16a9a3321ef7b7cc949df7',
      read: '2026-11-29',
    },
  ],
}
