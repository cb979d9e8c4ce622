// Anchors of a list (api/trust). For a type of service, the operator grants trust for some credential types
// at one assurance level. A service without such a grant gives no anchor.

import { encodeBase64 } from '../../codec/base64url.ts'
import { TRUST_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { AnchorPurpose, AssuranceLevel, TrustAnchor } from '../anchors/anchor.ts'
import { parseTrustAnchor } from '../anchors/parse-anchor.ts'
import { type Certificate, decodeCertificate } from '../x509/certificate.ts'
import { formatDistinguishedName } from '../x509/distinguished-name.ts'
import { encodePem } from '../x509/pem-certificates.ts'
import type { ListedCertificate, TrustListError } from './listed.ts'
import { IN_FORCE } from './tl-services.ts'

/** Trust that the operator grants to the certificates of one type of service. */
export type ServiceGrant = {
  /**
   * Type of the service, as the list names it: a `ServiceTypeIdentifier`, a docType, or `BUNDLE_SERVICE` for
   * a PEM bundle.
   */
  readonly type: string
  /** Statuses with which a service of a list in XML is trusted. Default: `IN_FORCE` of tl-services.ts. */
  readonly statuses?: readonly string[]
  readonly credential_types: readonly string[]
  readonly assurance_level: AssuranceLevel
  readonly purpose?: readonly AnchorPurpose[]
  readonly eku?: readonly string[]
}

/** The anchors of a list, and the number of its certificates that cannot become an anchor. */
export type ListAnchors = { readonly anchors: readonly TrustAnchor[]; readonly leftOut: number }

/**
 * Makes anchors from the certificates of a list. A CA certificate becomes an authority, and any other
 * certificate a pinned signer (ETSI TS 119 602 Annex D allows both). A certificate with an unusable key or
 * extension is left out, and all other certificates remain. The result may be empty.
 */
export function anchorsOfList(
  certificates: readonly ListedCertificate[],
  grants: readonly ServiceGrant[],
): Result<ListAnchors, TrustListError> {
  const anchors = new Map<string, TrustAnchor>()
  let leftOut = 0
  let bytes = 0
  for (const { service, status, certificate } of certificates) {
    for (const grant of grantsFor({ type: service, status }, grants)) {
      const made = certificate && toAnchor(certificate, grant)
      const anchor = made && status !== undefined ? { ...made, service: { type: service, status } } : made
      const key = certificate && `${grants.indexOf(grant)}/${encodeBase64(certificate)}`
      if (anchor === undefined || key === undefined) leftOut += 1
      else if (!anchors.has(key)) {
        anchors.set(key, anchor)
        bytes += certificate?.length ?? 0
      }
      if (anchors.size > TRUST_LIST.anchors || bytes > TRUST_LIST.certificateBytes) return err('too_large')
    }
  }
  return ok({ anchors: [...anchors.values()], leftOut })
}

/**
 * Returns the grants for a service. `status` is absent if the decoder of the list has already left out the
 * services that are not in force.
 */
export function grantsFor(
  { type, status }: { readonly type: string; readonly status?: string | undefined },
  grants: readonly ServiceGrant[],
): readonly ServiceGrant[] {
  return grants.filter(
    (grant) => grant.type === type && (status === undefined || (grant.statuses ?? IN_FORCE).includes(status)),
  )
}

/**
 * Returns the anchor for a certificate, checked by the rules for an anchor from the admin API. Returns
 * `undefined` if the certificate breaks these rules.
 */
function toAnchor(bytes: Uint8Array<ArrayBuffer>, grant: ServiceGrant): TrustAnchor | undefined {
  const certificate = decodeCertificate(bytes)
  if (certificate === undefined) return undefined
  const { type: _, statuses: __, ...granted } = grant
  const pem = encodePem(bytes)
  const isAuthority = certificate.extensions.basicConstraints?.ca === true
  const mechanism = isAuthority ? { x509_ca_pem: pem } : { x509_certificate_pem: pem }
  const anchor = parseTrustAnchor({ name: nameOf(certificate), ...granted, ...mechanism })
  return anchor.ok ? anchor.value : undefined
}

const NAME_LENGTH = 100

function nameOf({ subject, issuer }: Certificate): string {
  const name = formatDistinguishedName(subject.rdns.length > 0 ? subject : issuer)
  return (name ?? 'certificate').slice(0, NAME_LENGTH).toWellFormed()
}
