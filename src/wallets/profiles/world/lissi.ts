// Wallets of Lissi. Their documentation lists several schemes, among them the scheme of HAIP. The values in
// this profile follow from HAIP 1.0. The other schemes are not used, because no public source says which
// requests they support.

import { UNKNOWN } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const lissi: WalletProfile = {
  id: 'lissi',
  name: 'Lissi ID-Wallet',
  status: 'live',
  countries: ['DE'],
  platforms: ['ios', 'android'],
  links: {
    live: ['haip-vp'],
  },
  install: {
    ios: 'https://apps.apple.com/de/app/lissi-id-wallet/id6475958390',
    android: 'https://play.google.com/store/apps/details?id=io.lissi.mobile.android',
  },
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  unknown_protocols: ['openid4vp-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: ['x509_hash'],
  formats: ['dc+sd-jwt', 'mso_mdoc'],
  response_modes: ['direct_post.jwt'],
  passing: ['reference'],
  request_uri_methods: ['get'],
  chain: 'without_root',
  transaction_data: 'unknown',
  dcql: UNKNOWN,
}

export const lissiSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://docs.wallet.lissi.id/home/wallet-invocation',
      version: 'documentation',
      read: '2026-11-22',
    },
    {
      url: 'https://openid.net/specs/openid4vc-high-assurance-interoperability-profile-1_0-final.html',
      version: 'documentation',
      read: '2026-11-22',
    },
  ],
}
