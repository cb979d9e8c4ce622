// Common parts of drafts 18 and 24: `vp_formats`, response encryption of JARM (draft 24 §7.3; JARM §3), and
// the mdoc session of ISO/IEC TS 18013-7 Annex B.

import { decodeBase64url } from '../../codec/base64url.ts'
import { decodeUtf8 } from '../../codec/bytes.ts'
import type { JsonObject } from '../../codec/json.ts'
import type { Handover } from '../../formats/verification/format.ts'
import { type ExchangeFormats, exchangeFormat } from '../presentation-exchange/definition.ts'
import { encryptionKey } from '../request/client-metadata.ts'
import type { RequestObjectInput } from '../request/request-object.ts'
import { type EncryptionRules, KEY_AGREEMENT } from '../response/response-encryption.ts'
import type { Exchange, Protocol } from './protocol.ts'

/**
 * Response encryption of the drafts. The metadata of the drafts has only one content encryption, which
 * ISO/IEC TS 18013-7 Annex B specifies. JARM does not require `kid`.
 */
export const DRAFT_ENCRYPTION = {
  contentEncryptions: ['A256GCM'],
  kidRequired: false,
} as const satisfies EncryptionRules

/** Builds `client_metadata` for the formats of the query. */
export function buildDraftMetadata(input: RequestObjectInput, formats: ExchangeFormats): JsonObject {
  const designations = input.query.credentials.map((query) => exchangeFormat(formats, query).designations)
  const vp_formats = Object.assign({}, ...designations)
  if (input.responseMode === 'direct_post') return { vp_formats }
  return {
    vp_formats,
    jwks: { keys: [encryptionKey(input.generation)] },
    authorization_encrypted_response_alg: KEY_AGREEMENT,
    authorization_encrypted_response_enc: DRAFT_ENCRYPTION.contentEncryptions[0],
  }
}

/**
 * Returns a function for `supportsFormat`. An mdoc requires an encrypted response, because the header of the
 * JWE has the wallet's nonce for the mdoc session.
 */
export function supportsFormatIn(formats: ExchangeFormats): Protocol['supportsFormat'] {
  return (format, responseMode) =>
    Object.hasOwn(formats, format) && (format !== 'mso_mdoc' || responseMode === 'direct_post.jwt')
}

/** Returns the handover of ISO/IEC TS 18013-7 B.4.4. `apu` contains the text of `mdocGeneratedNonce`. */
export function isoHandover({ responseUri, encryptionKey, agreementPartyUInfo }: Exchange): Handover {
  const bytes = decodeBase64url(agreementPartyUInfo ?? '')
  const mdocGeneratedNonce = (bytes && decodeUtf8(bytes)) || null
  return { kind: 'iso_18013_7', responseUri, encryptionKey, mdocGeneratedNonce }
}
