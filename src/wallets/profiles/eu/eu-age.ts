// Profile members of the EU age verification app that are the same on both platforms. Requests to the app are
// unsigned and passed by value, or they use ISO/IEC TS 18013-7 Annex C.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile } from '../profile.ts'

export const EU_AGE = {
  status: 'live',
  countries: ['CY', 'DK', 'ES', 'FR', 'GR', 'IE', 'IT'],
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
  dcql: { ...SUPPORTED, null_path: 'no', index_path: 'no', trusted_authorities: 'ignored' },
} satisfies Omit<WalletProfile, 'id' | 'name' | 'platforms'>
