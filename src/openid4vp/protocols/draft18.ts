// `openid4vp-draft18`: OpenID4VP draft 18, the second Implementer's Draft, which ISO/IEC TS 18013-7 Annex B
// profiles. Draft 18 uses Presentation Exchange. The parameter `client_id_scheme` has the type of the Client
// Identifier.

import { buildDefinition, canDefine } from '../presentation-exchange/definition.ts'
import { exchangeFormats } from '../presentation-exchange/formats.ts'
import { parseDefinedSubmission } from '../presentation-exchange/submission.ts'
import { buildCommonParameters } from '../request/request-object.ts'
import { draft24 } from './draft24.ts'
import { buildDraftMetadata } from './drafts.ts'
import type { Protocol } from './protocol.ts'

const FORMATS = exchangeFormats('vc+sd-jwt')
const SCHEME = 'x509_san_dns'

/** OpenID4VP draft 18. Members that are the same as in draft 24 come from `draft24`. */
export const draft18: Protocol = {
  ...draft24,
  writeClientId: (clientId) => clientId.slice(`${SCHEME}:`.length),
  // `request_uri_method` and `wallet_nonce` came with draft 21.
  requestUriMethods: ['get'],
  queryLanguages: ['presentation_exchange'],
  canExpress: (query, language) => language === 'presentation_exchange' && canDefine(query, FORMATS),
  buildRequestObject: (input) => ({
    ...buildCommonParameters(input),
    client_id_scheme: SCHEME,
    presentation_definition: buildDefinition(input.query, input.generation.nonce, FORMATS),
    client_metadata: buildDraftMetadata(input, FORMATS),
  }),
  parsePresentations: (response, request) => parseDefinedSubmission(response, request, FORMATS),
}
