// `openid4vp-1.0`: OpenID for Verifiable Presentations 1.0 (Final), with DCQL and encrypted responses of its
// §8.3.

import { buildClientMetadata } from '../request/client-metadata.ts'
import { buildCommonParameters, echoWalletNonce } from '../request/request-object.ts'
import { CONTENT_ENCRYPTIONS } from '../response/response-encryption.ts'
import { parseVpToken } from '../response/vp-token.ts'
import type { Protocol } from './protocol.ts'

/** OpenID4VP 1.0. */
export const openid4vp10: Protocol = {
  clientIdPrefixes: [
    'x509_hash',
    'x509_san_dns',
    'decentralized_identifier',
    'verifier_attestation',
    'redirect_uri',
  ],
  responseModes: ['direct_post.jwt', 'direct_post'],
  requestUriMethods: ['post', 'get'],
  queryLanguages: ['dcql'],
  supportsRedirect: true,
  supportsDcApi: true,
  supportsTransactionData: true,
  canExpress: () => true,
  supportsFormat: () => true,
  signerProfile: () => ({ acceptsAnchorInChain: true }),
  acceptsHolderKeyId: true,
  formats: {},
  writeClientId: (clientId) => clientId,
  buildRequestObject: (input) => ({
    ...buildCommonParameters(input),
    ...echoWalletNonce(input),
    dcql_query: { ...input.query },
    ...(input.transactionData && { transaction_data: input.transactionData }),
    ...(input.verifierInfo && { verifier_info: input.verifierInfo }),
    client_metadata: buildClientMetadata(input),
  }),
  responseEncryption: { contentEncryptions: CONTENT_ENCRYPTIONS, kidRequired: true },
  acceptsByValue: true,
  parsePresentations: (response, { query }) => parseVpToken(response, query),
  handover: ({ responseUri, encryptionKey }) => ({ kind: 'redirect', responseUri, encryptionKey }),
}
