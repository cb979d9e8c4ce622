// Verification of the signature of a trusted list in XML (ETSI TS 119 612 §5.7.1). The order of the checks:
// form, algorithms, signer, digests, signature. The signature is verified over the same tree that is read.

import { encodeBase64 } from '../../codec/base64url.ts'
import { equalBytes } from '../../codec/bytes.ts'
import { readDateTime } from '../../codec/date-time.ts'
import { digest, sha256 } from '../../crypto/digest.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Certificate } from '../x509/certificate.ts'
import { anchorCertificates, encodePem } from '../x509/pem-certificates.ts'
import { type Digest, type EnvelopedSignature, readSignature } from '../xml/enveloped-signature.ts'
import { canonicalize } from '../xml/exclusive-c14n.ts'
import { descend, isNamed, readText } from '../xml/reading.ts'
import { verifyXmlSignature } from '../xml/signature-methods.ts'
import { parseXml, type XmlElement } from '../xml/xml-tree.ts'
import type { TrustListError } from './listed.ts'
import { tl } from './tl-scheme.ts'

/** A list whose signature is verified. The content of the list is not checked yet. */
export type SignedXmlList = {
  readonly root: XmlElement
  /**
   * SHA-256 of the signed document, in base64. The digest is the same if the same content is signed again.
   */
  readonly contentDigest: string
  /** The certificate that signed the list, as PEM. */
  readonly signer: string
}

/**
 * Verifies that one of the pinned certificates signed a list. `signers` are PEM texts with one certificate
 * each. A pinned certificate that expired after the list was issued is still accepted.
 */
export async function verifyXmlList(
  body: Uint8Array,
  signers: readonly string[],
): Promise<Result<SignedXmlList, TrustListError>> {
  const parsed = parseXmlList(body)
  return parsed.ok ? verifyXmlTree(parsed.value, signers) : parsed
}

/** Verifies the signature of a parsed list, as `verifyXmlList` does. */
export async function verifyXmlTree(
  root: XmlElement,
  signers: readonly string[],
): Promise<Result<SignedXmlList, TrustListError>> {
  const signature = readSignature(root)
  if (!signature.ok) return signature
  const signer = findSigner(signature.value, signers)
  if (signer === undefined) return err('untrusted_signer')
  const issued = readDateTime(readText(descend(root, tl('SchemeInformation'), tl('ListIssueDateTime'))) ?? '')
  if (issued !== undefined && issued > signer.notAfter) return err('certificate_expired')
  return checkSignature(root, signature.value, signer)
}

/** Parses a list, and checks the name of its root. Nothing is verified. */
export function parseXmlList(body: Uint8Array): Result<XmlElement, 'too_large' | 'malformed'> {
  const parsed = parseXml(body)
  if (!parsed.ok) return parsed
  return isNamed(parsed.value, tl('TrustServiceStatusList')) ? parsed : err('malformed')
}

/** Returns the pinned certificate that equals the certificate of the signature byte for byte. */
function findSigner(
  { certificate }: EnvelopedSignature,
  signers: readonly string[],
): Certificate | undefined {
  return signers
    .flatMap((pem) => anchorCertificates(pem).slice(0, 1))
    .find(({ encoded }) => equalBytes(encoded, certificate))
}

async function checkSignature(
  root: XmlElement,
  signature: EnvelopedSignature,
  { encoded, subjectKey }: Certificate,
): Promise<Result<SignedXmlList, TrustListError>> {
  const { element, method, signedInfo, signedProperties, value } = signature
  if (subjectKey?.type !== method.type) return err('unsupported_algorithm')
  if (!(await hasDigest(encoded, signature.certificateDigest))) return err('malformed')
  const document = canonicalize(root, element)
  const isSigned =
    (await hasDigest(document, signature.documentDigest)) &&
    (await hasDigest(canonicalize(signedProperties), signature.propertiesDigest)) &&
    (await verifyXmlSignature(method, subjectKey, { signature: value, data: canonicalize(signedInfo) }))
  if (!isSigned) return err('invalid_signature')
  return ok({ root, contentDigest: encodeBase64(await sha256(document)), signer: encodePem(encoded) })
}

async function hasDigest(data: Uint8Array<ArrayBuffer>, { hash, value }: Digest): Promise<boolean> {
  return equalBytes(await digest(hash, data), value)
}
