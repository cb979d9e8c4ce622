// The certificate path (RFC 5280 §6.1, HAIP 1.0 §6.1.1) from a leaf to one of our certification authorities.
// The chain is used as it was sent. The leaf is first, each certificate is issued by the next, and every
// certificate belongs to the path.

import { equalBytes } from '../../codec/bytes.ts'
import { CERTIFICATE } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { TrustRefusal } from '../refusal.ts'
import { type Certificate, decodeCertificate, isSelfIssued } from './certificate.ts'
import { cachedCertificate } from './certificate-cache.ts'
import { findBrokenRule, type LeafDemand } from './certificate-profile.ts'
import { verifyCertificateSignature } from './certificate-signature.ts'
import { isSameName } from './distinguished-name.ts'

/** One of our certification authorities, and its requirements for a leaf. */
export type Authority = LeafDemand & { readonly certificate: Certificate }

/** A received chain: at least a leaf. */
export type CertificateChain = readonly [leaf: Certificate, ...issuers: Certificate[]]

/**
 * Decodes a chain. Every certificate must be strict DER, even if a pinned leaf makes the others unnecessary.
 */
export function decodeCertificateChain(
  chain: readonly Uint8Array<ArrayBuffer>[],
): Result<CertificateChain, TrustRefusal> {
  if (chain.length > CERTIFICATE.chain) {
    return err({ reason: 'certificate_profile_violation', rule: 'chain_too_long' })
  }
  // The bytes are copied. A cached certificate must not keep the whole presentation in memory, and must not
  // change if the presentation's bytes change.
  const [leaf, ...issuers] = chain.map(
    (bytes) => cachedCertificate(bytes) ?? decodeCertificate(bytes.slice()),
  )
  if (leaf === undefined || !issuers.every((issuer) => issuer !== undefined)) {
    return err({ reason: 'malformed_certificate_chain' })
  }
  return ok([leaf, ...issuers])
}

/** An authority that certifies a chain, and the certificates below it. */
type VerifiedPath<A> = { readonly authority: A; readonly verified: CertificateChain }

/**
 * Verifies the path from `chain` to one of `authorities` at `now` (Unix seconds). Returns the first authority
 * that certifies the chain. An authority that is itself in the chain is used only with
 * `acceptsAnchorInChain`. The path then has only the certificates of the chain that are below the authority.
 */
export async function verifyCertificatePath<A extends Authority>(
  chain: CertificateChain,
  authorities: readonly A[],
  now: number,
  { acceptsAnchorInChain = false }: { readonly acceptsAnchorInChain?: boolean | undefined } = {},
): Promise<Result<VerifiedPath<A>, TrustRefusal>> {
  const candidates = authorities.flatMap((authority) => {
    const below = chainBelow(authority.certificate, chain)
    return below !== undefined && (below === chain || acceptsAnchorInChain) ? [{ authority, below }] : []
  })
  let refusal: TrustRefusal | undefined =
    candidates.length < authorities.length ? { reason: 'trust_anchor_in_chain' } : undefined
  if (await isSelfSigned(chain[0])) return err(refusal ?? { reason: 'self_signed_certificate' })
  const isNamed = namesChain(chain)
  if (!isNamed) refusal ??= { reason: 'invalid_certificate_path' }
  for (const { authority, below } of candidates) {
    if (below === chain ? !isNamed : !namesChain(below)) continue
    if (!isNamedBy(authority.certificate, below.at(-1) ?? below[0])) continue
    const pathRefusal = await checkPath([...below, authority.certificate], authority, now)
    if (pathRefusal === undefined) return ok({ authority, verified: below })
    // Several authorities may have the same name. An error of the authority with the right key is more useful
    // than the failed signature check of another authority.
    if (refusal === undefined || refusal.reason === 'invalid_certificate_path') refusal = pathRefusal
  }
  return err(refusal ?? { reason: 'untrusted_issuer' })
}

/**
 * Checks the validity period of a certificate at `now`. Both dates are inclusive (RFC 5280 §4.1.2.5). Returns
 * `undefined` if the certificate is valid.
 */
export function checkValidityPeriod(certificate: Certificate, now: number): TrustRefusal | undefined {
  if (now < certificate.notBefore) return { reason: 'certificate_not_yet_valid' }
  return now > certificate.notAfter ? { reason: 'certificate_expired' } : undefined
}

/**
 * Returns the part of a chain below an anchor. This is the whole chain if the anchor is not in the chain, and
 * `undefined` if the leaf is the anchor. An anchor is identified by its name and its key (RFC 5280 §6.1.1
 * (d)). Another certificate with the same name and key is the same anchor.
 */
function chainBelow(anchor: Certificate, chain: CertificateChain): CertificateChain | undefined {
  const place = chain.findIndex(
    (certificate) =>
      // The key is compared first, because this is faster. Names may be equal although their bytes differ.
      equalBytes(certificate.subjectPublicKeyInfo, anchor.subjectPublicKeyInfo) &&
      isSameName(certificate.subject, anchor.subject),
  )
  if (place < 0) return chain
  return place === 0 ? undefined : [chain[0], ...chain.slice(1, place)]
}

/**
 * Returns whether a leaf is self-signed, which HAIP 1.0 §6.1.1 forbids. A weak signature is not verified. A
 * leaf with its own name as issuer and a weak signature is treated as self-signed.
 */
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
 * Checks a path. Signatures are checked first, so that the other checks concern authentic certificates. Dates
 * are checked last, so that "expired" means that everything else is valid.
 */
async function checkPath(
  path: CertificateChain,
  demand: LeafDemand,
  now: number,
): Promise<TrustRefusal | undefined> {
  const forged = await verifySignatures(path)
  if (forged !== undefined) return forged
  const rule = findBrokenRule(path, demand)
  if (rule !== undefined) return { reason: 'certificate_profile_violation', rule }
  for (const certificate of path) {
    const refusal = checkValidityPeriod(certificate, now)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/**
 * Verifies the signatures from the anchor down to the leaf. So no key is used before its own certificate is
 * verified.
 */
async function verifySignatures(path: CertificateChain): Promise<TrustRefusal | undefined> {
  const downwards = path.toReversed()
  for (const [i, certificate] of downwards.entries()) {
    const issuer = downwards[i - 1]
    if (issuer === undefined) continue // the anchor: our settings trust it, so its signature is not checked
    const result = await verifyCertificateSignature(certificate, issuer)
    if (result === 'weak') return { reason: 'certificate_profile_violation', rule: 'weak_key_or_signature' }
    if (result === 'invalid') return { reason: 'invalid_certificate_path' }
  }
  return undefined
}
