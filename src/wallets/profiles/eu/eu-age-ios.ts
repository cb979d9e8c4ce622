// The age verification app of the EU. Requests are unsigned and passed by value, or use Annex C.

import type { WalletProfile, WalletSources } from '../../profile.ts'
import { UNKNOWN } from '../dcql.ts'

export const euAgeIos: WalletProfile = {
  id: 'eu-age-ios',
  name: 'EU age verification app (iOS)',
  status: 'live',
  countries: ['CY', 'DK', 'ES', 'FR', 'GR', 'IE', 'IT'],
  platforms: ['ios'],
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
  dcql: {
    ...UNKNOWN,
    intent_to_retain: 'yes',
  },
}

export const euAgeIosSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/eu-digital-identity-wallet/av-doc-technical-specification',
      version: 'fd09d9e4ead77099bb5c8293fe835a0ecd0e6fca',
      read: '2026-11-22',
    },
  ],
}
