// `openid4vp-draft18`: OpenID4VP draft 18, the second Implementer's Draft, which ISO/IEC TS 18013-7 Annex B
// profiles. It uses Presentation Exchange, and names the type of the Client Identifier in a parameter of its
// own.

import { sdJwtVcOfDrafts } from '../../formats/sd-jwt-vc/sd-jwt-vc.ts'
import { buildDefinition, canDefine } from '../presentation-exchange/definition.ts'
import { jwtVcExchange, mdocExchange, sdJwtVcExchange } from '../presentation-exchange/formats.ts'
import { parseDefinedSubmission } from '../presentation-exchange/submission.ts'
import { buildCommonParameters } from '../request/request-object.ts'
import { buildDraftMetadata, DRAFT_ENCRYPTION, isoHandover, supportsFormatIn } from './drafts.ts'
import type { Protocol } from './protocol.ts'

const FORMATS = {
  'dc+sd-jwt': sdJwtVcExchange('vc+sd-jwt'),
  mso_mdoc: mdocExchange,
  jwt_vc_json: jwtVcExchange,
}
const SCHEME = 'x509_san_dns'

/** OpenID4VP draft 18. */
export const draft18: Protocol = {
  clientIdPrefixes: [SCHEME],
  writeClientId: (clientId) => clientId.slice(`${SCHEME}:`.length),
  responseModes: ['direct_post.jwt', 'direct_post'],
  // `request_uri_method` and `wallet_nonce` came with draft 21.
  requestUriMethods: ['get'],
  walletSchemes: ['openid4vp', 'mdoc-openid4vp'],
  supportsDcApi: false,
  supportsTransactionData: false,
  queryLanguages: ['presentation_exchange'],
  canExpress: (query, language) => language === 'presentation_exchange' && canDefine(query, FORMATS),
  supportsFormat: supportsFormatIn(FORMATS),
  formats: { 'dc+sd-jwt': sdJwtVcOfDrafts },
  signerProfile: () => ({ acceptsAnchorInChain: true }),
  acceptsHolderKeyId: true,
  buildRequestObject: (input) => ({
    ...buildCommonParameters(input),
    client_id_scheme: SCHEME,
    presentation_definition: buildDefinition(input.query, input.generation.nonce, FORMATS),
    client_metadata: buildDraftMetadata(input, FORMATS),
  }),
  responseEncryption: DRAFT_ENCRYPTION,
  acceptsByValue: true,
  parsePresentations: (response, request) => parseDefinedSubmission(response, request, FORMATS),
  handover: isoHandover,
}
