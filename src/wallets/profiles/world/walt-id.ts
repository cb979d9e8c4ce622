// The wallet of walt.id. It answers every query that it can, also queries that `credential_sets` does not
// require. If a query names a member of an object in an SD-JWT VC, the wallet omits the disclosure of the
// object. No verifier accepts such a presentation. If a query names an object, the wallet omits the members
// that have disclosures of their own.

import { SUPPORTED } from '../dcql.ts'
import type { WalletProfile, WalletSources } from '../profile.ts'

export const waltId: WalletProfile = {
  id: 'walt-id',
  name: 'walt.id',
  status: 'live',
  countries: [],
  platforms: ['ios', 'android', 'web'],
  links: {
    live: ['openid4vp'],
  },
  install: {},
  protocols: ['openid4vp-1.0', 'haip-1.0'],
  dc_api_protocols: ['openid4vp-v1-unsigned'],
  client_id_prefixes: ['x509_hash', 'x509_san_dns', 'decentralized_identifier', 'redirect_uri'],
  formats: ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'],
  response_modes: ['direct_post.jwt', 'direct_post'],
  passing: ['reference', 'value'],
  request_uri_methods: ['get', 'post'],
  chain: 'without_root',
  transaction_data: 'no',
  dcql: {
    ...SUPPORTED,
    credential_sets: 'no',
    null_path: 'unknown',
    index_path: 'unknown',
    trusted_authorities: 'ignored',
    nested_path: 'no',
    object_path: 'no',
  },
}

export const waltIdSources: WalletSources = {
  checked: '2026-11-22',
  sources: [
    {
      url: 'https://github.com/walt-id/waltid-identity',
      version: 'b19fda24510c7543f3c3dcad1daf2d77f4a168d1',
      read: '2026-11-22',
      app: true,
    },
    {
      url: 'https://docs.walt.id/',
      version: 'October 2026',
      read: '2026-11-22',
    },
  ],
}
