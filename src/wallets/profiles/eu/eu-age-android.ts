// The EU age verification app on Android. The app discloses every claim that a query names, and ignores
// `claim_sets` and `values`. `openid4vp` and other schemes open the app only if the link has a certain host,
// such as `authorize`. Links that are made for any wallet have no host.

import type { WalletProfile, WalletSources } from '../profile.ts'
import { EU_AGE } from './eu-age.ts'

export const euAgeAndroid: WalletProfile = {
  ...EU_AGE,
  id: 'eu-age-android',
  name: 'EU age verification app (Android)',
  platforms: ['android'],
  dc_api_call: 'first',
  dcql: { ...EU_AGE.dcql, claim_sets: 'ignored', values: 'ignored', without_claims: 'all' },
}

export const euAgeAndroidSources: WalletSources = {
  checked: '2026-11-29',
  sources: [
    {
      url: 'https://github.com/eu-digital-identity-wallet/av-app-android-wallet-ui',
      version: 'c1c56ed6b0984df0ee678848c3629d8c19e32eaf',
      read: '2026-11-29',
      app: true,
    },
    {
      url: 'https://github.com/eu-digital-identity-wallet/av-doc-technical-specification',
      version: 'fd09d9e4ead77099bb5c8293fe835a0ecd0e6fca',
      read: '2026-11-22',
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
