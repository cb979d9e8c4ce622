// DeviceResponse (ISO/IEC 18013-5 §8.3.2.1.2.2) as OpenID4VP 1.0 B.2 presents it: base64url of one CBOR map
// with exactly one document (HAIP 1.0 §5.3.1). Unknown members are refused, because no signature covers these
// maps.

import { decodeBase64url } from '../../codec/base64url.ts'
import { type CborItem, decodeCbor, entryOf, isMapOf, textOf } from '../../codec/cbor.ts'
import type { Json } from '../../codec/json.ts'
import { MDOC } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { CredentialRefusal } from '../format.ts'
import { cborRefusal } from './refusals.ts'

/** One document as received. Nothing is verified. */
export type DecodedDocument = {
  readonly docType: string
  readonly issuerSigned: CborItem
  /** `undefined` if there is no proof of possession. */
  readonly deviceSigned: CborItem | undefined
}

/** Decodes a presentation to its one document. */
export function decodeDeviceResponse(presentation: Json): Result<DecodedDocument, CredentialRefusal> {
  if (typeof presentation !== 'string') return err({ reason: 'malformed_credential' })
  if (presentation.length > MDOC.characters) return err({ reason: 'limit_exceeded' })
  const bytes = decodeBase64url(presentation)
  if (bytes === undefined) return err({ reason: 'malformed_credential' })
  const response = decodeCbor(bytes, MDOC.deviceResponse)
  if (!response.ok) return err(cborRefusal(response.error, 'malformed_credential'))
  const document = soleDocument(response.value)
  const decoded = document && decodeDocument(document)
  return decoded === undefined ? err({ reason: 'malformed_credential' }) : ok(decoded)
}

/**
 * `documentErrors` explains documents that are not returned. It is not read, and some wallets send an empty
 * list.
 */
function soleDocument(response: CborItem): CborItem | undefined {
  if (!isMapOf(response, 'version', 'documents', 'documentErrors', 'status')) return undefined
  const documentErrors = entryOf(response, 'documentErrors')
  if (documentErrors !== undefined && documentErrors.type !== 'array') return undefined
  const status = entryOf(response, 'status')
  const documents = entryOf(response, 'documents')
  if (textOf(entryOf(response, 'version')) !== '1.0') return undefined
  if (status?.type !== 'integer' || status.value !== 0) return undefined
  return documents?.type === 'array' && documents.items.length === 1 ? documents.items[0] : undefined
}

/** `errors` explains missing elements. It is not read, because missing elements satisfy no query. */
function decodeDocument(document: CborItem): DecodedDocument | undefined {
  if (!isMapOf(document, 'docType', 'issuerSigned', 'deviceSigned', 'errors')) return undefined
  const docType = textOf(entryOf(document, 'docType'))
  const issuerSigned = entryOf(document, 'issuerSigned')
  const errors = entryOf(document, 'errors')
  if (docType === undefined || docType === '' || issuerSigned === undefined) return undefined
  if (errors !== undefined && errors.type !== 'map') return undefined
  return { docType, issuerSigned, deviceSigned: entryOf(document, 'deviceSigned') }
}
