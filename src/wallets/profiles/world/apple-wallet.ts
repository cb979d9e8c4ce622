// Apple Wallet: `org-iso-mdoc` of the Digital Credentials API only.

import { UNKNOWN } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const appleWallet: WalletProfile = {
  id: 'apple-wallet',
  name: 'Apple Wallet',
  status: 'live',
  countries: ['JP', 'PR', 'US'],
  platforms: ['ios'],
  links: {},
  install: { ios: 'https://apps.apple.com/us/app/apple-wallet/id1160481993' },
  protocols: [],
  dc_api_protocols: ['org-iso-mdoc'],
  client_id_prefixes: [],
  formats: ['mso_mdoc'],
  types: [
    'org.iso.18013.5.1.mDL',
    'org.iso.23220.photoid.1',
    'org.iso.23220.photoID.1',
    'org.iso.23220.1.jp.mnc',
  ],
  response_modes: [],
  passing: [],
  request_uri_methods: [],
  chain: 'without_root',
  transaction_data: 'no',
  requires: ['reader_certificate'],
  dcql: {
    ...UNKNOWN,
    claim_sets: 'no',
    values: 'no',
    intent_to_retain: 'yes',
    without_claims: 'refused',
  },
}

export const appleWalletSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://developer.apple.com/documentation/passkit/requesting-identity-information-from-a-digital-id',
      version: 'documentation',
      read: '2026-11-22',
    },
    {
      url: 'https://developer.apple.com/documentation/identitydocumentservices/requesting-a-mobile-document-on-the-web',
      version: 'documentation',
      read: '2026-11-22',
    },
    {
      url: 'https://webkit.org/blog/17431/online-identity-verification-with-the-digital-credentials-api',
      version: 'documentation',
      read: '2026-11-22',
    },
    {
      url: 'https://github.com/stateofca/opencred',
      version: 'ce9bb910d02f4f849a5c2daa81df392e7543309a',
      read: '2026-11-28',
    },
  ],
}
