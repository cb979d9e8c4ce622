// Decodes the CMS of a time stamp token (RFC 5652 §5, RFC 3161 §2.4.2): one signer, its signed attributes and
// its certificates. Nothing is verified here.

import { equalBytes } from '../../codec/bytes.ts'
import { DER, type DerElement, decodeDer, readObjectIdentifier, readSmallInteger } from '../../codec/der.ts'
import { type Certificate, decodeCertificate } from '../../trust/x509/certificate.ts'
import { TIME_STAMP } from '../limits.ts'

/** The signed content and its only signer. */
export type SignedData = {
  /** The encapsulated TSTInfo. */
  readonly content: Uint8Array<ArrayBuffer>
  readonly certificates: readonly Certificate[]
  readonly digestAlgorithms: readonly DerElement[]
  readonly signer: SignerInfo
}

export type SignerInfo = {
  /** The certificate among `certificates` that the signer identifier names. */
  readonly certificate: Certificate
  readonly digestAlgorithm: DerElement
  readonly signatureAlgorithm: DerElement
  readonly signature: Uint8Array<ArrayBuffer>
  /** The signed bytes: the attributes as a SET (§5.4). */
  readonly signedBytes: Uint8Array<ArrayBuffer>
  /** Value of each signed attribute, by its identifier. Each attribute has one value. */
  readonly attributes: ReadonlyMap<string, DerElement>
}

const SIGNED_DATA = '1.2.840.113549.1.7.2'
export const TST_INFO = '1.2.840.113549.1.9.16.1.4'
/** Identifier octets of the context tags `[0]` and `[1]`, constructed. */
const [CONTEXT_0, CONTEXT_1] = [0xa0, 0xa1]

/** Decodes a TimeStampToken; `undefined` if it has another form, or not exactly one signer. */
export function decodeSignedData(token: Uint8Array<ArrayBuffer>): SignedData | undefined {
  const [type, wrapper, ...rest] = sequence(decodeDer(token, TIME_STAMP.depth)) ?? []
  if (readObjectIdentifier(type) !== SIGNED_DATA || wrapper?.tag !== CONTEXT_0 || rest.length > 0)
    return undefined
  const [data, ...others] = wrapper.children
  const fields = [...(sequence(data) ?? [])]
  const [version, algorithms, encapsulated] = fields.splice(0, 3)
  // §5.1: version 3, because the content type is not `id-data`.
  if (version?.tag !== DER.integer || readSmallInteger(version) !== 3 || others.length > 0) return undefined
  if (algorithms?.tag !== DER.set) return undefined
  const content = readContent(encapsulated)
  const bag = fields[0]?.tag === CONTEXT_0 ? fields.shift() : undefined
  if (fields[0]?.tag === CONTEXT_1) fields.shift()
  const [signers, ...end] = fields
  const certificates = readCertificates(bag)
  if (content === undefined || certificates === undefined || end.length > 0) return undefined
  if (signers?.tag !== DER.set || signers.children.length !== 1) return undefined
  const signer = decodeSigner(signers.children[0], certificates)
  return signer && { content, certificates, digestAlgorithms: algorithms.children, signer }
}

function readContent(encapsulated: DerElement | undefined): Uint8Array<ArrayBuffer> | undefined {
  const [type, wrapper, ...rest] = sequence(encapsulated) ?? []
  if (readObjectIdentifier(type) !== TST_INFO || wrapper?.tag !== CONTEXT_0 || rest.length > 0)
    return undefined
  const [octets, ...others] = wrapper.children
  return octets?.tag === DER.octetString && others.length === 0 ? octets.content : undefined
}

function readCertificates(bag: DerElement | undefined): readonly Certificate[] | undefined {
  const elements = bag?.children ?? []
  if (elements.length > TIME_STAMP.certificates) return undefined
  const certificates = elements.map(({ encoded }) => decodeCertificate(encoded.slice()))
  return certificates.every((certificate) => certificate !== undefined) ? certificates : undefined
}

function decodeSigner(
  element: DerElement | undefined,
  certificates: readonly Certificate[],
): SignerInfo | undefined {
  const [version, identifier, digestAlgorithm, signed, signatureAlgorithm, signature, ...rest] =
    sequence(element) ?? []
  // §5.3: version 1, because issuer and serial number identify the signer.
  if (version?.tag !== DER.integer || readSmallInteger(version) !== 1) return undefined
  if (signed?.tag !== CONTEXT_0 || signature?.tag !== DER.octetString) return undefined
  if (digestAlgorithm?.tag !== DER.sequence || signatureAlgorithm?.tag !== DER.sequence) return undefined
  if (rest.length > 1 || rest.some(({ tag }) => tag !== CONTEXT_1)) return undefined
  const certificate = findSigner(identifier, certificates)
  const attributes = decodeAttributes(signed.children)
  if (certificate === undefined || attributes === undefined) return undefined
  const signedBytes = signed.encoded.slice()
  signedBytes[0] = DER.set
  const found = { certificate, digestAlgorithm, signatureAlgorithm, attributes, signedBytes }
  return { ...found, signature: signature.content }
}

/**
 * Finds the certificate whose issuer and serial number have the same bytes as in the identifier. Other forms
 * of the identifier are not supported.
 */
function findSigner(
  identifier: DerElement | undefined,
  certificates: readonly Certificate[],
): Certificate | undefined {
  const [name, serial, ...rest] = sequence(identifier) ?? []
  if (name?.tag !== DER.sequence || serial?.tag !== DER.integer || rest.length > 0) return undefined
  return certificates.find(
    (one) => equalBytes(one.serialNumber, serial.content) && equalBytes(one.issuer.encoded, name.encoded),
  )
}

/** Decodes the attributes; `undefined` if an attribute occurs twice, or does not have exactly one value. */
function decodeAttributes(elements: readonly DerElement[]): ReadonlyMap<string, DerElement> | undefined {
  const attributes = new Map<string, DerElement>()
  for (const element of elements) {
    const [type, values, ...rest] = sequence(element) ?? []
    const id = readObjectIdentifier(type)
    const [value, ...others] = values?.tag === DER.set ? values.children : []
    if (id === undefined || value === undefined || others.length + rest.length > 0 || attributes.has(id))
      return undefined
    attributes.set(id, value)
  }
  return attributes
}

/** Returns the elements of a SEQUENCE; `undefined` for any other element. */
export function sequence(element: DerElement | undefined): readonly DerElement[] | undefined {
  return element?.tag === DER.sequence ? element.children : undefined
}
