// What an operator makes of a list (CONTRACT 8): for each service he names, the credential types its certificates may vouch
// for, and what that is worth. A service that nobody mapped gives nothing.

import { encodeBase64 } from '../../codec/base64url.ts'
import { TRUST_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { AnchorPurpose, AssuranceLevel, TrustAnchor } from '../anchors/anchor.ts'
import { parseTrustAnchor } from '../anchors/parse-anchor.ts'
import { type Certificate, decodeCertificate } from '../x509/certificate.ts'
import { formatDistinguishedName } from '../x509/distinguished-name.ts'
import type { ListedCertificate, TrustListError } from './listed.ts'

/** What the certificates of one service are trusted with. */
export type ServiceGrant = {
  /** The list's own word: a `ServiceTypeIdentifier`, a docType, or that of a bundle. */
  readonly type: string
  readonly credential_types: readonly string[]
  readonly assurance_level: AssuranceLevel
  readonly purpose?: readonly AnchorPurpose[]
  readonly eku?: readonly string[]
}

/** The anchors of a list, and how many of its certificates could not become one. */
export type ListAnchors = { readonly anchors: readonly TrustAnchor[]; readonly leftOut: number }

/**
 * Makes anchors of a list's certificates: an authority of each that is one, a pinned signer of each other (ETSI TS 119 602
 * Annex D allows both). One we could not verify with, by its key or its extensions, is left out; the others stand.
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

/** The rules for anchors are those that an anchor obeys which somebody writes by hand. */
function toAnchor(bytes: Uint8Array<ArrayBuffer>, grant: ServiceGrant): TrustAnchor | undefined {
  const certificate = decodeCertificate(bytes)
  if (certificate === undefined) return undefined
  const { type: _, ...granted } = grant
  const pem = `-----BEGIN CERTIFICATE-----\n${encodeBase64(bytes)}\n-----END CERTIFICATE-----\n`
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
