// Who may have signed an MSO (ISO/IEC 18013-5 §9.3.3 and Annex B.1.4): the leaf of `x5chain`, pinned or below an anchored
// authority, with the extended key usage of mdoc signers where the document is a mobile driving licence.

import { isJsonObject, type JsonObject, member } from '../../codec/json.ts'
import { err, ok, type Result } from '../../result.ts'
import type { TrustAnchor } from '../../trust/anchor.ts'
import { type Certificate, decodeCertificate } from '../../trust/certificate.ts'
import { attributeValues } from '../../trust/distinguished-name.ts'
import { resolveSigner } from '../../trust/resolve-signer.ts'
import type { TrustedSigner } from '../../trust/signer.ts'
import type { Context, CredentialType, Rejection } from '../format.ts'
import type { DecodedIssuerSigned } from './issuer-signed.ts'

/** A trusted document signer and its certificate. */
export type DocumentSigner = TrustedSigner & { readonly certificate: Certificate }

const DRIVING_LICENCE = {
  docType: 'org.iso.18013.5.1.mDL',
  nameSpace: 'org.iso.18013.5.1',
  extendedKeyUsage: '1.0.18013.5.1.2',
} as const

/** Finds the document signer an anchor vouches for. Only certificates can: an mdoc names no issuer besides. */
export async function resolveDocumentSigner(
  { chain, issuerAuth, mso }: DecodedIssuerSigned,
  credentialType: CredentialType,
  { now, anchors, fetchResource }: Context,
): Promise<Result<DocumentSigner, Rejection>> {
  const [leaf] = chain ?? []
  const certificate = leaf && decodeCertificate(leaf)
  if (chain === undefined || certificate === undefined) return err({ reason: 'malformed_certificate_chain' })
  const signers = await resolveSigner(
    { iss: undefined, kid: undefined, chain, algorithm: issuerAuth.algorithm.name },
    {
      now,
      anchors: anchors.map((anchor) => withSignerUsage(anchor, mso.docType)),
      fetchResource,
      credentialType,
      purpose: 'issuer',
    },
  )
  if (!signers.ok) return signers
  const [signer] = signers.value
  return signer === undefined ? err({ reason: 'untrusted_issuer' }) : ok({ ...signer, certificate })
}

/** Annex B.1.4: a licence's signer is certified for that. What the anchor itself demands comes first. */
function withSignerUsage(anchor: TrustAnchor, docType: string): TrustAnchor {
  if (docType !== DRIVING_LICENCE.docType || anchor.eku !== undefined) return anchor
  return { ...anchor, eku: [DRIVING_LICENCE.extendedKeyUsage] }
}

const ISSUING = [
  { element: 'issuing_country', attribute: '2.5.4.6' },
  { element: 'issuing_jurisdiction', attribute: '2.5.4.8' },
] as const

/**
 * The first element that says a licence was issued elsewhere than its signer's certificate says (§9.3.1). An element that is
 * not disclosed, or an attribute the certificate has not got, says nothing.
 */
export function contradictedElement(
  docType: string,
  claims: JsonObject,
  { subject }: Certificate,
): string | undefined {
  const elements = docType === DRIVING_LICENCE.docType ? member(claims, DRIVING_LICENCE.nameSpace) : undefined
  if (!isJsonObject(elements)) return undefined
  return ISSUING.find(({ element, attribute }) => {
    const claimed = member(elements, element)
    const certified = attributeValues(subject, attribute)
    return claimed !== undefined && certified.length > 0 && !certified.some((value) => value === claimed)
  })?.element
}
