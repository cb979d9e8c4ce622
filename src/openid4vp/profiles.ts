// The protocols of the redirect flow (CONTRACT 5): one entry a protocol, and nothing of one leaks into another.

import type { ProtocolId, RequestUriMethod, ResponseMode } from './generation.ts'

/** What a protocol allows. The first of each list is the default. */
export type Profile = {
  /** Client Identifier Prefixes (OpenID4VP 1.0 §5.9.3). */
  readonly clientIdPrefixes: readonly ClientIdPrefix[]
  readonly responseModes: readonly ResponseMode[]
  readonly requestUriMethods: readonly RequestUriMethod[]
  /** URI schemes whose wallets speak this protocol; the first stands in the QR. */
  readonly walletSchemes: readonly string[]
}

/** Client Identifier Prefixes we sign requests under. */
export type ClientIdPrefix = 'x509_hash' | 'x509_san_dns'

/** The registry. */
export const PROFILES: Readonly<Record<ProtocolId, Profile>> = {
  'openid4vp-1.0': {
    clientIdPrefixes: ['x509_hash', 'x509_san_dns'],
    responseModes: ['direct_post.jwt', 'direct_post'],
    requestUriMethods: ['post', 'get'],
    walletSchemes: ['openid4vp', 'haip-vp', 'eudi-openid4vp', 'av'],
  },
}

/** The protocols a session may have, the default first. */
export const PROTOCOLS = Object.keys(PROFILES) as readonly ProtocolId[]
