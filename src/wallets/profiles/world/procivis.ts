// Wallets of Procivis. They ignore transaction data.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const procivis: WalletProfile = {
  id: 'procivis',
  name: 'Procivis One',
  status: 'live',
  countries: [],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp', 'haip-vp'],
  },
  install: {
    ios: 'https://apps.apple.com/app/procivis-one-wallet/id6480111491',
    android: 'https://play.google.com/store/apps/details?id=ch.procivis.one.wallet.trial',
  },
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: ['x509_hash', 'x509_san_dns', 'decentralized_identifier'],
  formats: ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference'],
  request_uri_methods: ['get'],
  chain: 'without_root',
  transaction_data: 'no',
  dcql: SUPPORTED,
}

export const procivisSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/procivis/one-core',
      version: '7505afb41bc5abebca1af7b5ee18fd5eeb8a9127',
      read: '2026-11-22',
    },
    {
      url: 'https://github.com/procivis/one-wallet',
      version: '5471b8070b53b683ca54f901cdb094a70c7c33cd',
      read: '2026-11-22',
      app: true,
    },
  ],
}
