// Wallets that use Credo. The profile follows the source code of the Paradym Wallet. Through the Digital
// Credentials API the wallet discloses one credential only, and the audience of the presentation is the
// origin. The wallet refuses a request with an optional credential set that it cannot satisfy. The wallet
// supports few types of transaction data. The wallet uses the scheme of ISO/IEC TS 18013-7 Annex B, and
// Presentation Exchange, only for requests of OpenID4VP draft 18.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const credo: WalletProfile = {
  id: 'credo',
  name: 'Paradym and other wallets of Credo',
  status: 'live',
  countries: [],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp', 'eudi-openid4vp', 'mdoc-openid4vp'],
  },
  install: {
    ios: 'https://apps.apple.com/app/paradym-wallet/id6449846111',
    android: 'https://play.google.com/store/apps/details?id=id.paradym.wallet',
  },
  protocols: ['openid4vp-1.0', 'haip-1.0', 'openid4vp-draft24', 'openid4vp-draft18'],
  unknown_protocols: ['openid4vp-draft24', 'openid4vp-draft18'],
  dc_api_protocols: ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'],
  dc_api_single: true,
  client_id_prefixes: ['x509_hash', 'x509_san_dns', 'decentralized_identifier', 'redirect_uri'],
  formats: ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference', 'value'],
  request_uri_methods: ['get', 'post'],
  chain: 'without_root',
  transaction_data: 'unknown',
  dcql: { ...SUPPORTED, optional_sets: 'no' },
}

export const credoSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/openwallet-foundation/credo-ts',
      version: '3c32928107639bc355f82d4ba11c4d91901e11cb',
      read: '2026-11-29',
    },
    {
      url: 'https://github.com/animo/paradym-wallet',
      version: 'c4038930ceb71f14b7545b4bf55a88a2f961d0b8',
      read: '2026-11-29',
      app: true,
    },
  ],
}
