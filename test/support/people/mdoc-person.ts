// A person whose wallet holds mdocs made by @owf/mdoc, and the authority whose document signer issued them.
// Every option changes one thing of a good mdoc.

import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { type IssuerPki, mintIssuerPki } from '../certificates/certificates.ts'
import {
  dcApiTranscriptOf,
  issueMdoc,
  MDOC_SIGNER,
  type MdocIssuing,
  type NameSpaces,
  presentMdoc,
  transcriptOf,
} from './mdoc.ts'
import { queryFor } from './person.ts'
import type { Presentations, ReceivedRequest, RequestPayload } from './wallet.ts'

export type MdocPerson = {
  readonly pki: IssuerPki
  readonly device: JsonWebKey
  /** A trust anchor of the `x509_ca_pem` kind, with changes. */
  readonly anchor: (changes?: object) => Readonly<Record<string, unknown>>
}

/** How an mdoc and its presentation differ from a good mdoc and presentation. */
export type MdocTelling = Partial<
  Pick<MdocIssuing, 'pki' | 'nameSpaces' | 'signed' | 'validFrom' | 'validUntil'>
> & {
  /** Who signs for the device. */
  readonly holder?: JsonWebKey
  /** Nonce of the wallet that the device signs, in the drafts. */
  readonly mdocNonce?: string
  /** Origin of the page that called the browser's API. */
  readonly origin?: string
  /** The request as the wallet sees it. */
  readonly answering?: Partial<RequestPayload>
}

export function makeDevice(): JsonWebKey {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
}

export async function makeMdocPerson(): Promise<MdocPerson> {
  const pki = await mintIssuerPki({ leaf: { extendedKeyUsage: [MDOC_SIGNER] } })
  const anchor = (changes: object = {}) => ({
    name: 'Test IACA',
    credential_types: ['age_attestation', 'pid', 'mdl', 'photo_id'],
    assurance_level: 'substantial',
    x509_ca_pem: pki.root.pem,
    ...changes,
  })
  return { pki, device: makeDevice(), anchor }
}

export const MDOC_AGE = 'eu.europa.ec.av.1'

/** A presentation of one document for a request. It discloses every element. */
export async function mdocOf(
  { pki, device }: MdocPerson,
  docType: string,
  nameSpaces: NameSpaces,
  request: ReceivedRequest,
  telling: MdocTelling = {},
): Promise<string> {
  const { holder = device, origin, answering, ...issuing } = telling
  const issued = await issueMdoc({ pki, docType, nameSpaces, device, ...issuing })
  const disclosed = Object.entries(issuing.nameSpaces ?? nameSpaces).map(
    ([name, elements]) => [name, Object.keys(elements)] as const,
  )
  const asked = { ...request.payload, ...answering }
  const transcript = await (origin === undefined
    ? transcriptOf(asked, telling.mdocNonce ?? request.mdocNonce)
    : dcApiTranscriptOf(asked, origin))
  return presentMdoc(issued, { docType, device: holder, transcript, disclose: Object.fromEntries(disclosed) })
}

/** The answer to a request for an age attestation. */
export async function mdocAgeOf(
  person: MdocPerson,
  request: ReceivedRequest,
  telling: MdocTelling = {},
): Promise<Presentations> {
  const nameSpaces = { [MDOC_AGE]: { age_over_18: true } }
  return { [queryFor(request, MDOC_AGE)]: [await mdocOf(person, MDOC_AGE, nameSpaces, request, telling)] }
}
