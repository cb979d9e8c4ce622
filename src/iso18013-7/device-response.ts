// Assigns the documents of a DeviceResponse (ISO/IEC 18013-5 §8.3.2.1.2.2) to credential queries. The mdoc
// format verifies presentations of one document (OpenID4VP 1.0 B.2). So each document becomes a presentation
// of its own.

import { encodeBase64url } from '../codec/base64url.ts'
import { type CborItem, findEntry, readText } from '../codec/cbor.ts'
import { encodeCbor } from '../codec/cbor-encode.ts'
import { decodeDocuments } from '../formats/mdoc/device-response.ts'
import type { DocumentErrors } from '../formats/verification/format.ts'
import type { DocumentQuery } from '../openid4vp/dcql/document-query.ts'
import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { ResponseRefusal } from '../openid4vp/response/refusal.ts'
import { PRESENTATION_LIMITS, type PresentationGroup } from '../openid4vp/response/vp-token.ts'
import { err, ok, type Result } from '../result.ts'

/** The documents of a response, and the wallet's error codes for documents that the wallet left out. */
type ParsedDocuments = {
  /** Presentations of each credential query, in the order of the query. */
  readonly groups: readonly PresentationGroup[]
  readonly documentErrors: DocumentErrors
}

/** Parses the documents of a response. Nothing is verified. */
export function parseDocuments(
  deviceResponse: Uint8Array<ArrayBuffer>,
  { credentials }: DcqlQuery,
  { documents: requested }: DocumentQuery,
): Result<ParsedDocuments, ResponseRefusal> {
  const decoded = decodeDocuments(deviceResponse)
  if (!decoded.ok) return decoded
  const { documents, documentErrors } = decoded.value
  if (documents.length > PRESENTATION_LIMITS.overall) return err({ reason: 'limit_exceeded' })
  const docTypes = documents.map((document) => readText(findEntry(document, 'docType')))
  if (docTypes.includes(undefined)) return err({ reason: 'malformed_credential' })
  if (docTypes.some((docType) => !requested.some((one) => one.docType === docType))) {
    return err({ reason: 'unknown_credential_query' })
  }
  const groups: PresentationGroup[] = []
  for (const { queryId, docType } of requested) {
    const query = credentials.find(({ id }) => id === queryId)
    const presented = documents.filter((_, i) => docTypes[i] === docType)
    if (query === undefined || presented.length === 0) continue
    if (presented.length > PRESENTATION_LIMITS.perQuery) return err({ reason: 'limit_exceeded', queryId })
    if (presented.length > 1 && query.multiple !== true) {
      return err({ reason: 'wrong_presentation_count', queryId })
    }
    groups.push({ query, presentations: presented.map(encodePresentation) })
  }
  return ok({ groups, documentErrors })
}

/** Returns a DeviceResponse (base64url) that contains one document as received. */
function encodePresentation({ encoded }: CborItem): string {
  return encodeBase64url(
    encodeCbor({
      map: [
        ['version', '1.0'],
        ['documents', [{ encoded }]],
        ['status', 0],
      ],
    }),
  )
}
