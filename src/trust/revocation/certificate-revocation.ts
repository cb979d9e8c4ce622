// Has an authority taken a certificate of a path back (RFC 5280 §6.3)? To be asked only of a path that has been verified up to
// an anchor of ours: its certificates name what is fetched. The anchor itself is the operator's word.

import { CRL } from '../../limits.ts'
import type { FetchSource } from '../../net/shared-cache.ts'
import type { Result } from '../../result.ts'
import type { Certificate } from '../x509/certificate.ts'
import { type RevocationList, serialKey } from '../x509/crl.ts'
import { isSameName } from '../x509/distinguished-name.ts'
import { type DistributionPoint, decodeDistributionPoints } from '../x509/distribution-points.ts'
import { type CrlError, readCrl } from './crl-cache.ts'

/** What a relying party has done about certificates that name a revocation list; what is revoked is refused by the last two. */
export const CERTIFICATE_REVOCATION = ['off', 'accept_unknown', 'require'] as const
export type CertificateRevocation = (typeof CERTIFICATE_REVOCATION)[number]

/** What is known of the revocation of certificates. */
export type CertificateStatus =
  /** No list has it. `asOf`: when that list was made, the oldest where there are several (Unix seconds). */
  | { readonly status: 'valid'; readonly asOf: number }
  /** For good, or on hold. */
  | { readonly status: 'revoked' }
  /** Lists are named, and none says so. `cause` is of the last that was tried. */
  | { readonly status: 'unavailable'; readonly cause: RevocationError }
  /** No certificate names a list. */
  | { readonly status: 'not_present' }

/** Why the revocation of a certificate cannot be told. */
export type RevocationError =
  | CrlError
  | 'malformed_distribution_points'
  /** No complete list of the issuer's own is at an http or https address. */
  | 'no_address'
  /** The issuer's certificate does not let it sign lists. */
  | 'issuer_may_not_sign'
  /** The list is in another name, of another place, or about other certificates. */
  | 'another_list'

/** Asks of each certificate of a verified path (leaf first, anchor last) but the anchor, and tells the worst that is known. */
export async function checkCertificates(
  path: readonly Certificate[],
  source: FetchSource,
): Promise<CertificateStatus> {
  const asked = path.flatMap((certificate, i) => {
    const issuer = path[i + 1]
    return issuer === undefined ? [] : [checkCertificate(certificate, issuer, source)]
  })
  return (await Promise.all(asked)).reduce(worseOf, { status: 'not_present' })
}

const WORST_FIRST = ['revoked', 'unavailable', 'valid', 'not_present']

/** Of two that are alike the less fresh. */
function worseOf(a: CertificateStatus, b: CertificateStatus): CertificateStatus {
  if (a.status === 'valid' && b.status === 'valid') return a.asOf < b.asOf ? a : b
  return WORST_FIRST.indexOf(a.status) <= WORST_FIRST.indexOf(b.status) ? a : b
}

async function checkCertificate(
  certificate: Certificate,
  issuer: Certificate,
  source: FetchSource,
): Promise<CertificateStatus> {
  const { crlDistributionPoints } = certificate.extensions
  if (crlDistributionPoints === undefined) return { status: 'not_present' }
  const points = decodeDistributionPoints(crlDistributionPoints)
  if (points === undefined) return unavailable('malformed_distribution_points')
  if (issuer.extensions.keyUsage?.cRLSign === false) return unavailable('issuer_may_not_sign')
  let cause: RevocationError = 'no_address'
  for (const { url, point } of addressesOf(points)) {
    const found = judgeList(await readCrl(url, issuer, source), { certificate, issuer, point })
    if (found.status !== 'unavailable') return found
    cause = found.cause
  }
  return unavailable(cause)
}

function unavailable(cause: RevocationError): CertificateStatus & { readonly status: 'unavailable' } {
  return { status: 'unavailable', cause }
}

/** Points are alternatives here, since those for some reasons only are left out (§6.3.3). */
function addressesOf(points: readonly DistributionPoint[]) {
  const addresses = points.flatMap((point) => point.map((url) => ({ url, point })))
  return addresses.filter(({ url }) => /^https?:/i.test(url)).slice(0, CRL.addresses)
}

type Question = {
  readonly certificate: Certificate
  readonly issuer: Certificate
  /** Where the list was found, as the certificate names it. */
  readonly point: DistributionPoint
}

function judgeList(
  found: Result<{ readonly list: RevocationList }, CrlError>,
  question: Question,
): CertificateStatus {
  if (!found.ok) return unavailable(found.error)
  const { list } = found.value
  if (!speaksOf(list, question)) return unavailable('another_list')
  return list.revoked.has(serialKey(question.certificate.serialNumber))
    ? { status: 'revoked' }
    : { status: 'valid', asOf: list.thisUpdate }
}

/** §6.3.3 (b): the list is the issuer's, of this place, and about certificates like this one. */
function speaksOf(
  { issuer: name, scope }: RevocationList,
  { certificate, issuer, point }: Question,
): boolean {
  const kind = certificate.extensions.basicConstraints?.ca ? 'authorities' : 'others'
  const isHere = scope.point?.some((uri) => point.includes(uri)) ?? true
  return isSameName(name, issuer.subject) && isHere && (scope.only ?? kind) === kind
}
