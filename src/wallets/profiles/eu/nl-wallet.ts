// The Dutch wallet. It supports neither credential sets nor claim sets. It accepts several queries only if
// all have the same format.

import type { WalletProfile, WalletSources } from '../profile.ts'

export const nlWallet: WalletProfile = {
  id: 'nl-wallet',
  name: 'NL Wallet',
  status: 'pilot',
  countries: ['NL'],
  platforms: ['ios', 'android'],
  // The https address of the wallet depends on the build and is not public. These schemes open every build.
  links: { live: ['openid4vp', 'haip-vp', 'eu-eaap'] },
  install: {},
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: [],
  client_id_prefixes: ['x509_hash'],
  formats: ['dc+sd-jwt', 'mso_mdoc'],
  response_modes: ['direct_post.jwt'],
  passing: ['reference'],
  request_uri_methods: ['post', 'get'],
  chain: 'without_root',
  transaction_data: 'no',
  requires: ['organization'],
  dcql: {
    several_queries: 'one_format',
    credential_sets: 'no',
    claim_sets: 'no',
    values: 'ignored',
    null_path: 'no',
    index_path: 'no',
    intent_to_retain: 'yes',
    multiple: 'no',
    trusted_authorities: 'aki',
    require_cryptographic_holder_binding: 'no',
    without_claims: 'refused',
  },
}

export const nlWalletSources: WalletSources = {
  checked: '2026-11-29',
  sources: [
    {
      url: 'https://github.com/MinBZK/nl-wallet',
      version: '6299ff7bbd2461ba20f438511bfbd2cd9072834f',
      read: '2026-11-29',
      app: true,
    },
  ],
}
