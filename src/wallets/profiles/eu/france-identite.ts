// The French wallet. It holds the PID, and the age attestation of the EU.

import { UNKNOWN } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const franceIdentite: WalletProfile = {
  id: 'france-identite',
  name: 'France Identité',
  status: 'live',
  countries: ['FR'],
  platforms: ['ios', 'android'],
  links: {
    live: ['openid4vp'],
  },
  install: {
    ios: 'https://apps.apple.com/fr/app/france-identit%C3%A9/id1590142959',
    android: 'https://play.google.com/store/apps/details?id=fr.gouv.franceidentite',
  },
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: ['x509_hash'],
  formats: ['mso_mdoc'],
  types: ['eu.europa.ec.eudi.pid.1', 'eu.europa.ec.av.1'],
  response_modes: ['direct_post.jwt'],
  passing: ['reference'],
  request_uri_methods: ['get'],
  chain: 'without_root',
  transaction_data: 'unknown',
  dcql: UNKNOWN,
}

export const franceIdentiteSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://playground.france-identite.gouv.fr/doc/',
      version: 'documentation',
      read: '2026-11-22',
    },
    {
      url: 'https://france-identite.gouv.fr/',
      version: 'documentation',
      read: '2026-11-22',
    },
  ],
}
