// X.509 v3 certificates (RFC 5280 §4.1), decoded once from strict DER. Nothing is verified here (see
// certificate-path.ts).

import { equalBytes } from '../../codec/bytes.ts'
import {
  DER,
  type DerElement,
  decodeDer,
  isInteger,
  readBitString,
  readSmallInteger,
  readTime,
} from '../../codec/der.ts'
import { CERTIFICATE } from '../../limits.ts'
import { type CertificateExtensions, decodeExtensions } from './certificate-extensions.ts'
import { type DistinguishedName, decodeDistinguishedName, isSameName } from './distinguished-name.ts'
import { decodeSubjectKey, type SubjectKey } from './subject-key.ts'

/** A decoded certificate. */
export type Certificate = {
  readonly encoded: Uint8Array<ArrayBuffer>
  /** The signed bytes. */
  readonly tbs: Uint8Array<ArrayBuffer>
  /** AlgorithmIdentifier of the signature. */
  readonly signatureAlgorithm: DerElement
  readonly signature: Uint8Array<ArrayBuffer>
  /** The octets of the INTEGER. */
  readonly serialNumber: Uint8Array<ArrayBuffer>
  readonly issuer: DistinguishedName
  readonly subject: DistinguishedName
  /** Unix seconds, both inclusive (§4.1.2.5). */
  readonly notBefore: number
  readonly notAfter: number
  /** SubjectPublicKeyInfo as encoded. */
  readonly subjectPublicKeyInfo: Uint8Array<ArrayBuffer>
  /** `undefined` for a key that is too weak or of an unknown kind. */
  readonly subjectKey: SubjectKey | undefined
  readonly extensions: CertificateExtensions
}

/** Decodes one certificate. Returns `undefined` if the bytes are not strict DER or exceed the limit. */
export function decodeCertificate(bytes: Uint8Array<ArrayBuffer>): Certificate | undefined {
  if (bytes.length > CERTIFICATE.bytes) return undefined
  const certificate = decodeDer(bytes)
  if (certificate?.tag !== DER.sequence || certificate.children.length !== 3) return undefined
  const [tbs, signatureAlgorithm, signatureElement] = certificate.children
  const signature = readBitString(signatureElement)
  if (tbs === undefined || signatureAlgorithm?.tag !== DER.sequence || signature?.unusedBits !== 0)
    return undefined
  const body = decodeBody(tbs)
  // §4.1.1.2: the signed and the unsigned algorithm identifier are the same.
  if (body === undefined || !equalBytes(body.innerAlgorithm, signatureAlgorithm.encoded)) return undefined
  const { innerAlgorithm: _, ...rest } = body
  return { encoded: bytes, tbs: tbs.encoded, signatureAlgorithm, signature: signature.bytes, ...rest }
}

/** Returns whether the certificate names itself as its issuer (§3.2 "self-issued"). */
export function isSelfIssued(certificate: Certificate): boolean {
  return isSameName(certificate.subject, certificate.issuer)
}

const VERSION = 0xa0
const UNIQUE_IDENTIFIERS: ReadonlySet<number> = new Set([0x81, 0x82])
const EXTENSIONS = 0xa3
const VERSION_3 = 2

type Body = Omit<Certificate, 'encoded' | 'tbs' | 'signatureAlgorithm' | 'signature'> & {
  readonly innerAlgorithm: Uint8Array<ArrayBuffer>
}

function decodeBody(tbs: DerElement): Body | undefined {
  const fields = [...tbs.children]
  const version = fields[0]?.tag === VERSION ? readVersion(fields.shift()) : 0
  const [serial, algorithm, issuerElement, validity, subjectElement, spki, ...optional] = fields
  const issuer = decodeDistinguishedName(issuerElement)
  const subject = decodeDistinguishedName(subjectElement)
  const notBefore = readTime(validity?.children[0])
  const notAfter = readTime(validity?.children[1])
  if (tbs.tag !== DER.sequence || version === undefined || serial === undefined || !isSerial(serial))
    return undefined
  if (algorithm === undefined || issuer === undefined || subject === undefined) return undefined
  if (issuer.rdns.length === 0) return undefined // §4.1.2.4: issuers have a name
  if (validity?.tag !== DER.sequence || validity.children.length !== 2) return undefined
  if (notBefore === undefined || notAfter === undefined || spki?.tag !== DER.sequence) return undefined
  const extensions = decodeOptional(optional, version)
  if (extensions === undefined) return undefined
  return {
    innerAlgorithm: algorithm.encoded,
    serialNumber: serial.content,
    issuer,
    subject,
    notBefore,
    notAfter,
    subjectPublicKeyInfo: spki.encoded,
    subjectKey: decodeSubjectKey(spki),
    extensions,
  }
}

function readVersion(element: DerElement | undefined): number | undefined {
  const [number, ...rest] = element?.children ?? []
  if (number?.tag !== DER.integer || rest.length > 0) return undefined
  const version = readSmallInteger(number)
  return version !== undefined && version <= VERSION_3 ? version : undefined
}

/**
 * Returns whether an element is a serial number: an integer of at most 20 octets, with one more octet for the
 * sign (§4.1.2.2).
 */
function isSerial(element: DerElement): boolean {
  return isInteger(element) && element.content.length <= 21
}

/**
 * Decodes the optional fields. Unique identifiers are skipped. Only version 3 may have extensions (§4.1.2.9).
 */
function decodeOptional(fields: readonly DerElement[], version: number): CertificateExtensions | undefined {
  const tags = fields.map((field) => field.tag)
  const ordered = tags.every((tag, i) => i === 0 || tag > (tags[i - 1] ?? 0))
  if (!ordered || tags.some((tag) => tag !== EXTENSIONS && !UNIQUE_IDENTIFIERS.has(tag))) return undefined
  const wrapper = fields.find((field) => field.tag === EXTENSIONS)
  if (wrapper === undefined) return decodeExtensions(undefined)
  const [list, ...rest] = wrapper.children
  if (version !== VERSION_3 || list?.tag !== DER.sequence || rest.length > 0) return undefined
  return decodeExtensions(list)
}
