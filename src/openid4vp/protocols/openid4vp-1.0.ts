// `openid4vp-1.0`: OpenID for Verifiable Presentations 1.0 (Final), with DCQL and encrypted responses of its §8.3.

import { buildClientMetadata } from '../client-metadata.ts'
import { buildCommonParameters } from '../request-object.ts'
import { parseVpToken } from '../vp-token.ts'
import type { Protocol } from './protocol.ts'

/** OpenID4VP 1.0. */
export const openid4vp10: Protocol = {
  clientIdPrefixes: ['x509_hash', 'x509_san_dns'],
  responseModes: ['direct_post.jwt', 'direct_post'],
  requestUriMethods: ['post', 'get'],
  walletSchemes: ['openid4vp', 'haip-vp', 'eudi-openid4vp', 'av'],
  canAsk: () => true,
  acceptsAnchor: () => true,
  buildRequestObject: (input) => ({
    ...buildCommonParameters(input),
    // §5.10: echoed as received, and only where one was received.
    ...(input.walletNonce === undefined ? {} : { wallet_nonce: input.walletNonce }),
    dcql_query: { ...input.query },
    client_metadata: buildClientMetadata(input),
  }),
  readPresentations: parseVpToken,
}
