// The age verification app of the EU. Requests are unsigned and passed by value, or use Annex C.

import type { WalletProfile, WalletSources } from '../../profile.ts'
import { SUPPORTED } from '../dcql.ts'

export const euAgeAndroid: WalletProfile = {
  id: 'eu-age-android',
  name: 'EU age verification app (Android)',
  status: 'live',
  countries: ['CY', 'DK', 'ES', 'FR', 'GR', 'IE', 'IT'],
  platforms: ['android'],
  links: {
    live: ['av'],
  },
  install: {},
  protocols: ['openid4vp-1.0'],
  dc_api_protocols: ['org-iso-mdoc'],
  client_id_prefixes: ['redirect_uri'],
  formats: ['mso_mdoc'],
  types: ['eu.europa.ec.av.1'],
  response_modes: ['direct_post'],
  passing: ['value'],
  request_uri_methods: [],
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

export const euAgeAndroidSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/eu-digital-identity-wallet/av-app-android-wallet-ui',
      version: 'c1c56ed6b0984df0ee678848c3629d8c19e32eaf',
      read: '2026-11-22',
    },
    {
      url: 'https://github.com/eu-digital-identity-wallet/av-doc-technical-specification',
      version: 'fd09d9e4ead77099bb5c8293fe835a0ecd0e6fca',
      read: '2026-11-22',
    },
    {
      url: 'https://github.com/eu-digital-identity-wallet/eudi-lib-android-wallet-core',
      version: '1d17f2f9d04b111c1f75ca19a380d48843f5b18a',
      read: '2026-11-22',
    },
    {
      url: 'https://github.com/eu-digital-identity-wallet/eudi-lib-jvm-openid4vp-kt',
      version: '0fb47fb9882fd40a25cfd9532b3043bb12efdf70',
      read: '2026-11-22',
    },
  ],
}
