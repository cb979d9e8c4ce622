// A certificate revocation list (RFC 5280 §5), decoded from strict DER. Only a complete list of its issuer's
// own certificates is accepted, because any other list could lack a revocation. Nothing is verified here.

import { decodeBase64 } from '../../codec/base64url.ts'
import { decodeUtf8, encodeHex, equalBytes } from '../../codec/bytes.ts'
import {
  DER,
  type DerElement,
  decodeDer,
  isInteger,
  readBitString,
  readSmallInteger,
  readTime,
  splitDer,
} from '../../codec/der.ts'
import { CRL } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Certificate } from './certificate.ts'
import { type Extension, hasCriticalBeside, readExtensions } from './certificate-extensions.ts'
import type { SignedObject } from './certificate-signature.ts'
import { type DistinguishedName, decodeDistinguishedName } from './distinguished-name.ts'
import { type DistributionPoint, decodePointName, POINT_NAME } from './distribution-points.ts'

/** Content of a list. Times are Unix seconds. */
export type RevocationList = {
  readonly issuer: DistinguishedName
  readonly thisUpdate: number
  readonly nextUpdate: number | undefined
  readonly scope: CrlScope
  /**
   * Serial numbers in the form of `serialKey`. Certificates on hold are included, because they are not valid
   * now.
   */
  readonly revoked: ReadonlySet<string>
}

/** The certificates that a list covers (§5.2.5). */
type CrlScope = {
  /** URIs of the list's distribution point. `undefined` means that the list names none. */
  readonly point: DistributionPoint | undefined
  readonly only: 'authorities' | 'others' | undefined
}

/**
 * `unsupported`: the list is a delta or indirect list, covers only some reasons or only attribute
 * certificates, or has an unknown critical extension.
 */
export type CrlFormatError = 'too_large' | 'malformed' | 'unsupported'

/**
 * Decodes a list and its signed part. A list with too many bytes is `too_large`. A list with too many entries
 * is `malformed`.
 */
export function decodeCrl(
  published: Uint8Array<ArrayBuffer>,
): Result<{ readonly signed: SignedObject; readonly list: RevocationList }, CrlFormatError> {
  if (published.length > CRL.bytes) return err('too_large')
  const bytes = published[0] === HYPHEN ? fromPem(published) : published
  const [whole] = (bytes && splitDer(bytes, 1)) ?? []
  const [tbs, outer, signatureElement] = (whole && splitDer(whole.content, 3)) ?? []
  const signatureAlgorithm = outer && decodeDer(outer.encoded)
  const signature = readBitString(signatureElement)
  if (whole?.tag !== DER.sequence || tbs?.tag !== DER.sequence) return err('malformed')
  if (signatureAlgorithm?.tag !== DER.sequence || signature?.unusedBits !== 0) return err('malformed')
  const body = decodeBody(tbs)
  if (!body.ok) return body
  const { algorithm, ...list } = body.value
  // §5.1.1.2: the signed and the unsigned algorithm identifier are the same.
  if (!equalBytes(algorithm, signatureAlgorithm.encoded)) return err('malformed')
  return ok({ signed: { tbs: tbs.encoded, signatureAlgorithm, signature: signature.bytes }, list })
}

/** Returns a serial number in the form that `revoked` contains. */
export function serialKey(serialNumber: Certificate['serialNumber']): string {
  return encodeHex(serialNumber)
}

const HYPHEN = 0x2d
const PEM = /^-----BEGIN X509 CRL-----([^-]+)-----END X509 CRL-----\s*$/

/**
 * Returns the DER of a list in PEM (RFC 7468 §6); `undefined` if the text is malformed. RFC 5280 §4.2.1.13
 * requires DER, but some authorities of driving licences publish PEM.
 */
function fromPem(published: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  const [, text] = PEM.exec(decodeUtf8(published) ?? '') ?? []
  return text === undefined ? undefined : decodeBase64(text.replace(/\s+/g, ''))
}

const VERSION_2 = 1
const EXTENSIONS = 0xa0
const DELTA_CRL_INDICATOR = '2.5.29.27'
const ISSUING_DISTRIBUTION_POINT = '2.5.29.28'
const REASON_CODE = '2.5.29.21'

type Body = RevocationList & { readonly algorithm: Uint8Array<ArrayBuffer> }

/** TBSCertList (§5.1). A list of version 1 has no extensions and is accepted. */
function decodeBody(tbs: DerElement): Result<Body, CrlFormatError> {
  const fields = [...(splitDer(tbs.content, 7) ?? [])]
  const version = takeIf(fields, DER.integer)
  const [algorithm, issuerElement, thisElement] = fields.splice(0, 3)
  const nextElement = takeIf(fields, DER.utcTime, DER.generalizedTime)
  const entries = takeIf(fields, DER.sequence)
  const wrapper = takeIf(fields, EXTENSIONS)
  // The bytes are copied, because the cached content must not keep the whole list in memory.
  const issuer = decodeDistinguishedName(issuerElement && decodeDer(issuerElement.encoded.slice()))
  const thisUpdate = readTime(thisElement)
  const nextUpdate = readTime(nextElement)
  if (fields.length > 0 || algorithm === undefined || issuer === undefined) return err('malformed')
  if (thisUpdate === undefined || (nextElement !== undefined && nextUpdate === undefined))
    return err('malformed')
  if (version === undefined ? wrapper !== undefined : readSmallInteger(version) !== VERSION_2)
    return err('malformed')
  const extensions = decodeExtensions(wrapper)
  const scope = extensions === undefined ? err('malformed') : decodeScope(extensions)
  if (!scope.ok) return scope
  const revoked = decodeEntries(entries)
  if (!revoked.ok) return revoked
  const said = { issuer, thisUpdate, nextUpdate, scope: scope.value, revoked: revoked.value }
  return ok({ algorithm: algorithm.encoded, ...said })
}

function takeIf(fields: DerElement[], ...tags: readonly number[]): DerElement | undefined {
  const [first] = fields
  return first !== undefined && tags.includes(first.tag) ? fields.shift() : undefined
}

function decodeExtensions(wrapper: DerElement | undefined): ReadonlyMap<string, Extension> | undefined {
  if (wrapper === undefined) return readExtensions(undefined)
  const [list, ...rest] = decodeDer(wrapper.encoded)?.children ?? []
  return list?.tag === DER.sequence && rest.length === 0 ? readExtensions(list) : undefined
}

const KNOWN: ReadonlySet<string> = new Set([ISSUING_DISTRIBUTION_POINT])
const ENTRY_KNOWN: ReadonlySet<string> = new Set([REASON_CODE])

/**
 * Returns the certificates that a list covers. A delta list, or a list with an unknown critical extension, is
 * rejected (§5.2).
 */
function decodeScope(extensions: ReadonlyMap<string, Extension>): Result<CrlScope, CrlFormatError> {
  if (extensions.has(DELTA_CRL_INDICATOR) || hasCriticalBeside(extensions, KNOWN)) return err('unsupported')
  const place = extensions.get(ISSUING_DISTRIBUTION_POINT)
  return place === undefined ? ok({ point: undefined, only: undefined }) : decodePlace(place.value)
}

const ONLY: ReadonlyMap<number, CrlScope['only']> = new Map([
  [0x81, 'others'],
  [0x82, 'authorities'],
])

/** IssuingDistributionPoint (§5.2.5). */
function decodePlace(value: Uint8Array<ArrayBuffer>): Result<CrlScope, CrlFormatError> {
  const place = decodeDer(value)
  if (place?.tag !== DER.sequence) return err('malformed')
  const parts = [...place.children]
  const name = takeIf(parts, POINT_NAME)
  const [limit, ...rest] = parts
  const point = name && decodePointName(name)
  if (name !== undefined && point === undefined) return err('malformed')
  if (limit === undefined) return ok({ point, only: undefined })
  const only = ONLY.get(limit.tag)
  // All other fields of IssuingDistributionPoint are refused. They mark lists for some reasons only, indirect
  // lists, and lists of attribute certificates.
  if (only === undefined || rest.length > 0) return err('unsupported')
  return limit.content.length === 1 && limit.content[0] === 0xff ? ok({ point, only }) : err('malformed')
}

function decodeEntries(element: DerElement | undefined): Result<ReadonlySet<string>, CrlFormatError> {
  const revoked = new Set<string>()
  const entries = element === undefined ? [] : splitDer(element.content, CRL.entries)
  if (entries === undefined) return err('malformed')
  for (const { encoded } of entries) {
    const serialNumber = decodeEntry(encoded)
    if (!serialNumber.ok) return serialNumber
    revoked.add(serialKey(serialNumber.value))
  }
  return ok(revoked)
}

/**
 * Returns the serial number of an entry (§5.3). The date has no effect: the certificate was already revoked
 * when the list was made.
 */
function decodeEntry(encoded: Uint8Array<ArrayBuffer>): Result<Certificate['serialNumber'], CrlFormatError> {
  const entry = decodeDer(encoded)
  const [serialNumber, date, list, ...rest] = entry?.children ?? []
  if (entry?.tag !== DER.sequence || rest.length > 0) return err('malformed')
  if (serialNumber === undefined || !isInteger(serialNumber)) return err('malformed')
  if (readTime(date) === undefined || (list !== undefined && list.tag !== DER.sequence))
    return err('malformed')
  const extensions = readExtensions(list)
  if (extensions === undefined) return err('malformed')
  // This rejects certificateIssuer, for example, which is critical and occurs only in indirect lists.
  if (hasCriticalBeside(extensions, ENTRY_KNOWN)) return err('unsupported')
  const reason = extensions.get(REASON_CODE)
  return reason === undefined || isReason(reason.value) ? ok(serialNumber.content) : err('malformed')
}

/**
 * Returns whether a reason code is allowed (§5.3.1). `removeFromCRL` (8) is not allowed in a complete list,
 * and 7 is not assigned.
 */
function isReason(value: Uint8Array<ArrayBuffer>): boolean {
  const code = decodeDer(value)
  const number = code?.tag === DER.enumerated ? readSmallInteger(code) : undefined
  return number !== undefined && number <= 10 && number !== 7 && number !== 8
}
