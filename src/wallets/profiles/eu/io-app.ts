// The Italian wallet. It accepts only verifiers of its federation, whose metadata the request must have. So
// no Client Identifier of this service can be used.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const ioApp: WalletProfile = {
  id: 'io-app',
  name: 'IT-Wallet (IO app)',
  status: 'live',
  countries: ['IT'],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp', 'haip-vp'],
  },
  install: {
    ios: 'https://apps.apple.com/it/app/io/id1501681835',
    android: 'https://play.google.com/store/apps/details?id=it.pagopa.io.app',
  },
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: [],
  formats: ['dc+sd-jwt', 'mso_mdoc'],
  response_modes: ['direct_post.jwt'],
  passing: ['reference'],
  request_uri_methods: ['get', 'post'],
  chain: 'without_root',
  transaction_data: 'unknown',
  dcql: {
    ...SUPPORTED,
    trusted_authorities: 'unknown',
    require_cryptographic_holder_binding: 'unknown',
  },
}

export const ioAppSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/pagopa/io-wallet-sdk',
      version: 'ee0754c2943ddee42cbeb8cc37ae293017815a62',
      read: '2026-11-22',
    },
    {
      url: 'https://github.com/pagopa/io-react-native-wallet',
      version: '4acdac9fd5a38640a1a93399a93d69e7c6404a65',
      read: '2026-11-22',
    },
  ],
}
