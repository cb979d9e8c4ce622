// The Multipaz Wallet, and other wallets that use the Multipaz SDK. The profile describes version 0.102.0 of
// the SDK, whose code was read and run. The wallet refuses a request with any format that it does not
// support. For `direct_post`, the wallet sends an unsecured JWT in `response`, so requests to this wallet ask
// for encrypted responses only. The wallet ignores `trusted_authorities` of other types than `aki`. The SDK
// supports the types of transaction data that the wallet registers.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const multipaz: WalletProfile = {
  id: 'multipaz',
  name: 'Multipaz Wallet',
  status: 'test',
  countries: [],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp', 'haip-vp'],
  },
  install: {
    android: 'https://apps.multipaz.org',
  },
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: [
    'openid4vp-v1-multisigned',
    'openid4vp-v1-signed',
    'openid4vp-v1-unsigned',
    'org-iso-mdoc',
  ],
  client_id_prefixes: ['x509_hash', 'x509_san_dns'],
  formats: ['mso_mdoc', 'dc+sd-jwt'],
  response_modes: ['direct_post.jwt'],
  passing: ['reference'],
  request_uri_methods: ['get', 'post'],
  chain: 'without_root',
  transaction_data: 'unknown',
  dcql: {
    ...SUPPORTED,
    multiple: 'no',
    require_cryptographic_holder_binding: 'no',
  },
}

export const multipazSources: WalletSources = {
  checked: '2026-11-29',
  sources: [
    {
      url: 'https://github.com/openwallet-foundation/multipaz-wallet',
      version: '56fef5332990db04804c7cfb331cb68d19f642f0',
      read: '2026-11-29',
      app: true,
    },
    {
      url: 'https://github.com/openwallet-foundation/multipaz',
      version: '0.102.0',
      read: '2026-11-29',
    },
  ],
}
