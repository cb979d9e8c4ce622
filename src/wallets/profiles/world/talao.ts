// The wallets of Talao. They support presentation definitions, and no DCQL.

import { UNKNOWN } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const talao: WalletProfile = {
  id: 'talao',
  name: 'Talao and AltMe',
  status: 'live',
  countries: [],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp', 'eudi-openid4vp'],
  },
  install: {
    ios: 'https://apps.apple.com/fr/app/altme/id1633216869',
    android: 'https://play.google.com/store/apps/details?id=co.altme.alt.me.altme',
  },
  protocols: ['openid4vp-draft18'],
  unknown_protocols: ['openid4vp-draft18'],
  dc_api_protocols: [],
  client_id_prefixes: ['x509_san_dns'],
  formats: ['dc+sd-jwt', 'jwt_vc_json'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference'],
  request_uri_methods: ['get'],
  chain: 'without_root',
  transaction_data: 'no',
  dcql: UNKNOWN,
}

export const talaoSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/TalaoDAO/AltMe',
      version: '80d70bc5b72655e200f8f372f28fa0bce7d13f7d',
      read: '2026-11-22',
      app: true,
    },
  ],
}
