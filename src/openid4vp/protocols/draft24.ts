// `openid4vp-draft24`: OpenID4VP draft 24, the successor of the third Implementer's Draft (draft 23). Draft
// 24 uses DCQL or Presentation Exchange, names formats in `vp_formats`, and encrypts responses with JARM.

import { sdJwtVcOfDrafts } from '../../formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { DcqlQuery } from '../dcql/query.ts'
import { buildDefinition, canDefine } from '../presentation-exchange/definition.ts'
import { exchangeFormats } from '../presentation-exchange/formats.ts'
import { parseDefinedSubmission } from '../presentation-exchange/submission.ts'
import { buildCommonParameters, echoWalletNonce } from '../request/request-object.ts'
import { parseVpToken } from '../response/vp-token.ts'
import { buildDraftMetadata, DRAFT_ENCRYPTION, isoHandover, supportsFormatIn } from './drafts.ts'
import type { Protocol } from './protocol.ts'

const FORMATS = exchangeFormats('dc+sd-jwt')

/** OpenID4VP draft 24. */
export const draft24: Protocol = {
  clientIdPrefixes: ['x509_san_dns'],
  writeClientId: (clientId) => clientId,
  responseModes: ['direct_post.jwt', 'direct_post'],
  requestUriMethods: ['post', 'get'],
  supportsRedirect: true,
  supportsDcApi: false,
  supportsTransactionData: false,
  queryLanguages: ['presentation_exchange', 'dcql'],
  canExpress: (query, language) =>
    language === 'dcql' ? canExpressInDcql(query) : canDefine(query, FORMATS),
  supportsFormat: supportsFormatIn(FORMATS),
  formats: { 'dc+sd-jwt': sdJwtVcOfDrafts },
  signerProfile: () => ({ acceptsAnchorInChain: true }),
  acceptsHolderKeyId: true,
  buildRequestObject: (input) => ({
    ...buildCommonParameters(input),
    ...echoWalletNonce(input),
    ...(input.language === 'dcql'
      ? { dcql_query: { ...input.query } }
      : { presentation_definition: buildDefinition(input.query, input.generation.nonce, FORMATS) }),
    client_metadata: buildDraftMetadata(input, FORMATS),
  }),
  responseEncryption: DRAFT_ENCRYPTION,
  acceptsByValue: true,
  parsePresentations: (response, request) =>
    request.language === 'dcql'
      ? parseVpToken(response, request.query, 'bare_or_array')
      : parseDefinedSubmission(response, request, FORMATS),
  handover: isoHandover,
}

/**
 * Returns true if DCQL of draft 24 can express the query. Draft 24 lacks the members that later versions
 * added. It also lacks `type_values` of W3C credentials.
 */
function canExpressInDcql({ credentials }: DcqlQuery): boolean {
  return credentials.every(
    (query) =>
      query.multiple !== true &&
      query.trusted_authorities === undefined &&
      query.require_cryptographic_holder_binding !== false &&
      query.format !== 'jwt_vc_json',
  )
}
