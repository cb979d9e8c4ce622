// Revocation of the certificates of a path (RFC 5280 §6.3). The caller must first verify the path up to an
// anchor, because the certificates name the URLs that are fetched. The anchor itself is not checked, because
// the operator configured it.

import { CRL } from '../../limits.ts'
import type { FetchSource } from '../../net/shared-cache.ts'
import type { Result } from '../../result.ts'
import type { Certificate } from '../x509/certificate.ts'
import { type RevocationList, serialKey } from '../x509/crl.ts'
import { isSameName } from '../x509/distinguished-name.ts'
import { type DistributionPoint, decodeDistributionPoints } from '../x509/distribution-points.ts'
import { type CrlError, readCrl } from './crl-cache.ts'

/**
 * A relying party's setting for certificates that name a revocation list. `off` checks nothing.
 * `accept_unknown` and `require` reject revoked certificates. `require` also rejects certificates with
 * unknown revocation.
 */
export const CERTIFICATE_REVOCATION = ['off', 'accept_unknown', 'require'] as const
export type CertificateRevocation = (typeof CERTIFICATE_REVOCATION)[number]

/** Revocation status of a path. */
export type CertificateStatus =
  /** No list contains a certificate of the path. `asOf`: `thisUpdate` of the oldest list, in Unix seconds. */
  | { readonly status: 'valid'; readonly asOf: number }
  /** A certificate is revoked, for good or on hold. */
  | { readonly status: 'revoked' }
  /**
   * The revocation of a certificate is unknown. `cause` is the reason. If lists were tried, `cause` is the
   * error of the last list.
   */
  | { readonly status: 'unavailable'; readonly cause: RevocationError }
  /** No certificate of the path names a list. */
  | { readonly status: 'not_present' }

/** Type of `checkCertificates`. A caller that supports no revocation lists does not pass the function. */
export type CheckCertificates = typeof checkCertificates

/** Status of a path if the settings require a check, but the caller passed no `checkCertificates`. */
export const NOT_CHECKED: CertificateStatus = { status: 'unavailable', cause: 'not_supported' }

/** Reasons why the revocation of a certificate is unknown. */
type RevocationError =
  | CrlError
  /** The caller passed no `checkCertificates`, although the setting is not `off`. */
  | 'not_supported'
  | 'malformed_distribution_points'
  /** The certificate has no http or https address at which its own issuer publishes a complete list. */
  | 'no_address'
  /** The key usage of the issuer's certificate does not allow the signing of lists. */
  | 'issuer_may_not_sign'
  /** The list has another issuer or distribution point, or covers another kind of certificates. */
  | 'another_list'

/**
 * Checks each certificate of a verified path (leaf first, anchor last) except the anchor. Returns the worst
 * status.
 */
export async function checkCertificates(
  path: readonly Certificate[],
  source: FetchSource,
): Promise<CertificateStatus> {
  const asked = path.flatMap((certificate, i) => {
    const issuer = path[i + 1]
    return issuer === undefined ? [] : [checkCertificate(certificate, issuer, source)]
  })
  return (await Promise.all(asked)).reduce(chooseWorse, { status: 'not_present' })
}

const WORST_FIRST = ['revoked', 'unavailable', 'valid', 'not_present']

/** Returns the worse status. Of two valid statuses, returns the one with the older list. */
function chooseWorse(a: CertificateStatus, b: CertificateStatus): CertificateStatus {
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
  for (const { url, point } of listAddresses(points)) {
    const result = checkList(await readCrl(url, issuer, source), { certificate, issuer, point })
    if (result.status !== 'unavailable') return result
    cause = result.cause
  }
  return unavailable(cause)
}

function unavailable(cause: RevocationError): CertificateStatus & { readonly status: 'unavailable' } {
  return { status: 'unavailable', cause }
}

/**
 * Returns the addresses to try. One usable list is enough, because each of these lists covers all reasons for
 * a revocation (§6.3.3). `decodeDistributionPoints` has left out the points for only some reasons.
 */
function listAddresses(points: readonly DistributionPoint[]) {
  const addresses = points.flatMap((point) => point.map((url) => ({ url, point })))
  return addresses.filter(({ url }) => /^https?:/i.test(url)).slice(0, CRL.addresses)
}

type Question = {
  readonly certificate: Certificate
  readonly issuer: Certificate
  /** The distribution point of the list, as the certificate names it. */
  readonly point: DistributionPoint
}

function checkList(
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

/**
 * Returns whether a list covers a certificate (§6.3.3 (b)). The list must have the same issuer and
 * distribution point, and must include certificates of this kind.
 */
function speaksOf(
  { issuer: name, scope }: RevocationList,
  { certificate, issuer, point }: Question,
): boolean {
  const kind = certificate.extensions.basicConstraints?.ca ? 'authorities' : 'others'
  const isHere = scope.point?.some((uri) => point.includes(uri)) ?? true
  return isSameName(name, issuer.subject) && isHere && (scope.only ?? kind) === kind
}
