// The Italian wallet, for people whose fiscal code is on its list. Without OpenID Federation, it supports
// `x509_hash` with a certificate under Italy's root. It requires `iss` in a Request Object, and `kid` in the
// header. It answers every query that it can, even if one option of `credential_sets` is enough. The profile
// leaves out mdoc. The wallet signs an mdoc over the handover of ISO/IEC TS 18013-7 Annex B, which contains a
// nonce. The wallet does not send this nonce, so no verifier can check the signature.

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
  client_id_prefixes: ['x509_hash'],
  formats: ['dc+sd-jwt'],
  response_modes: ['direct_post.jwt'],
  passing: ['reference'],
  request_uri_methods: ['get', 'post'],
  chain: 'without_root',
  names_issuer: true,
  omits_kid: true,
  transaction_data: 'unknown',
  dcql: {
    ...SUPPORTED,
    credential_sets: 'no',
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
      read: '2026-11-30',
    },
    {
      url: 'https://github.com/pagopa/iso18013-android',
      version: 'd124d932516da476cce04ab87efbec8a568a7c8e',
      read: '2026-11-30',
    },
    {
      url: 'https://github.com/pagopa/iso18013-ios',
      version: '6d8dfea0c3b3dbf6411877e8e69fa2384b62aee5',
      read: '2026-11-30',
    },
  ],
}
