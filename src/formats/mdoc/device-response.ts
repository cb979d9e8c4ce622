// DeviceResponse (ISO/IEC 18013-5 §8.3.2.1.2.2), as OpenID4VP 1.0 B.2 and ISO/IEC TS 18013-7 present it. No
// signature covers its outer maps. Members of these maps prove nothing, so unknown members are ignored.

import { decodeBase64url } from '../../codec/base64url.ts'
import { type CborItem, decodeCbor, findEntry, readInteger, readText } from '../../codec/cbor.ts'
import type { Json } from '../../codec/json.ts'
import { MDOC } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialRefusal, DocumentErrors } from '../verification/format.ts'
import { cborRefusal } from './refusals.ts'
import { isVersion1 } from './version.ts'

/** One document as received. Nothing is verified. */
export type DecodedDocument = {
  readonly docType: string
  readonly issuerSigned: CborItem
  /** `undefined` if there is no proof of possession. */
  readonly deviceSigned: CborItem | undefined
}

/**
 * Decodes a presentation: the base64url text of a DeviceResponse. Returns its only document. Rejects a
 * DeviceResponse with no document or several documents (HAIP 1.0 §5.3.1).
 */
export function decodeDeviceResponse(presentation: Json): Result<DecodedDocument, CredentialRefusal> {
  if (typeof presentation !== 'string') return err({ reason: 'malformed_credential' })
  if (presentation.length > MDOC.characters) return err({ reason: 'limit_exceeded' })
  const bytes = decodeBase64url(presentation)
  if (bytes === undefined) return err({ reason: 'malformed_credential' })
  const response = decodeDocuments(bytes)
  if (!response.ok) return response
  const [document, ...others] = response.value.documents
  const decoded = others.length === 0 && document && decodeDocument(document)
  return decoded ? ok(decoded) : err({ reason: 'malformed_credential' })
}

/**
 * Decodes a DeviceResponse. Returns the document errors, and the documents, which the caller decodes. Unknown
 * members are ignored, because a later edition adds `otherDocuments`, `zkDocuments` and `encryptedDocuments`.
 */
export function decodeDocuments(bytes: Uint8Array<ArrayBuffer>): Result<
  {
    /** The documents of the response, at least one. */
    readonly documents: readonly CborItem[]
    readonly documentErrors: DocumentErrors
  },
  CredentialRefusal
> {
  const decoded = decodeCbor(bytes, MDOC.deviceResponse)
  if (!decoded.ok) return err(cborRefusal(decoded.error, 'malformed_credential'))
  const response = decoded.value
  const documents = findEntry(response, 'documents')
  const status = readInteger(findEntry(response, 'status'))
  const documentErrors = readDocumentErrors(findEntry(response, 'documentErrors'))
  if (!isVersion1(findEntry(response, 'version')) || status === undefined || documentErrors === undefined)
    return err({ reason: 'malformed_credential' })
  // §8.3.2.1.2.3: a status other than 0 means an error, and a response with an error has no documents.
  if (documents === undefined) return err({ reason: 'document_not_returned', documentErrors })
  if (status !== 0 || documents.type !== 'array' || documents.items.length === 0)
    return err({ reason: 'malformed_credential' })
  return ok({ documents: documents.items, documentErrors })
}

/**
 * Returns the error code of each document that the wallet did not return, by document type (§8.3.2.1.2.3).
 * Returns an empty object if `documentErrors` is absent or an empty list, and `undefined` if it is not a
 * list. Drops malformed entries, entries whose document type is too long, and entries beyond the limit. The
 * codes are only reported, and do not affect the decision.
 */
function readDocumentErrors(errors: CborItem | undefined): DocumentErrors | undefined {
  if (errors === undefined) return {}
  if (errors.type !== 'array') return undefined
  const codes: [string, number][] = []
  for (const { key, value } of errors.items.flatMap((item) => (item.type === 'map' ? item.entries : []))) {
    const [docType, code] = [readText(key), readInteger(value)]
    if (docType !== undefined && docType.length <= MDOC.docTypeLength && code !== undefined)
      codes.push([docType, code])
  }
  return Object.fromEntries(codes.slice(0, MDOC.documentErrors))
}

/**
 * Decodes one document; `undefined` if it is malformed. The contents of `errors` are not read, because they
 * only explain missing elements.
 */
function decodeDocument(document: CborItem): DecodedDocument | undefined {
  const docType = readText(findEntry(document, 'docType'))
  const issuerSigned = findEntry(document, 'issuerSigned')
  const errors = findEntry(document, 'errors')
  if (docType === undefined || docType === '' || issuerSigned === undefined) return undefined
  if (errors !== undefined && errors.type !== 'map') return undefined
  return { docType, issuerSigned, deviceSigned: findEntry(document, 'deviceSigned') }
}
