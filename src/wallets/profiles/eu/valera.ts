// The Austrian wallet, and other wallets that use the VC-K library. The profile describes version 5.7.6 of
// the wallet and VC-K 5.11.1. The wallet uses VC-K 5.12.0, of which no public copy was found. Up to version
// 5.7.5, the wallet fails with `credential_sets`. Through the browser, the person selects one credential. The
// wallet also answers `org-iso-mdoc`, but with every document of a request, so this profile leaves out
// `org-iso-mdoc`. The link `av` is left out, because this link opens the age verification apps, which refuse
// requests for this wallet.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const valera: WalletProfile = {
  id: 'valera',
  name: 'Valera',
  status: 'test',
  countries: ['AT'],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp', 'haip-vp', 'mdoc-openid4vp', 'eudi-openid4vp'],
  },
  install: {},
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'],
  dc_api_single: true,
  dc_api_call: 'no_multisigned',
  client_id_prefixes: ['x509_hash', 'x509_san_dns'],
  formats: ['mso_mdoc', 'dc+sd-jwt'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference', 'value'],
  request_uri_methods: ['get', 'post'],
  chain: 'without_root',
  transaction_data: 'unknown',
  dcql: {
    ...SUPPORTED,
    trusted_authorities: 'aki',
    without_claims: 'all',
  },
}

export const valeraSources: WalletSources = {
  checked: '2026-11-29',
  sources: [
    {
      url: 'https://github.com/a-sit-plus/valera',
      version: '1596396a71289341cd17120ebe1f0131586be41e',
      read: '2026-11-29',
      app: true,
    },
    {
      url: 'https://github.com/a-sit-plus/vck',
      version: 'c14b3fe5b8ea67b17680c6b87b6273f5fe1dce5c',
      read: '2026-11-29',
    },
  ],
}
