// The wallet of the Californian DMV. It presents the mDL through the browser on Android. By link, the wallet
// presents only W3C credentials over OpenID4VP draft 18. So this profile has no links.

import { UNKNOWN } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const californiaDmv: WalletProfile = {
  id: 'california-dmv',
  name: 'California DMV Wallet',
  status: 'live',
  countries: ['US'],
  platforms: ['android'],
  links: {},
  install: {
    android: 'https://play.google.com/store/apps/details?id=gov.ca.dmv.wallet',
  },
  protocols: [],
  dc_api_protocols: ['openid4vp-v1-signed'],
  client_id_prefixes: ['x509_san_dns'],
  formats: ['mso_mdoc'],
  types: ['org.iso.18013.5.1.mDL'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: [],
  request_uri_methods: [],
  chain: 'without_root',
  transaction_data: 'unknown',
  dcql: UNKNOWN,
}

export const californiaDmvSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/stateofca/opencred',
      version: '4ecabe382043d2d63baf7c307518c61c16544ea7',
      read: '2026-11-22',
    },
    {
      url: 'https://github.com/spruceid/sprucekit-mobile',
      version: '3c194291be2b524b96d9a837bddbd99986fe0aab',
      read: '2026-11-22',
    },
  ],
}
