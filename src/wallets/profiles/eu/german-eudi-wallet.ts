// The German wallet in its sandbox. It expects the root in `x5c`, although HAIP 1.0 §5 forbids the root
// there.

import { UNKNOWN } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const germanEudiWallet: WalletProfile = {
  id: 'german-eudi-wallet',
  name: 'German EUDI wallet',
  status: 'test',
  countries: ['DE'],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp', 'haip-vp'],
  },
  install: {},
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: ['x509_hash'],
  formats: ['mso_mdoc'],
  types: ['eu.europa.ec.eudi.pid.1'],
  response_modes: ['direct_post.jwt'],
  passing: ['reference'],
  request_uri_methods: ['get', 'post'],
  chain: 'with_root',
  transaction_data: 'unknown',
  dcql: UNKNOWN,
}

export const germanEudiWalletSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://bmi.usercontent.opencode.de/eudi-wallet/eidas-2.0-architekturkonzept/',
      version: 'documentation',
      read: '2026-11-22',
    },
  ],
}
