// The reference wallet of the European Commission for iOS. The wallet decodes `values` as strings only. The
// app uses wallet-kit 0.37.3 and openid4vp-swift 0.35.1, whose commits are cited. Since 0.40 the kit refuses
// requests without a registration certificate, unless the app switches that off. Since iOS 26 the app also
// answers `org-iso-mdoc`. An older version of the library for this protocol answers with every document of a
// request, and the version that the app uses was not found. So this profile leaves out `org-iso-mdoc`.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const eudiIos: WalletProfile = {
  id: 'eudi-ios',
  name: 'EUDI reference wallet (iOS)',
  status: 'test',
  countries: [],
  platforms: ['ios'],
  links: {
    live: ['openid4vp', 'eudi-openid4vp', 'haip-vp', 'mdoc-openid4vp'],
  },
  install: {},
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: ['x509_hash', 'x509_san_dns'],
  formats: ['mso_mdoc', 'dc+sd-jwt'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference'],
  request_uri_methods: ['get', 'post'],
  chain: 'without_root',
  transaction_data: 'no',
  dcql: {
    ...SUPPORTED,
    values: 'no',
    trusted_authorities: 'ignored',
  },
}

export const eudiIosSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/eu-digital-identity-wallet/eudi-app-ios-wallet-ui',
      version: '5990db7b90f826c326206c1ee69cfc651559c2f5',
      read: '2026-11-29',
      app: true,
    },
    {
      url: 'https://github.com/eu-digital-identity-wallet/eudi-lib-ios-wallet-kit',
      version: 'c5ecc2dc89d713fd212014a37970c37b8be73699',
      read: '2026-11-29',
    },
    {
      url: 'https://github.com/eu-digital-identity-wallet/eudi-lib-ios-openid4vp-swift',
      version: 'dab5e244bf34efcb294711844527b1124c1e9257',
      read: '2026-11-29',
    },
  ],
}
