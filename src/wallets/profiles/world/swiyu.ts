// The Swiss wallet. It accepts only verifiers with a DID in the Swiss registry. This service does not
// implement such DIDs.

import { UNKNOWN } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const swiyu: WalletProfile = {
  id: 'swiyu',
  name: 'swiyu',
  status: 'pilot',
  countries: ['CH'],
  platforms: ['ios', 'android'],
  links: {
    live: ['swiyu-verify', 'openid4vp'],
  },
  install: {
    ios: 'https://apps.apple.com/ch/app/swiyu/id6737259614',
    android: 'https://play.google.com/store/apps/details?id=ch.admin.foitt.swiyu',
  },
  protocols: [],
  dc_api_protocols: [],
  client_id_prefixes: [],
  formats: ['dc+sd-jwt'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference'],
  request_uri_methods: ['get'],
  chain: 'without_root',
  transaction_data: 'no',
  dcql: {
    ...UNKNOWN,
    without_claims: 'refused',
  },
}

export const swiyuSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/swiyu-admin-ch/eidch-android-wallet',
      version: 'f7fb6ea5e2f99740869e2ccd8c3551848970e644',
      read: '2026-11-22',
      app: true,
    },
    {
      url: 'https://swiyu-admin-ch.github.io/specifications/interoperability-profile/',
      version: 'documentation',
      read: '2026-11-22',
    },
    {
      url: 'https://swiyu-admin-ch.github.io/specifications/swiss-profile-verification/',
      version: 'documentation',
      read: '2026-11-22',
    },
  ],
}
