// The one form of signature that trusted lists have (ETSI TS 119 612 §5.7.1, Annex B; XAdES baseline B): one
// `ds:Signature` as the last child of the root, with one reference to the document and one to its
// `SignedProperties`. Anything else is refused.

import { decodeBase64 } from '../../codec/base64url.ts'
import type { HashName } from '../../crypto/digest.ts'
import { err, ok, type Result } from '../../result.ts'
import {
  childElements,
  descend,
  isNamed,
  onlyChild,
  readAttribute,
  readText,
  type XmlName,
} from './reading.ts'
import { digestMethod, type SignatureMethod, signatureMethod } from './signature-methods.ts'
import type { XmlElement } from './xml-tree.ts'

/** The parts of a signature. Nothing is verified. */
export type EnvelopedSignature = {
  readonly element: XmlElement
  readonly signedInfo: XmlElement
  readonly signedProperties: XmlElement
  readonly method: SignatureMethod
  readonly value: Uint8Array<ArrayBuffer>
  /** DER of the first certificate of `KeyInfo`. */
  readonly certificate: Uint8Array<ArrayBuffer>
  /** Digest of the document without the signature, and of `SignedProperties`. */
  readonly documentDigest: Digest
  readonly propertiesDigest: Digest
  /** Digest of the signer's certificate in `SigningCertificate` or `SigningCertificateV2`. */
  readonly certificateDigest: Digest
}

export type Digest = { readonly hash: HashName; readonly value: Uint8Array<ArrayBuffer> }

export type SignatureFormError = 'malformed' | 'unsupported_algorithm'

const DSIG = 'http://www.w3.org/2000/09/xmldsig#'
const XADES = 'http://uri.etsi.org/01903/v1.3.2#'
const FILTER2 = 'http://www.w3.org/2002/06/xmldsig-filter2'
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const ENVELOPED = `${DSIG}enveloped-signature`
const SIGNED_PROPERTIES = 'http://uri.etsi.org/01903#SignedProperties'

const ds = (local: string): XmlName => [DSIG, local]
const xades = (local: string): XmlName => [XADES, local]

/** Returns the signature of a document. `root` is its root element. */
export function readSignature(root: XmlElement): Result<EnvelopedSignature, SignatureFormError> {
  const element = childElements(root).at(-1)
  if (element === undefined || !isNamed(element, ds('Signature')) || countSignatures(root) !== 1)
    return err('malformed')
  const [signedInfo, valueElement, keyInfo, object, ...others] = childElements(element)
  const isWhole =
    isA(signedInfo, 'SignedInfo') &&
    isA(valueElement, 'SignatureValue') &&
    isA(keyInfo, 'KeyInfo') &&
    isA(object, 'Object')
  if (!isWhole || others.length > 0) return err('malformed')
  const signedProperties = findSignedProperties(element, object)
  const info = readSignedInfo(signedInfo, readAttribute(signedProperties, 'Id'))
  if (!info.ok) return info
  const certificate = decodeContent(firstCertificate(keyInfo))
  const value = decodeContent(valueElement)
  if (signedProperties === undefined || certificate === undefined || value === undefined)
    return err('malformed')
  const certificateDigest = readCertificateDigest(signedProperties)
  if (!certificateDigest.ok) return certificateDigest
  return ok({
    element,
    signedInfo,
    signedProperties,
    value,
    certificate,
    certificateDigest: certificateDigest.value,
    ...info.value,
  })
}

function isA(element: XmlElement | undefined, local: string): element is XmlElement {
  return element !== undefined && isNamed(element, ds(local))
}

function countSignatures(element: XmlElement): number {
  const own = isNamed(element, ds('Signature')) ? 1 : 0
  return childElements(element).reduce((sum, child) => sum + countSignatures(child), own)
}

/** Returns the `SignedProperties` below this signature, if they name this signature as their target. */
function findSignedProperties(signature: XmlElement, object: XmlElement): XmlElement | undefined {
  const properties = descend(object, xades('QualifyingProperties'))
  const id = readAttribute(signature, 'Id')
  if (id === undefined || readAttribute(properties, 'Target') !== `#${id}`) return undefined
  return onlyChild(properties, xades('SignedProperties'))
}

function firstCertificate(keyInfo: XmlElement): XmlElement | undefined {
  const [data] = childElements(keyInfo).filter((child) => isNamed(child, ds('X509Data')))
  return data && childElements(data).find((child) => isNamed(child, ds('X509Certificate')))
}

type SignedInfo = Pick<EnvelopedSignature, 'method' | 'documentDigest' | 'propertiesDigest'>

/** Reads `SignedInfo`: its algorithms, and the two references in either order. */
function readSignedInfo(
  signedInfo: XmlElement,
  propertiesId: string | undefined,
): Result<SignedInfo, SignatureFormError> {
  const [canonicalization, methodElement, first, second, ...others] = childElements(signedInfo)
  const method = signatureMethod(readAlgorithm(methodElement, 'SignatureMethod'))
  if (readAlgorithm(canonicalization, 'CanonicalizationMethod') !== EXCLUSIVE || method === undefined)
    return err('unsupported_algorithm')
  if (first === undefined || second === undefined || others.length > 0) return err('unsupported_algorithm')
  const references = [first, second].map(readReference)
  const document = references.find((reference) => reference?.target === '')
  const properties = references.find((reference) => reference?.target === SIGNED_PROPERTIES)
  if (document === undefined || properties === undefined) return err('unsupported_algorithm')
  if (propertiesId === undefined || properties.uri !== `#${propertiesId}`) return err('malformed')
  return ok({ method, documentDigest: document.digest, propertiesDigest: properties.digest })
}

/** `target`: empty for the document, or the type of the reference to `SignedProperties`. */
type Reference = { readonly target: string; readonly uri: string; readonly digest: Digest }

/**
 * Reads a reference. Returns `undefined` if its target is neither the document nor `SignedProperties`, or if
 * its form is not accepted.
 */
function readReference(reference: XmlElement): Reference | undefined {
  const [transforms, methodElement, valueElement, ...others] = childElements(reference)
  const uri = readAttribute(reference, 'URI')
  if (!isA(reference, 'Reference') || others.length > 0 || uri === undefined) return undefined
  if (!isA(transforms, 'Transforms') || !isA(valueElement, 'DigestValue')) return undefined
  const hash = digestMethod(readAlgorithm(methodElement, 'DigestMethod'))
  const value = decodeContent(valueElement)
  if (hash === undefined || value === undefined) return undefined
  const steps = childElements(transforms)
  const last = steps.at(-1)
  if (last === undefined || readAlgorithm(last, 'Transform') !== EXCLUSIVE) return undefined
  const digest = { hash, value }
  if (uri === '')
    return steps.length === 2 && removesSignature(steps[0]) ? { target: '', uri, digest } : undefined
  const isProperties = readAttribute(reference, 'Type') === SIGNED_PROPERTIES && steps.length === 1
  return isProperties ? { target: SIGNED_PROPERTIES, uri, digest } : undefined
}

/**
 * Returns whether a transform leaves out the signature: `enveloped-signature`, or the one filter of XPath
 * Filter 2.0 with the same effect. A document has one signature, so both leave out the same element.
 */
function removesSignature(transform: XmlElement | undefined): boolean {
  if (transform === undefined || !isA(transform, 'Transform')) return false
  if (readAlgorithm(transform, 'Transform') === ENVELOPED) return true
  const [filter, ...others] = childElements(transform)
  return (
    readAttribute(transform, 'Algorithm') === FILTER2 &&
    filter !== undefined &&
    others.length === 0 &&
    isNamed(filter, [FILTER2, 'XPath']) &&
    readAttribute(filter, 'Filter') === 'subtract' &&
    readText(filter) === '/descendant::ds:Signature' &&
    // `ds` in the expression must mean the namespace of the transform. So the transform must have the prefix
    // `ds`, and the filter must not declare `ds` again.
    transform.prefix === 'ds' &&
    !(filter.declared ?? []).includes('ds')
  )
}

/**
 * Returns the `Algorithm` of an element without content; `undefined` if the element has content or another
 * name. So parameters such as `InclusiveNamespaces` are refused.
 */
function readAlgorithm(element: XmlElement | undefined, local: string): string | undefined {
  return isA(element, local) && readText(element) === '' ? readAttribute(element, 'Algorithm') : undefined
}

/**
 * Reads `SigningCertificate` or `SigningCertificateV2`. Both together are refused (ETSI EN 319 132-1 §5.2.2).
 */
function readCertificateDigest(signedProperties: XmlElement): Result<Digest, SignatureFormError> {
  const properties = onlyChild(signedProperties, xades('SignedSignatureProperties'))
  const [attribute, ...others] = ['SigningCertificate', 'SigningCertificateV2'].flatMap((local) =>
    properties === undefined ? [] : childElements(properties).filter((child) => isNamed(child, xades(local))),
  )
  const cert = attribute && childElements(attribute).find((child) => isNamed(child, xades('Cert')))
  const digest = onlyChild(cert, xades('CertDigest'))
  const value = decodeContent(onlyChild(digest, ds('DigestValue')))
  if (others.length > 0 || value === undefined) return err('malformed')
  const hash = digestMethod(readAlgorithm(onlyChild(digest, ds('DigestMethod')), 'DigestMethod'))
  return hash === undefined ? err('unsupported_algorithm') : ok({ hash, value })
}

/** Decodes the base64 in an element. White space between its characters is skipped (XML Schema §3.2.16). */
export function decodeContent(element: XmlElement | undefined): Uint8Array<ArrayBuffer> | undefined {
  const text = readText(element)
  return text === undefined || text === '' ? undefined : decodeBase64(text.replace(/[ \t\r\n]+/g, ''))
}
