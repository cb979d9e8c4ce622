// Documents of a DeviceResponse (ISO/IEC 18013-5 §8.3.2.1.2.2) by credential query. The mdoc format verifies
// presentations of one document, as OpenID4VP 1.0 B.2 has them; so each document becomes one.

import { encodeBase64url } from '../codec/base64url.ts'
import { type CborItem, decodeCbor, entryOf, isTooMuch, textOf } from '../codec/cbor.ts'
import { encodeCbor } from '../codec/cbor-encode.ts'
import { ANNEX_C } from '../limits.ts'
import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { ResponseRefusal } from '../openid4vp/response/refusal.ts'
import { PRESENTATION_LIMITS, type PresentationGroup } from '../openid4vp/response/vp-token.ts'
import { err, ok, type Result } from '../result.ts'
import type { DocumentQuery } from './query.ts'

/** Parses the documents of a response. Groups are in the order of the query. Nothing is verified. */
export function parseDocuments(
  deviceResponse: Uint8Array<ArrayBuffer>,
  { credentials }: DcqlQuery,
  { documents: requested }: DocumentQuery,
): Result<readonly PresentationGroup[], ResponseRefusal> {
  const decoded = decodeCbor(deviceResponse, ANNEX_C.deviceResponse)
  if (!decoded.ok)
    return err({ reason: isTooMuch(decoded.error) ? 'limit_exceeded' : 'malformed_credential' })
  const documents = documentsOf(decoded.value)
  if (documents === undefined) return err({ reason: 'malformed_credential' })
  if (documents.length > PRESENTATION_LIMITS.overall) return err({ reason: 'limit_exceeded' })
  const docTypes = documents.map((document) => textOf(entryOf(document, 'docType')))
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
    groups.push({ query, presentations: presented.map((document) => withOne(decoded.value, document)) })
  }
  return ok(groups)
}

/** Returns the documents; `undefined` for a malformed response. A response of errors only has none. */
function documentsOf(response: CborItem): readonly CborItem[] | undefined {
  if (response.type !== 'map') return undefined
  const documents = entryOf(response, 'documents')
  if (documents === undefined) return []
  return documents.type === 'array' ? documents.items : undefined
}

/** Returns the response (base64url) with one of its documents, every other member as received. */
function withOne(response: CborItem, document: CborItem): string {
  const entries = response.type === 'map' ? response.entries : []
  return encodeBase64url(
    encodeCbor({
      map: entries.map(({ key, value }) => [
        { encoded: key.encoded },
        key.type === 'text' && key.value === 'documents'
          ? [{ encoded: document.encoded }]
          : { encoded: value.encoded },
      ]),
    }),
  )
}
