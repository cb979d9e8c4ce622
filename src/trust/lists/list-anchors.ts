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

/** Limit of decoded certificates. Each counts once for each grant. A signed list may have 17,000. */
const TRIED = 2000

/** The anchors of a list, and the number of its certificates that cannot become an anchor. */
export type ListAnchors = { readonly anchors: readonly TrustAnchor[]; readonly leftOut: number }

/**
 * Makes anchors from the certificates of a list. A CA certificate becomes an authority, and any other
 * certificate becomes a pinned signer (ETSI TS 119 602 Annex D allows both). A certificate with an unusable
 * key or extension is left out, and all other certificates remain. The result may be empty. A certificate
 * that occurs again for the same grant is not decoded again.
 */
export function anchorsOfList(
  certificates: readonly ListedCertificate[],
  grants: readonly ServiceGrant[],
): Result<ListAnchors, TrustListError> {
  const anchors: TrustAnchor[] = []
  /** By certificate and grant: true if they make an anchor. */
  const tried = new Map<string, boolean>()
  let leftOut = 0
  let bytes = 0
  for (const { service, status, certificate } of certificates) {
    const encoded = certificate && encodeBase64(certificate)
    for (const grant of grantsFor({ type: service, status }, grants)) {
      const key = `${grants.indexOf(grant)}/${encoded}`
      if (!tried.has(key)) {
        const anchor = certificate && toAnchor(certificate, grant)
        if (anchor) {
          anchors.push(status === undefined ? anchor : { ...anchor, service: { type: service, status } })
          bytes += certificate.length
        }
        tried.set(key, anchor !== undefined)
      }
      if (!tried.get(key)) leftOut += 1
      const isTooLarge = anchors.length > TRUST_LIST.anchors || bytes > TRUST_LIST.certificateBytes
      if (isTooLarge || tried.size > TRIED) return err('too_large')
    }
  }
  return ok({ anchors, leftOut })
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
  const anchor = parseTrustAnchor({ name: displayName(certificate), ...granted, ...mechanism })
  return anchor.ok ? anchor.value : undefined
}

const NAME_LENGTH = 100

function displayName({ subject, issuer }: Certificate): string {
  const name = formatDistinguishedName(subject.rdns.length > 0 ? subject : issuer)
  return (name ?? 'certificate').slice(0, NAME_LENGTH).toWellFormed()
}
