// DeviceRequest (ISO/IEC 18013-5 §8.3.2.1.2.1) for a DCQL query. Version 1.1 is used only for several
// documents or several reader certificates. Wallets of version 1.0 ignore or refuse version 1.1.

import { encodeBase64url } from '../codec/base64url.ts'
import { type CborValue, embedCbor, encodeCbor } from '../codec/cbor-encode.ts'
import { sha256 } from '../crypto/digest.ts'
import type { DocumentQuery, RequestedDocument, UseCase } from '../openid4vp/dcql/document-query.ts'
import { type Reader, readerAuthenticationAll, signReaderAuth, signReaderAuthAll } from './reader-auth.ts'

/**
 * The sender of a request. `registration`: bytes of a registration certificate. Pass the certificate only
 * with `readers`, because without a signature nothing binds the certificate to the sender.
 */
export type RequestSender = {
  readonly readers: readonly Reader[]
  readonly registration?: Uint8Array<ArrayBuffer> | undefined
}

/**
 * Builds the text of `deviceRequest` (base64url). The certificates of `readers` must be valid for the origin
 * of `transcript`. Without readers the request is unsigned.
 */
export async function buildDeviceRequest(
  query: DocumentQuery,
  transcript: Uint8Array<ArrayBuffer>,
  { readers, registration }: RequestSender,
): Promise<string> {
  const items = query.documents.map((document) => encodeItemsRequest(document, registration))
  const info = encodeRequestInfo(query)
  const [first, ...others] = readers
  const signsAll = others.length > 0
  const docRequests = items.map(
    async (itemsRequest): Promise<CborValue> => ({
      map: [
        ['itemsRequest', { encoded: itemsRequest }],
        ...(first === undefined
          ? []
          : [['readerAuth', { encoded: await signReaderAuth(first, transcript, itemsRequest) }] as const]),
      ],
    }),
  )
  const all = readers.map((reader) => signReaderAuthAll(reader, transcript, { items, info }))
  const request: CborValue = {
    map: [
      ['version', signsAll || info !== null ? '1.1' : '1.0'],
      ['docRequests', await Promise.all(docRequests)],
      ...(info === null ? [] : [['deviceRequestInfo', { encoded: info }] as const]),
      ...(signsAll
        ? [['readerAuthAll', (await Promise.all(all)).map((encoded) => ({ encoded }))] as const]
        : []),
    ],
  }
  return encodeBase64url(encodeCbor(request))
}

/**
 * Returns the hash of a device request (base64url): SHA-256 of ReaderAuthenticationAllBytes. The receipt of a
 * session contains this hash (api/receipt). The hash covers the requested elements, the session, the origin
 * and the registration certificate in the request. The signatures in a request do not change the hash.
 */
export async function deviceRequestHash(
  query: DocumentQuery,
  transcript: Uint8Array<ArrayBuffer>,
  registration?: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const items = query.documents.map((document) => encodeItemsRequest(document, registration))
  const info = encodeRequestInfo(query)
  return encodeBase64url(await sha256(readerAuthenticationAll(transcript, { items, info })))
}

/**
 * Encodes ItemsRequestBytes. The elements of a namespace have the same order as in the query. Every document
 * request has the same registration certificate (ETSI TS 119 472-2 §5.3).
 */
function encodeItemsRequest(
  { docType, elements }: RequestedDocument,
  registration: Uint8Array<ArrayBuffer> | undefined,
): Uint8Array<ArrayBuffer> {
  const names = [...new Set(elements.map(({ nameSpace }) => nameSpace))]
  const nameSpaces = names.map((name) => {
    const requested = elements.filter(({ nameSpace }) => nameSpace === name)
    const map = requested.map(({ element, intentToRetain }) => [element, intentToRetain] as const)
    return [name, { map }] as const
  })
  return embedCbor(
    encodeCbor({
      map: [
        ['docType', docType],
        ['nameSpaces', { map: nameSpaces }],
        ...(registration ? [['requestInfo', { map: [['euWrprc', registration]] }] as const] : []),
      ],
    }),
  )
}

/** Encodes DeviceRequestInfoBytes; `null` if no use case is needed. */
function encodeRequestInfo({ useCases }: DocumentQuery): Uint8Array<ArrayBuffer> | null {
  if (useCases === null) return null
  return embedCbor(encodeCbor({ map: [['useCases', useCases.map(encodeUseCase)]] }))
}

function encodeUseCase({ mandatory, documentSets }: UseCase): CborValue {
  return {
    map: [
      ['mandatory', mandatory],
      ['documentSets', documentSets],
    ],
  }
}
