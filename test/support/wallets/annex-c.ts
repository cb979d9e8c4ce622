// Requests of `org-iso-mdoc` (ISO/IEC TS 18013-7 Annex C) as wallets answer them. CBOR by cborg, HPKE by
// @hpke/core, documents by node:crypto.

import { createPrivateKey } from 'node:crypto'
import { decode, encode, Tagged } from 'cborg'
import { makeDeviceResponse, tagged, type Value } from '../../formats/mdoc/maker.ts'
import {
  type AnnexCRequest,
  type ReceivedAnnexC,
  receiveAnnexC,
  sealAnnexC,
} from '../people/annex-c-wallet.ts'
import { type Answer, type DigitalRequest, refuse, refuseUnless } from './fake-wallet.ts'
import { claimAt, disclosedIn, type Holding, type MdocHolding } from './holdings.ts'

export const ISO_MDOC = 'org-iso-mdoc'

/** Decodes a request, and verifies the signatures in it. */
export function receiveDeviceRequest(digital: DigitalRequest, origin: string): ReceivedAnnexC {
  refuseUnless(digital.protocol === ISO_MDOC, `the protocol ${digital.protocol} is not ${ISO_MDOC}`)
  try {
    return receiveAnnexC(digital as unknown as AnnexCRequest, origin)
  } catch {
    return refuse('malformed DeviceRequest or EncryptionInfo')
  }
}

/** Answers with one document: the first request whose elements the wallet has, all or none of them. */
export async function answerOneDocument(
  request: ReceivedAnnexC,
  holdings: readonly Holding[],
): Promise<Answer> {
  const first = request.documents.find((document) => holdingOf(document, holdings) !== undefined)
  return answerDocuments(request, first ? [first] : [], holdings)
}

type RequestedDocument = ReceivedAnnexC['documents'][number]

/** Answers with all of these documents of the request. Refuses if there is none, or one is not held. */
export async function answerDocuments(
  request: ReceivedAnnexC,
  documents: readonly RequestedDocument[],
  holdings: readonly Holding[],
): Promise<Answer> {
  const responses = documents.map((document) => {
    const holding = holdingOf(document, holdings)
    if (holding === undefined) return refuse('no document with the requested elements')
    return respond(holding, elementsOf(document), request)
  })
  const [first, ...others] = responses.map((bytes) =>
    decode(bytes, { useMaps: true, tags: Tagged.preserve(24) }),
  )
  if (first === undefined) return refuse('no document with the requested elements')
  for (const one of others) first.get('documents').push(...one.get('documents'))
  const deviceResponse = responses.length === 1 ? (responses[0] as Uint8Array) : encode(first)
  const credential = await sealAnnexC(request, deviceResponse)
  return { disclosed: disclosedIn(deviceResponse), credential }
}

/** The document of the type that has all requested elements. */
export function holdingOf(
  document: RequestedDocument,
  holdings: readonly Holding[],
): MdocHolding | undefined {
  const elements = Object.entries(elementsOf(document))
  return holdings.find(
    (one): one is MdocHolding =>
      one.format === 'mso_mdoc' &&
      one.type === document.docType &&
      elements.every(([name, items]) => items.every((item) => claimAt(one, [name, item]) !== undefined)),
  )
}

function elementsOf({ nameSpaces }: RequestedDocument): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(nameSpaces).map(([name, items]) => [name, Object.keys(items)]))
}

/** The DeviceResponse with one document. Its elements are of one namespace. */
function respond(
  { pki, device, type, claims }: MdocHolding,
  elements: Readonly<Record<string, readonly string[]>>,
  { transcript }: ReceivedAnnexC,
): Uint8Array {
  const [[nameSpace, names] = ['', []], ...others] = Object.entries(elements)
  if (others.length > 0) throw new Error('elements of several namespaces')
  const deviceKey = createPrivateKey({ key: device, format: 'jwk' })
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 19)
  const making = {
    pki,
    issuerAlg: -7,
    deviceKey,
    device: { key: deviceKey, alg: -7 },
    docType: type,
    nameSpace,
    elements: names.map((name) => [name, encodable(claims[nameSpace]?.[name])] as const),
    transcript: transcript as unknown as Value,
  }
  const text = makeDeviceResponse(making, {
    mso: (mso) => {
      const [signed, validUntil] = [tagged(0, `${day(-1)}Z`), tagged(0, `${day(1)}Z`)]
      mso.validityInfo = { signed, validFrom: signed, validUntil }
    },
  })
  return Uint8Array.from(Buffer.from(text, 'base64url'))
}

/** A full-date of the other library, as the encoder here takes it. */
function encodable(value: unknown): Value {
  return value instanceof Date ? tagged(1004, value.toISOString().slice(0, 10)) : (value as Value)
}
