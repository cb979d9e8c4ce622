// Permitted uses of the certificates of a path (RFC 5280 §6.1.3 to §6.1.5, api/trust). These are pure rules
// over decoded certificates, leaf first and anchor last. The anchor's own constraints apply as well.

import type { CertificateRule } from '../refusal.ts'
import { type Certificate, isSelfIssued } from './certificate.ts'
import { satisfiesNameConstraints } from './name-constraints.ts'

type Path = readonly [leaf: Certificate, ...issuers: Certificate[]]

/** Requirements of an authority for a leaf. */
export type LeafDemand = {
  /**
   * Extended key usages. The leaf must have one of them. `undefined` accepts any usage, but a leaf with only
   * TLS usages is rejected.
   */
  readonly extendedKeyUsage: readonly string[] | undefined
  /**
   * Extended key usages. If a leaf has extended key usages, one must be in this list or be the usage "any".
   */
  readonly usageIfRestricted?: readonly string[] | undefined
  /** Accepts a leaf with the key usage `contentCommitment` but without `digitalSignature`. */
  readonly acceptsCommitment?: boolean
  /** Accepts a leaf without key usage. Such a leaf is not restricted (RFC 5280 §4.2.1.3). */
  readonly acceptsAnyKeyUsage?: boolean
}

/**
 * Returns the first rule that a path violates; `undefined` if there is none. `demand` comes from the anchor.
 */
export function findBrokenRule(path: Path, demand: LeafDemand): CertificateRule | undefined {
  const [leaf, ...issuers] = path
  if (path.some((certificate) => certificate.extensions.hasUnknownCritical)) return 'critical_extension'
  if (leaf.subjectKey === undefined) return 'weak_key_or_signature'
  if (leaf.extensions.basicConstraints?.ca) return 'leaf_is_ca'
  if (issuers.some((issuer) => !issuer.extensions.basicConstraints?.ca)) return 'issuer_is_not_ca'
  if (!maySign(leaf, demand) || !issuers.every(mayCertify)) return 'key_usage'
  if (!staysWithinPathLengths(path)) return 'path_length'
  if (!purposesFit(path, demand)) return 'extended_key_usage'
  return staysWithinNames(path) ? undefined : 'name_constraints'
}

/**
 * Returns whether a leaf may sign data. A leaf with keyCertSign is rejected, because this usage is for
 * authorities (§4.2.1.3).
 */
function maySign(
  { extensions: { keyUsage } }: Certificate,
  { acceptsCommitment = false, acceptsAnyKeyUsage = false }: LeafDemand,
): boolean {
  if (keyUsage === undefined) return acceptsAnyKeyUsage
  if (keyUsage.keyCertSign) return false
  return keyUsage.digitalSignature || (acceptsCommitment && keyUsage.contentCommitment)
}

/**
 * Returns true if an issuer may sign certificates: its key usage has `keyCertSign` (§6.1.4 (n)). A conforming
 * authority has the key usage extension (§4.2.1.3). Only the anchor may lack this extension, because our
 * settings make the anchor an authority. The anchor is the last issuer.
 */
function mayCertify(
  { extensions: { keyUsage } }: Certificate,
  i: number,
  issuers: readonly Certificate[],
): boolean {
  return keyUsage === undefined ? i === issuers.length - 1 : keyUsage.keyCertSign
}

/**
 * Checks the number of intermediates below each issuer against its limit (§4.2.1.9). Self-issued certificates
 * are not counted.
 */
function staysWithinPathLengths(path: Path): boolean {
  return path.every((issuer, i) => {
    const limit = issuer.extensions.basicConstraints?.pathLength
    if (i === 0 || limit === undefined) return true
    return path.slice(1, i).filter((certificate) => !isSelfIssued(certificate)).length <= limit
  })
}

/**
 * Checks the extended key usages (§4.2.1.12). The usages of an issuer also limit the certificates below it,
 * as is common for TLS authorities.
 */
function purposesFit(
  [leaf, ...issuers]: Path,
  { extendedKeyUsage: wanted, usageIfRestricted }: LeafDemand,
): boolean {
  const carried = leaf.extensions.extendedKeyUsage
  if (isTlsOnly(carried)) return false
  if (carried !== undefined && usageIfRestricted !== undefined) {
    const accepted = [ANY_PURPOSE, ...usageIfRestricted]
    if (!carried.some((purpose) => accepted.includes(purpose))) return false
  }
  // The usage "any" does not satisfy `extendedKeyUsage`: a document signer's profile requires the named
  // usage.
  if (wanted !== undefined && !carried?.some((purpose) => wanted.includes(purpose))) return false
  return issuers.every(({ extensions: { extendedKeyUsage } }, i) => {
    if (extendedKeyUsage === undefined || extendedKeyUsage.includes(ANY_PURPOSE)) return true
    if (isTlsOnly(extendedKeyUsage)) return false
    // The anchor need not have the wanted usage. The EU's PID authorities have another usage than their
    // signers.
    const isAnchor = i === issuers.length - 1
    return wanted === undefined || isAnchor || extendedKeyUsage.some((purpose) => wanted.includes(purpose))
  })
}

function isTlsOnly(purposes: readonly string[] | undefined): boolean {
  return purposes?.every((purpose) => TLS_PURPOSES.has(purpose)) ?? false
}

const ANY_PURPOSE = '2.5.29.37.0'
/** Extended key usages serverAuth and clientAuth. */
const TLS_PURPOSES: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])

/**
 * Checks the name constraints (§6.1.3 (b), (c)). The constraints of every issuer apply to all certificates
 * below it, except self-issued intermediates.
 */
function staysWithinNames(path: Path): boolean {
  return path.every((issuer, i) => {
    const constraints = issuer.extensions.nameConstraints
    if (constraints === undefined) return true
    if (i === 0) return false // only authorities may have name constraints (§4.2.1.10)
    return path
      .slice(0, i)
      .filter((certificate, j) => j === 0 || !isSelfIssued(certificate))
      .every(({ subject, extensions: { subjectAltNames } }) =>
        satisfiesNameConstraints({ subject, subjectAltNames }, constraints),
      )
  })
}
