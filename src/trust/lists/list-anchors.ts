// Anchors of a list (api/trust). For each service the operator names the credential types and the assurance
// level. A service without such a grant gives no anchor.

import { encodeBase64 } from '../../codec/base64url.ts'
import { TRUST_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { AnchorPurpose, AssuranceLevel, TrustAnchor } from '../anchors/anchor.ts'
import { parseTrustAnchor } from '../anchors/parse-anchor.ts'
import { type Certificate, decodeCertificate } from '../x509/certificate.ts'
import { formatDistinguishedName } from '../x509/distinguished-name.ts'
import { encodePem } from '../x509/pem-certificates.ts'
import type { ListedCertificate, TrustListError } from './listed.ts'

/** Trust that the operator grants to the certificates of one service. */
export type ServiceGrant = {
  /**
   * Name of the service in the list: a `ServiceTypeIdentifier`, a docType, or `BUNDLE_SERVICE` for a PEM
   * bundle.
   */
  readonly type: string
  readonly credential_types: readonly string[]
  readonly assurance_level: AssuranceLevel
  readonly purpose?: readonly AnchorPurpose[]
  readonly eku?: readonly string[]
}

/** The anchors of a list, and the number of its certificates that cannot become an anchor. */
export type ListAnchors = { readonly anchors: readonly TrustAnchor[]; readonly leftOut: number }

/**
 * Makes anchors of a list's certificates: authorities and pinned signers (ETSI TS 119 602 Annex D allows
 * both). A certificate with an unusable key or extension is left out, and all other certificates remain.
 */
export function anchorsOfList(
  certificates: readonly ListedCertificate[],
  grants: readonly ServiceGrant[],
): Result<ListAnchors, TrustListError> {
  const anchors = new Map<string, TrustAnchor>()
  let leftOut = 0
  let bytes = 0
  for (const { service, certificate } of certificates) {
    for (const grant of grants.filter(({ type }) => type === service)) {
      const anchor = certificate && toAnchor(certificate, grant)
      const key = certificate && `${grants.indexOf(grant)}/${encodeBase64(certificate)}`
      if (anchor === undefined || key === undefined) leftOut += 1
      else if (!anchors.has(key)) {
        anchors.set(key, anchor)
        bytes += certificate?.length ?? 0
      }
      if (anchors.size > TRUST_LIST.anchors || bytes > TRUST_LIST.certificateBytes) return err('too_large')
    }
  }
  return anchors.size === 0 ? err('nothing_usable') : ok({ anchors: [...anchors.values()], leftOut })
}

/**
 * Returns the anchor for a certificate, checked by the rules for an anchor from the admin API. Returns
 * `undefined` if the certificate breaks these rules.
 */
function toAnchor(bytes: Uint8Array<ArrayBuffer>, grant: ServiceGrant): TrustAnchor | undefined {
  const certificate = decodeCertificate(bytes)
  if (certificate === undefined) return undefined
  const { type: _, ...granted } = grant
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
