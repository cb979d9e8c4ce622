// DeviceResponse (ISO/IEC 18013-5 §8.3.2.1.2.2), as OpenID4VP 1.0 B.2 and ISO/IEC TS 18013-7 present it. No
// signature covers its outer maps, so only the members that are read here have a meaning.

import { decodeBase64url } from '../../codec/base64url.ts'
import { type CborItem, decodeCbor, entryOf, integerOf, textOf } from '../../codec/cbor.ts'
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
 * Decodes a presentation to its one document: base64url of a DeviceResponse with exactly one (HAIP 1.0
 * §5.3.1).
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
 * Decodes a DeviceResponse to its documents, which are not decoded, and its document errors. Unknown members
 * are ignored: a later edition adds `otherDocuments`, `zkDocuments` and `encryptedDocuments`.
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
  const documents = entryOf(response, 'documents')
  const status = integerOf(entryOf(response, 'status'))
  const documentErrors = readDocumentErrors(entryOf(response, 'documentErrors'))
  if (!isVersion1(entryOf(response, 'version')) || status === undefined || documentErrors === undefined)
    return err({ reason: 'malformed_credential' })
  // §8.3.2.1.2.3: a status other than 0 is an error, and then there are no documents.
  if (documents === undefined) return err({ reason: 'document_not_returned', documentErrors })
  if (status !== 0 || documents.type !== 'array' || documents.items.length === 0)
    return err({ reason: 'malformed_credential' })
  return ok({ documents: documents.items, documentErrors })
}

/**
 * The code for each document that is not returned (§8.3.2.1.2.3). Some wallets send an empty list. Entries of
 * another form are ignored: they explain, and decide nothing. `undefined` for anything that is not a list.
 */
function readDocumentErrors(errors: CborItem | undefined): DocumentErrors | undefined {
  if (errors === undefined) return {}
  if (errors.type !== 'array') return undefined
  const codes: [string, number][] = []
  for (const { key, value } of errors.items.flatMap((item) => (item.type === 'map' ? item.entries : []))) {
    const [docType, code] = [textOf(key), integerOf(value)]
    if (docType !== undefined && docType.length <= MDOC.docTypeLength && code !== undefined)
      codes.push([docType, code])
  }
  return Object.fromEntries(codes.slice(0, MDOC.documentErrors))
}

/** `errors` explains missing elements. It is not read, because missing elements satisfy no query. */
function decodeDocument(document: CborItem): DecodedDocument | undefined {
  const docType = textOf(entryOf(document, 'docType'))
  const issuerSigned = entryOf(document, 'issuerSigned')
  const errors = entryOf(document, 'errors')
  if (docType === undefined || docType === '' || issuerSigned === undefined) return undefined
  if (errors !== undefined && errors.type !== 'map') return undefined
  return { docType, issuerSigned, deviceSigned: entryOf(document, 'deviceSigned') }
}
