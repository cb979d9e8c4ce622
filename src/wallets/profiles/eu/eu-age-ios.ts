// The EU age verification app on iOS. The app decodes `values` as strings only. `openid4vp` and other schemes
// also open the app, but the app answers only requests that are made for it. No public git tag contains all
// files of the app, so they were read in several commits. The sources list each of these commits.

import type { WalletProfile, WalletSources } from '../profile.ts'
import { EU_AGE } from './eu-age.ts'

export const euAgeIos: WalletProfile = {
  ...EU_AGE,
  id: 'eu-age-ios',
  name: 'EU age verification app (iOS)',
  platforms: ['ios'],
  dcql: { ...EU_AGE.dcql, values: 'no' },
}

export const euAgeIosSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/eu-digital-identity-wallet/av-app-ios-wallet-ui',
      version: '0de1b9acdc03cec197f0c9f2e927b9b8cf2be53f',
      read: '2026-11-29',
      app: true,
    },
    {
      url: 'https://github.com/eu-digital-identity-wallet/av-app-ios-wallet-ui',
      version: '3ad32fb54fb462b6b5f220a5cc065e3a9bd46948',
      read: '2026-11-29',
      app: true,
    },
    {
      url: 'https://github.com/eu-digital-identity-wallet/av-app-ios-wallet-ui',
      version: 'bb3b2add02a9be90d22cd8d11d89db3e34dc60c5',
      read: '2026-11-29',
      app: true,
    },
    {
      url: 'https://github.com/eu-digital-identity-wallet/av-app-ios-wallet-ui',
      version: '044f0020c3806857ac0846e1a58c949285dbcdb1',
      read: '2026-11-29',
      app: true,
    },
    {
      url: 'https://github.com/eu-digital-identity-wallet/av-lib-ios-w3c-dc-api',
      version: 'a1f15922bcb3bf03492c9ba3251e6ef4e0d877fd',
      read: '2026-11-22',
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
    {
      url: 'https://github.com/eu-digital-identity-wallet/av-doc-technical-specification',
      version: 'fd09d9e4ead77099bb5c8293fe835a0ecd0e6fca',
      read: '2026-11-22',
    },
  ],
}
