// A person whose wallet answers over `org-iso-mdoc`: a DeviceResponse with one document for each request,
// made by node:crypto. Every option changes one thing of a good response. Without use cases it presents only
// the first document, as `DeviceRequest.execute` of org.multipaz 0.102.0 does.

import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import {
  type Changes,
  encode,
  type Fields,
  makeDeviceResponse,
  tagged,
  type Value,
} from '../../formats/mdoc/maker.ts'
import { type ReceivedAnnexC, type Sealing, sealAnnexC } from './annex-c-wallet.ts'
import type { MdocPerson } from './mdoc-person.ts'

/** How a response differs from a good response. */
export type AnnexCTelling = {
  /** Values of elements in place of `true`. */
  readonly values?: Readonly<Record<string, Value>>
  /** Changes of each document. */
  readonly changes?: Changes
  /** Public key with which the device makes a MAC instead of a signature. */
  readonly readerKey?: KeyObject
  /** Who signs for the device. */
  readonly holder?: JsonWebKey
  /** Document types that are left out. */
  readonly without?: readonly string[]
  /** Changes the DeviceResponse. */
  readonly response?: (response: Fields) => void
  readonly sealing?: Sealing
}

/** The credential that a browser returns to the page: the requested documents, with every element `true`. */
export function answerAnnexC(person: MdocPerson, request: ReceivedAnnexC, telling: AnnexCTelling = {}) {
  return sealAnnexC(request, deviceResponseFor(person, request, telling), telling.sealing)
}

/** The DeviceResponse (CBOR) to a request. */
export function deviceResponseFor(
  person: MdocPerson,
  request: ReceivedAnnexC,
  { values = {}, changes = {}, holder, readerKey, without = [], response: change }: AnnexCTelling = {},
): Uint8Array {
  const device = createPrivateKey({ key: person.device, format: 'jwk' })
  const signer = holder === undefined ? device : createPrivateKey({ key: holder, format: 'jwk' })
  const documents: Value[] = []
  const requested = request.useCases === null ? request.documents.slice(0, 1) : request.documents
  for (const { docType, nameSpaces } of requested) {
    const [[nameSpace, elements] = ['', {}]] = Object.entries(nameSpaces)
    if (without.includes(docType)) continue
    const making = {
      pki: person.pki,
      issuerAlg: -7,
      deviceKey: device,
      device: { key: signer, alg: -7 },
      docType,
      nameSpace,
      elements: Object.keys(elements).map((name) => [name, values[name] ?? true] as const),
      transcript: request.transcript as unknown as Value,
      ...(readerKey && { readerKey }),
    }
    makeDeviceResponse(making, {
      ...changes,
      mso: (mso) => {
        mso.validityInfo = { signed: tdate(-1), validFrom: tdate(-1), validUntil: tdate(1) }
        changes.mso?.(mso)
      },
      response: (one) => {
        documents.push(...(one.documents as Value[]))
      },
    })
  }
  const response: Fields = { version: '1.0', documents, status: 0 }
  change?.(response)
  return new Uint8Array(encode(response))
}

function tdate(daysFromNow: number): Value {
  const day = new Date(Date.now() + daysFromNow * 86_400_000)
  return tagged(0, `${day.toISOString().slice(0, 19)}Z`)
}
