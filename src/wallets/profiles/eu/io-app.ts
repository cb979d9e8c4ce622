// The Italian wallet. It supports `x509_hash` without OpenID Federation, for a certificate under Italy's
// root. But the wallet still requires `iss`, and a `kid` in the header beside `x5c`. A request of this
// service has neither. So the wallet accepts no Client Identifier of this service.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const ioApp: WalletProfile = {
  id: 'io-app',
  name: 'IT-Wallet (IO app)',
  status: 'live',
  countries: ['IT'],
  platforms: ['ios', 'android'],
  links: {
    live: ['https://continua.io.pagopa.it/itw/auth'],
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
  checked: '2026-11-29',
  sources: [
    {
      url: 'https://github.com/pagopa/io-app',
      version: '2b50ca4190ee30c2c68fef0f4e9929d217c6a279',
      read: '2026-11-29',
      app: true,
    },
    {
      url: 'https://github.com/pagopa/io-wallet-sdk',
      version: '040da5fb0a9d382aa26a2beac73b8099c3eb833e',
      read: '2026-11-29',
    },
    {
      url: 'https://github.com/pagopa/io-react-native-wallet',
      version: '4acdac9fd5a38640a1a93399a93d69e7c6404a65',
      read: '2026-11-22',
    },
  ],
}
