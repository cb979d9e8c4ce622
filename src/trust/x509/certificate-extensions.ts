// Certificate extensions that have an effect here (RFC 5280 §4.2.1). Any other extension is allowed, unless
// it is critical.

import { decodeEach } from '../../codec/decode-each.ts'
import {
  DER,
  type DerElement,
  decodeDer,
  readBitString,
  readBoolean,
  readObjectIdentifier,
  readSmallInteger,
} from '../../codec/der.ts'
import { CERTIFICATE } from '../../limits.ts'
import { decodeGeneralName, type GeneralName } from './general-name.ts'
import { decodeNameConstraints, type NameConstraints } from './name-constraints.ts'

/** Extensions of a certificate. An absent extension is `undefined`. */
export type CertificateExtensions = {
  readonly basicConstraints: BasicConstraints | undefined
  readonly keyUsage: KeyUsage | undefined
  readonly extendedKeyUsage: readonly string[] | undefined
  /** True if the extended key usage is critical, as a time-stamping authority needs (RFC 3161 §2.3). */
  readonly isUsageCritical: boolean
  readonly subjectAltNames: readonly GeneralName[]
  readonly nameConstraints: NameConstraints | undefined
  /** The KeyIdentifier of AuthorityKeyIdentifier (§4.2.1.1), if present. */
  readonly authorityKeyIdentifier: Uint8Array<ArrayBuffer> | undefined
  /**
   * The encoded value of CRLDistributionPoints (§4.2.1.13). The value has an effect only if revocation is
   * checked.
   */
  readonly crlDistributionPoints: Uint8Array<ArrayBuffer> | undefined
  /** The encoded value of Google Wallet's extension, which has an effect only for that wallet. */
  readonly googleMetadataDigest: Uint8Array<ArrayBuffer> | undefined
  /** True if a critical extension is not processed. The certificate is then rejected (RFC 5280 §4.2). */
  readonly hasUnknownCritical: boolean
}

type BasicConstraints = { readonly ca: boolean; readonly pathLength: number | undefined }

type KeyUsage = {
  readonly digitalSignature: boolean
  /** contentCommitment, formerly called nonRepudiation: the signer commits to the signed content. */
  readonly contentCommitment: boolean
  readonly keyCertSign: boolean
  readonly cRLSign: boolean
}

/** Decodes `Extensions`; `undefined` if an extension is malformed or occurs twice (§4.2). */
export function decodeExtensions(list: DerElement | undefined): CertificateExtensions | undefined {
  const extensions = readExtensions(list)
  return extensions && interpret(extensions)
}

/**
 * Returns the extensions of a certificate, a revocation list or an entry of a list, by identifier. Returns
 * `undefined` if an extension is malformed or occurs twice.
 */
export function readExtensions(list: DerElement | undefined): ReadonlyMap<string, Extension> | undefined {
  const extensions = new Map<string, Extension>()
  for (const element of list?.children ?? []) {
    const extension = decodeExtension(element)
    if (extension === undefined || extensions.has(extension.id)) return undefined
    extensions.set(extension.id, extension)
  }
  return extensions
}

/** Returns whether there is a critical extension that `known` does not contain. */
export function hasCriticalBeside(
  extensions: ReadonlyMap<string, Extension>,
  known: ReadonlySet<string>,
): boolean {
  return [...extensions.values()].some(({ id, critical }) => critical && !known.has(id))
}

const BASIC_CONSTRAINTS = '2.5.29.19'
const KEY_USAGE = '2.5.29.15'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const SUBJECT_ALT_NAME = '2.5.29.17'
const NAME_CONSTRAINTS = '2.5.29.30'
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35'
/**
 * This extension is not in `KNOWN`, so a certificate is rejected if the extension is critical. The standard
 * does not require the extension to be critical.
 */
const CRL_DISTRIBUTION_POINTS = '2.5.29.31'
/**
 * Extension of Google Wallet: the SHA-256 of the metadata that the wallet shows about a relying party. The
 * extension is never critical.
 */
const GOOGLE_METADATA_DIGEST = '1.3.6.1.4.1.11129.10.1'
const KNOWN: ReadonlySet<string> = new Set([
  BASIC_CONSTRAINTS,
  KEY_USAGE,
  EXTENDED_KEY_USAGE,
  SUBJECT_ALT_NAME,
  NAME_CONSTRAINTS,
  AUTHORITY_KEY_IDENTIFIER,
])

/** Bits of KeyUsage in its first octet (§4.2.1.3). */
const DIGITAL_SIGNATURE = 0x80
const CONTENT_COMMITMENT = 0x40
const KEY_CERT_SIGN = 0x04
const CRL_SIGN = 0x02

export type Extension = {
  readonly id: string
  readonly critical: boolean
  readonly value: Uint8Array<ArrayBuffer>
}

function decodeExtension(element: DerElement): Extension | undefined {
  const parts = element.children
  const id = readObjectIdentifier(parts[0])
  // An explicit FALSE is not DER. Such a value is accepted, because it is signed, unambiguous and common.
  const critical = parts.length === 3 ? readBoolean(parts[1]) : false
  const value = parts.at(-1)
  if (element.tag !== DER.sequence || parts.length < 2 || parts.length > 3) return undefined
  if (id === undefined || critical === undefined || value?.tag !== DER.octetString) return undefined
  return { id, critical, value: value.content }
}

function interpret(extensions: ReadonlyMap<string, Extension>): CertificateExtensions | undefined {
  const read = <T>(id: string, decode: (value: DerElement) => T | undefined): T | undefined | 'malformed' => {
    const extension = extensions.get(id)
    if (extension === undefined) return undefined
    const value = decodeDer(extension.value)
    return (value && decode(value)) ?? 'malformed'
  }
  const basicConstraints = read(BASIC_CONSTRAINTS, decodeBasicConstraints)
  const keyUsage = read(KEY_USAGE, decodeKeyUsage)
  const extendedKeyUsage = read(EXTENDED_KEY_USAGE, decodeExtendedKeyUsage)
  const subjectAltNames = read(SUBJECT_ALT_NAME, decodeSubjectAltName) ?? []
  const nameConstraints = read(NAME_CONSTRAINTS, (value) =>
    value.tag === DER.sequence ? decodeNameConstraints(value) : undefined,
  )
  const authorityKey = read(AUTHORITY_KEY_IDENTIFIER, decodeAuthorityKeyIdentifier)
  if (basicConstraints === 'malformed' || keyUsage === 'malformed') return undefined
  if (extendedKeyUsage === 'malformed' || subjectAltNames === 'malformed') return undefined
  if (nameConstraints === 'malformed' || authorityKey === 'malformed') return undefined
  return {
    basicConstraints,
    keyUsage,
    extendedKeyUsage,
    isUsageCritical: extensions.get(EXTENDED_KEY_USAGE)?.critical ?? false,
    subjectAltNames,
    nameConstraints,
    authorityKeyIdentifier: authorityKey?.keyIdentifier,
    crlDistributionPoints: extensions.get(CRL_DISTRIBUTION_POINTS)?.value,
    googleMetadataDigest: extensions.get(GOOGLE_METADATA_DIGEST)?.value,
    hasUnknownCritical: hasCriticalBeside(extensions, KNOWN),
  }
}

function decodeBasicConstraints(value: DerElement): BasicConstraints | undefined {
  if (value.tag !== DER.sequence) return undefined
  const parts = [...value.children]
  const ca = parts[0]?.tag === DER.boolean ? readBoolean(parts.shift()) : false
  const length = parts.shift()
  if (ca === undefined || parts.length > 0) return undefined
  if (length === undefined) return { ca, pathLength: undefined }
  const pathLength = length.tag === DER.integer ? readSmallInteger(length) : undefined
  return pathLength === undefined ? undefined : { ca, pathLength }
}

function decodeKeyUsage(value: DerElement): KeyUsage | undefined {
  const bits = readBitString(value)
  if (bits === undefined || bits.bytes.length === 0 || bits.bytes.length > 2) return undefined
  const [first = 0] = bits.bytes
  return {
    digitalSignature: (first & DIGITAL_SIGNATURE) !== 0,
    contentCommitment: (first & CONTENT_COMMITMENT) !== 0,
    keyCertSign: (first & KEY_CERT_SIGN) !== 0,
    cRLSign: (first & CRL_SIGN) !== 0,
  }
}

function decodeExtendedKeyUsage(value: DerElement): readonly string[] | undefined {
  return value.tag === DER.sequence ? decodeEach(value.children, readObjectIdentifier) : undefined
}

function decodeSubjectAltName(value: DerElement): readonly GeneralName[] | undefined {
  if (value.tag !== DER.sequence) return undefined
  return decodeEach(value.children, decodeGeneralName, CERTIFICATE.generalNames)
}

/**
 * Decodes AuthorityKeyIdentifier. `keyIdentifier` is `undefined` if the extension names the issuer's key by
 * issuer name and serial number.
 */
function decodeAuthorityKeyIdentifier(
  value: DerElement,
): { readonly keyIdentifier: Uint8Array<ArrayBuffer> | undefined } | undefined {
  if (value.tag !== DER.sequence) return undefined
  return { keyIdentifier: value.children.find(({ tag }) => tag === KEY_IDENTIFIER)?.content }
}

/** `[0] IMPLICIT KeyIdentifier`. */
const KEY_IDENTIFIER = 0x80
