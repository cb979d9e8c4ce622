// The certificate path (RFC 5280 §6.1, HAIP 1.0 §6.1.1): from a leaf through its chain to one of our own certification
// authorities. The chain is taken as it was sent: leaf first, each certified by the next, none left over.

import { equalBytes } from '../../codec/bytes.ts'
import { CERTIFICATE } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import { cachedCertificate } from '../anchors/certificate-cache.ts'
import type { TrustRefusal } from '../refusal.ts'
import { type Certificate, decodeCertificate, isSelfIssued } from './certificate.ts'
import { findBrokenRule, type LeafDemand } from './certificate-profile.ts'
import { verifyCertificateSignature } from './certificate-signature.ts'
import { isSameName } from './distinguished-name.ts'

/** A certification authority of ours, and what it is limited to. */
export type Authority = LeafDemand & { readonly certificate: Certificate }

/** A chain as a stranger sent it: at least a leaf. */
export type CertificateChain = readonly [leaf: Certificate, ...issuers: Certificate[]]

/** Decodes a chain; every certificate must be strict DER, also those that a pinned leaf leaves without a use. */
export function decodeCertificateChain(
  chain: readonly Uint8Array<ArrayBuffer>[],
): Result<CertificateChain, TrustRefusal> {
  if (chain.length > CERTIFICATE.chain) {
    return err({ reason: 'certificate_profile_violation', rule: 'chain_too_long' })
  }
  // A copy: a certificate that is remembered must neither hold the whole presentation in memory nor change with it.
  const [leaf, ...issuers] = chain.map(
    (bytes) => cachedCertificate(bytes) ?? decodeCertificate(bytes.slice()),
  )
  if (leaf === undefined || !issuers.every((issuer) => issuer !== undefined)) {
    return err({ reason: 'malformed_certificate_chain' })
  }
  return ok([leaf, ...issuers])
}

/**
 * Verifies the path from `chain` to one of `authorities` at `now` (Unix seconds) and returns the first authority that
 * vouches. An authority that stands in the chain itself does not count.
 */
export async function verifyCertificatePath<A extends Authority>(
  chain: CertificateChain,
  authorities: readonly A[],
  now: number,
): Promise<Result<A, TrustRefusal>> {
  const candidates = authorities.filter(({ certificate }) => !isInChain(certificate, chain))
  let finding: TrustRefusal | undefined =
    candidates.length < authorities.length ? { reason: 'trust_anchor_in_chain' } : undefined
  if (await isSelfSigned(chain[0])) return err(finding ?? { reason: 'self_signed_certificate' })
  if (!namesChain(chain)) return err(finding ?? { reason: 'invalid_certificate_path' })
  const top = chain.at(-1) ?? chain[0]
  for (const authority of candidates) {
    if (!isNamedBy(authority.certificate, top)) continue
    const rejection = await judgePath([...chain, authority.certificate], authority, now)
    if (rejection === undefined) return ok(authority)
    // That a namesake did not sign says less than what is wrong with a path that is signed throughout.
    if (finding === undefined || finding.reason === 'invalid_certificate_path') finding = rejection
  }
  return err(finding ?? { reason: 'untrusted_issuer' })
}

/** Why a certificate is not valid at `now` (RFC 5280 §4.1.2.5: both dates are part of the period). */
export function checkValidityPeriod(certificate: Certificate, now: number): TrustRefusal | undefined {
  if (now < certificate.notBefore) return { reason: 'certificate_not_yet_valid' }
  return now > certificate.notAfter ? { reason: 'certificate_expired' } : undefined
}

/** An authority is its name and its key (RFC 5280 §6.1.1 (d)): another certificate for both is the same anchor. */
function isInChain(anchor: Certificate, chain: CertificateChain): boolean {
  return chain.some(
    (certificate) =>
      // The key first: it tells two apart by its first bytes, a name only once it is read.
      equalBytes(certificate.subjectPublicKeyInfo, anchor.subjectPublicKeyInfo) &&
      isSameName(certificate.subject, anchor.subject),
  )
}

/** HAIP 1.0 §6.1.1. A weak signature under one's own name is not computed, and counts as one's own. */
async function isSelfSigned(leaf: Certificate): Promise<boolean> {
  return isSelfIssued(leaf) && (await verifyCertificateSignature(leaf, leaf)) !== 'invalid'
}

function namesChain(chain: CertificateChain): boolean {
  return chain.every((certificate, i) => {
    const issuer = chain[i + 1]
    return issuer === undefined || isNamedBy(issuer, certificate)
  })
}

function isNamedBy(issuer: Certificate, certificate: Certificate): boolean {
  return isSameName(issuer.subject, certificate.issuer)
}

/**
 * Signatures come first, so that dates and profile are findings about authentic certificates; dates come last, so that
 * "expired" means that nothing else is wrong.
 */
async function judgePath(
  path: CertificateChain,
  demand: LeafDemand,
  now: number,
): Promise<TrustRefusal | undefined> {
  const forged = await judgeSignatures(path)
  if (forged !== undefined) return forged
  const rule = findBrokenRule(path, demand)
  if (rule !== undefined) return { reason: 'certificate_profile_violation', rule }
  for (const certificate of path) {
    const rejection = checkValidityPeriod(certificate, now)
    if (rejection !== undefined) return rejection
  }
  return undefined
}

/** From the anchor down: no key is used before the certificate that holds it is known to be authentic. */
async function judgeSignatures(path: CertificateChain): Promise<TrustRefusal | undefined> {
  const downwards = path.toReversed()
  for (const [i, certificate] of downwards.entries()) {
    const issuer = downwards[i - 1]
    if (issuer === undefined) continue // the anchor: our settings vouch for it, not its signature
    const verdict = await verifyCertificateSignature(certificate, issuer)
    if (verdict === 'weak') return { reason: 'certificate_profile_violation', rule: 'weak_key_or_signature' }
    if (verdict === 'invalid') return { reason: 'invalid_certificate_path' }
  }
  return undefined
}
