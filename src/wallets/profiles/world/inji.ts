// The wallet of MOSIP, in countries with eSignet. It accepts unsigned requests. It accepts signed requests
// only with EdDSA, and this service does not sign with EdDSA. It presents an mdoc as a whole. It encrypts the
// VP Token in a form that is not standard. So this profile leaves out mdocs and encrypted responses.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const inji: WalletProfile = {
  id: 'inji',
  name: 'Inji Wallet',
  status: 'live',
  countries: [],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp://authorize'],
  },
  install: {
    android: 'https://play.google.com/store/apps/details?id=io.mosip.residentapp',
  },
  protocols: ['openid4vp-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: ['redirect_uri'],
  formats: ['dc+sd-jwt'],
  excess_formats: ['mso_mdoc'],
  response_modes: ['direct_post'],
  passing: ['value'],
  request_uri_methods: [],
  chain: 'without_root',
  transaction_data: 'no',
  dcql: {
    ...SUPPORTED,
    trusted_authorities: 'ignored',
  },
}

export const injiSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/inji/inji-openid4vp',
      version: '35d23b54620435b57ccf1b20f047c553311f9090',
      read: '2026-11-22',
    },
    {
      url: 'https://github.com/inji/inji-wallet',
      version: '21743f7e4c0a1cbb16a11ec28a2afd103b6d6875',
      read: '2026-11-22',
      app: true,
    },
  ],
}
