// Finds the signer of an MSO (ISO/IEC 18013-5 §9.3.3 and Annex B.1.4). The signer is the leaf of `x5chain`.
// An anchor pins the leaf, or contains an authority above it. A mobile driving licence has further rules on
// extended key usage and on the country of the authority.

import { isJsonObject, type JsonObject, member } from '../../codec/json.ts'
import { err, ok, type Result } from '../../result.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import { resolveSigner } from '../../trust/anchors/resolve-signer.ts'
import type { TrustedSigner } from '../../trust/anchors/signer.ts'
import { type Certificate, decodeCertificate } from '../../trust/x509/certificate.ts'
import { cachedCertificate } from '../../trust/x509/certificate-cache.ts'
import { attributeValues, type DistinguishedName } from '../../trust/x509/distinguished-name.ts'
import type { Context, CredentialType, PresentationRefusal } from '../verification/format.ts'
import type { DecodedIssuerSigned } from './issuer-signed.ts'

/** A trusted document signer and its certificate. */
export type DocumentSigner = TrustedSigner & { readonly certificate: Certificate }

const DRIVING_LICENCE = {
  docType: 'org.iso.18013.5.1.mDL',
  nameSpace: 'org.iso.18013.5.1',
  extendedKeyUsage: '1.0.18013.5.1.2',
} as const

/** Finds the document signer that an anchor vouches for. An mdoc names its issuer by certificates only. */
export async function resolveDocumentSigner(
  { chain, issuerAuth, mso }: DecodedIssuerSigned,
  credentialType: CredentialType,
  { now, anchors, fetchResource, signerProfile, onSigner }: Context,
): Promise<Result<DocumentSigner, PresentationRefusal>> {
  onSigner?.({ iss: undefined, chain })
  const [leaf] = chain ?? []
  const certificate = leaf && (cachedCertificate(leaf) ?? decodeCertificate(leaf))
  if (chain === undefined || certificate === undefined) return err({ reason: 'malformed_certificate_chain' })
  const isLicence = mso.docType === DRIVING_LICENCE.docType
  const isFromElsewhere = isLicence && !sharesCountry(certificate)
  const signers = await resolveSigner(
    { iss: undefined, kid: undefined, chain, algorithm: issuerAuth.algorithm.name },
    {
      now,
      // An authority cannot vouch for a signer of another country. A pinned signer needs no authority.
      anchors: (isFromElsewhere ? anchors.filter(isPin) : anchors).map((anchor) =>
        isLicence ? withSignerUsage(anchor) : anchor,
      ),
      fetchResource,
      credentialType,
      purpose: 'issuer',
      requiresKeyUsage: true,
      ...signerProfile,
    },
  )
  if (!signers.ok && isFromElsewhere && signers.error.reason === 'untrusted_issuer')
    return err({ reason: 'certificate_profile_violation', rule: 'issuing_country' })
  if (!signers.ok) return signers
  const [signer] = signers.value
  return signer === undefined ? err({ reason: 'untrusted_issuer' }) : ok({ ...signer, certificate })
}

/**
 * Adds the extended key usage that Annex B.1.4 requires of the signer of a driving licence. An anchor with an
 * extended key usage of its own stays unchanged.
 */
function withSignerUsage(anchor: TrustAnchor): TrustAnchor {
  return anchor.eku === undefined ? { ...anchor, eku: [DRIVING_LICENCE.extendedKeyUsage] } : anchor
}

function isPin(anchor: TrustAnchor): boolean {
  return 'x509_certificate_pem' in anchor
}

const COUNTRY = '2.5.4.6'
const STATE_OR_PROVINCE = '2.5.4.8'

/**
 * Returns true if subject and issuer have the same country (Annex B.1.4). If the subject has a state or
 * province, the issuer must have the same state or province.
 */
function sharesCountry({ subject, issuer }: Certificate): boolean {
  const country = soleValue(subject, COUNTRY)
  const hasState = attributeValues(subject, STATE_OR_PROVINCE).length > 0
  const state = soleValue(subject, STATE_OR_PROVINCE)
  return (
    country !== undefined &&
    country === soleValue(issuer, COUNTRY) &&
    (!hasState || (state !== undefined && state === soleValue(issuer, STATE_OR_PROVINCE)))
  )
}

function soleValue(name: DistinguishedName, attribute: string): string | undefined {
  const [value, ...others] = attributeValues(name, attribute)
  return others.length === 0 ? value : undefined
}

const ISSUING = [
  { element: 'issuing_country', attribute: COUNTRY },
  { element: 'issuing_jurisdiction', attribute: STATE_OR_PROVINCE },
] as const

/**
 * Returns the first element that names another place of issue than the signer's certificate (§9.3.1). Returns
 * `undefined` if there is none. Skips elements that are not disclosed and attributes that the certificate
 * lacks.
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
