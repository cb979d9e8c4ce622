// The reference wallet of the European Commission for Android. The wallet ignores `claim_sets`. The profile
// describes version 0.27 of the wallet's core library, although the app uses 0.28.1. Through the Digital
// Credentials API, the core answers `org-iso-mdoc` with one document, if `org-iso-mdoc` is the first request
// of the call. Since 0.29 the core also answers OpenID4VP through this API.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const eudiAndroid: WalletProfile = {
  id: 'eudi-android',
  name: 'EUDI reference wallet (Android)',
  status: 'test',
  countries: [],
  platforms: ['android'],
  links: {
    live: ['openid4vp', 'eudi-openid4vp', 'haip-vp', 'mdoc-openid4vp'],
  },
  install: {},
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: ['org-iso-mdoc'],
  dc_api_single: true,
  dc_api_call: 'first',
  client_id_prefixes: ['x509_hash', 'x509_san_dns'],
  formats: ['mso_mdoc', 'dc+sd-jwt'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference'],
  request_uri_methods: ['get', 'post'],
  chain: 'without_root',
  transaction_data: 'no',
  dcql: {
    ...SUPPORTED,
    claim_sets: 'ignored',
    values: 'ignored',
    null_path: 'no',
    index_path: 'no',
    trusted_authorities: 'ignored',
    without_claims: 'all',
  },
}

export const eudiAndroidSources: WalletSources = {
  checked: '2026-11-29',
  sources: [
    {
      url: 'https://github.com/eu-digital-identity-wallet/eudi-app-android-wallet-ui',
      version: '5657268d788ffe5dc1291d6c203fde03dec475bf',
      read: '2026-11-29',
      app: true,
    },
    {
      url: 'https://github.com/eu-digital-identity-wallet/eudi-lib-android-wallet-core',
      version: '1d17f2f9d04b111c1f75ca19a380d48843f5b18a',
      read: '2026-11-29',
    },
    {
      url: 'https://github.com/eu-digital-identity-wallet/eudi-lib-jvm-openid4vp-kt',
      version: '0fb47fb9882fd40a25cfd9532b3043bb12efdf70',
      read: '2026-11-22',
    },
  ],
}
